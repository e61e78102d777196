/**
 * Titles and honorifics before a person's name, in folded form. Sources: the field Title of OFAC's SDN list and of the UN's list, and the
 * forms of address of the languages on the lists.
 */
const TITLES = `
mr mrs ms miss mx dr doc doctor prof professor eng engr engineer ing inz arch sir lord lady dame hon honorable honourable excellency he hrh hm
sheikh shaykh shaikh sheik shekh sheikha emir amir haji hajji hadji hajj hadj alhaj alhajj alhaji al-hajj al-haj hajjah mullah mulla molla maulana mawlana maulvi
mawlawi maulavi moulvi mawlavi qari hafiz hafez ustad ustadh ustaz sayyid sayyed seyyed seyed sayed syed saiyid agha aga hojatoleslam hojjatoleslam hojjat
ayatollah allamah allama imam mufti qadi qazi akhund akhundzada pir khwaja shah malik sardar khan bey bay effendi pasha
general gen colonel col lieutenant lt lieut major maj captain capt cpt commander cmdr cdr admiral adm brigadier brig sergeant sgt marshal commodore
president minister senator governor ambassador judge justice chief rev reverend fr father pastor bishop archbishop deacon rabbi brother sister
herr frau fraulein dipl monsieur m mme madame mlle mademoiselle me maitre senor sr senora sra srta senorita don dona lic licenciado licenciada ingeniero
doutor doutora dom signor signora sig dott dottore avv avvocato rag geom onorevole gospodin gospozha grazhdanin tovarishch pan pani bay bayan sayin
kapitan polkovnik comandante cdte coronel teniente capitan sargento hermano tio jefe comrade cde alias
`

export const TITLE_WORDS: ReadonlySet<string> = new Set(TITLES.trim().split(/\s+/))
