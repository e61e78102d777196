/**
 * Words that say what a firm does or how it is organised, and hardly which firm it is. A row holds one trade in its languages and
 * abbreviations: a payer who writes one of them for another means the same firm. All in folded form. The languages are those of the lists:
 * English, Spanish, Portuguese, French, German, Italian, Turkish, and transliterated Russian, Persian and Korean.
 *
 * Source of the pairs: names of one party on OFAC's lists that differ in one word only (`AIR`, `AIRLINES`; `FACTORY`, `ZAVOD`; `LEASING`,
 * `LIZING`), general dictionaries for the translations, and the abbreviations that banks and carriers print.
 */
const ROWS = `
air airline airlines airway airways aviation aero avia aviacion aviakompaniya aerolinea aerolineas airl airln avn hava havacilik
bank banks banking bankers banque banco banca banka bankas bankasi bankers bnk bk unhaeng kb akb
trading trade trades trader traders trdg trd trdng trdrs td treid handel handels torg torgovy torgovaya
commercial commerce comercial comerciale commerciale comercio comercializadora comercializacion kommercheski kommerchesky comerc coml com
oil oils petroleum petrol petroleo petroleos petrole petro pet petr neft neftyanaya naft
petrochemical petrochemicals petrochem petchem petchems petroquimica chemical chemicals chem chems chemie quimica quimicos kimya khimiya khimicheskaya
engineering engineers engineer eng engg engr engrg engrs ingenieria ingenieros ingenierie ingegneria engenharia inzhiniring injiniring muhendislik
group groups grp gp groupe gruppe gruppo grupo grupa gruppa grupp holding holdings hldg hldgs hldng hold kholding kholdingovaya
shipping ship ships shpg shipg shpng shpping maritime marine maritima maritimo navigation naviera navegacion nav sudokhodstvo denizcilik line lines
construction constructions constructors constructor construct constr const cons contracting contractors contractor contr building builders bldg bldrs construccion construcciones constructora construcao construtora insaat stroy stroitelnaya stroitelnoye bau
industry ind inds indus indust industries industrial industrials industrie industria industrias industriel industrielle industriya promyshlennaya promyshlennost
transport transports transportation trans transp transpt trnsp trnsprt tpt transporte transportes logistics logistic logist logistik logistica logistique cargo freight frt forwarding forwarders haulage carriers spedition perevozki tasimacilik nakliyat
investment inv invest invests invt invts invst invstmt investing investors capital kapital cap inversion inversiones investissement investissements investimento investimentos investitsionnaya investitsii yatirim
exchange exchangers exch xchange exchanges sarafi sarrafi sarraf saraf sarafy money currency
finance financial fin finl finans financiera financiere financiero finansovaya financing
electronics electronic elec elect electr elektronik elektronika elektroniks electronica electronique elektron
service services svc svcs serv servs srv srvs servis servicio servicios servico servicos servizi uslugi hizmetleri
technology technologies tech techs techn techno tec technical tecnologia tecnologias technologie technologia tekhnologii tekhnologiya tekhnolodzhi teknoloji
international int intl internat internatl intern intnl internacional internationale internazionale mezhdunarodnaya mezhdunarodny uluslararasi
national nat natl natnl nacional nationale nazionale natsionalny natsionalnaya
general gen genl gnl generale
manufacturing mfg mfr mfrs manuf manufact manufacture manufacturers manufacturer manufacturas mnfg factory factories plant works zavod fabrik fabrika fabrica uretim
development dev devt devp devpt dvlpt develop developers developing developments desarrollo desenvolvimento developpement entwicklung razvitiye razvitie
enterprise ent entr entp entrp entreprise entreprises empresa empresas empresarial unternehmen predpriyatie predpriyatiye isletmeleri
association assoc assocn assn organization organisation org orgn asociacion asociatsiya society societe union soyuz verband
foundation fdn fndn found fondation fundacion fundacao fondazione stichting stiftung fond fonds bonyad vakfi vakif
insurance ins insur insce assurance assurances reinsurance seguros sigorta bimeh versicherung strakhovaya strakhovanie
telecommunication telecommunications telecom telecoms telecomm telco tel telekom communication telekommunikatsii svyaz iletisim
center centre centers ctr cntr centro zentrum tsentr merkezi
import imports imp importers importacion importacoes
export exports exp exporters exportacion exportacoes eksport
metal metals metall metallurgical metallurgy metalurgica metallurgiya metallurgichesky
mining mines mine min mineral minerals minera mineria mineracao maden madencilik
food foods foodstuff foodstuffs alimentos alimentaria gida
medical med medicals medic medico medicine
pharmaceutical pharmaceuticals pharma pharm pharmaceutics farma farmaceutica pharmacy drug drugs ilac
energy energia energie energo enrgy enerji power pwr
electric electrical electricity elektrik electrica electrico
travel travels tourism tour tours trvl turizm turismo viajes
management mgmt mgt mgmnt mngmt managing menedzhment menejment
consulting consultants consultant consultancy consult conslt konsalting danismanlik
supply supplies supplier suppliers supp suministros
product products prod prods production productions prodn producers productos proizvodstvo
system systems sys syst systs sistema sistemas sistemy sistem
security secur securities seguridad
leasing lizing lease
machinery machine machines mach machin maquinaria makina mashinostroenie machinebuilding
equipment equip equipments eqpt eqp equipo equipos oborudovanie
automotive auto autos automobile automobiles motor motors avto otomotiv
textile textiles textil tekstil
agricultural agriculture agri agro agric agricola agropecuaria tarim
research rsch rsrch scientific science sciences nauchno
institute inst institut instituto institution
university univ universitet universidad
laboratory lab labs laboratories laboratorio
property properties real estate realty inmobiliaria emlak
store stores shop shops market markets supermarket supermercado
restaurant restaurants restaurante
hotel hotels hospitality otel
clinic hospital hospitals health healthcare
school college academy
agency agencies agcy agency agencia agence agents agentur agentstvo
office bureau department dept division directorate
project projects proj proekt proyectos
solution solutions soln solns
partner partners prtnrs ptnrs associates
brothers bros brother sons
distribution distributors distributor distr distributing dist distribuidora
marketing mktg mkt
security guard guards
port seaport terminal
shipyard shipyards shipbuilding srz
steel stahl acero acier celik
`

/** Each row as its words. */
export const TRADE_ROWS: readonly (readonly string[])[] = ROWS.trim()
  .split("\n")
  .map((row) => row.split(" "))
