/**
 * Maps publishers' country texts to ISO 3166-1 alpha-2. A text that is not a country (`undetermined`, `Region: Crimea`, `XUN`) maps to
 * null.
 */

// Alpha-2, alpha-3 and the English short name, in OFAC's spelling if it differs. Written out, because a table from the runtime's locale
// data would change with the runtime, and a replay must read the same bytes the same way.
const TABLE = `
AD AND Andorra; AE ARE United Arab Emirates; AF AFG Afghanistan; AG ATG Antigua and Barbuda; AI AIA Anguilla;
AL ALB Albania; AM ARM Armenia; AO AGO Angola; AQ ATA Antarctica; AR ARG Argentina; AS ASM American Samoa;
AT AUT Austria; AU AUS Australia; AW ABW Aruba; AX ALA Aland Islands; AZ AZE Azerbaijan;
BA BIH Bosnia and Herzegovina; BB BRB Barbados; BD BGD Bangladesh; BE BEL Belgium; BF BFA Burkina Faso;
BG BGR Bulgaria; BH BHR Bahrain; BI BDI Burundi; BJ BEN Benin; BL BLM Saint Barthelemy; BM BMU Bermuda;
BN BRN Brunei; BO BOL Bolivia; BQ BES Bonaire, Sint Eustatius and Saba; BR BRA Brazil; BS BHS Bahamas; BT BTN Bhutan;
BV BVT Bouvet Island; BW BWA Botswana; BY BLR Belarus; BZ BLZ Belize; CA CAN Canada; CC CCK Cocos (Keeling) Islands;
CD COD Congo, Democratic Republic of the; CF CAF Central African Republic; CG COG Congo, Republic of the;
CH CHE Switzerland; CI CIV Cote d Ivoire; CK COK Cook Islands; CL CHL Chile; CM CMR Cameroon; CN CHN China;
CO COL Colombia; CR CRI Costa Rica; CU CUB Cuba; CV CPV Cape Verde; CW CUW Curacao; CX CXR Christmas Island;
CY CYP Cyprus; CZ CZE Czech Republic; DE DEU Germany; DJ DJI Djibouti; DK DNK Denmark; DM DMA Dominica;
DO DOM Dominican Republic; DZ DZA Algeria; EC ECU Ecuador; EE EST Estonia; EG EGY Egypt; EH ESH Western Sahara;
ER ERI Eritrea; ES ESP Spain; ET ETH Ethiopia; FI FIN Finland; FJ FJI Fiji; FK FLK Falkland Islands;
FM FSM Micronesia; FO FRO Faroe Islands; FR FRA France; GA GAB Gabon; GB GBR United Kingdom; GD GRD Grenada;
GE GEO Georgia; GF GUF French Guiana; GG GGY Guernsey; GH GHA Ghana; GI GIB Gibraltar; GL GRL Greenland;
GM GMB Gambia; GN GIN Guinea; GP GLP Guadeloupe; GQ GNQ Equatorial Guinea; GR GRC Greece;
GS SGS South Georgia and South Sandwich Islands; GT GTM Guatemala; GU GUM Guam; GW GNB Guinea-Bissau; GY GUY Guyana;
HK HKG Hong Kong; HM HMD Heard and McDonald Islands; HN HND Honduras; HR HRV Croatia; HT HTI Haiti; HU HUN Hungary;
ID IDN Indonesia; IE IRL Ireland; IL ISR Israel; IM IMN Isle of Man; IN IND India;
IO IOT British Indian Ocean Territory; IQ IRQ Iraq; IR IRN Iran; IS ISL Iceland; IT ITA Italy; JE JEY Jersey;
JM JAM Jamaica; JO JOR Jordan; JP JPN Japan; KE KEN Kenya; KG KGZ Kyrgyzstan; KH KHM Cambodia; KI KIR Kiribati;
KM COM Comoros; KN KNA Saint Kitts and Nevis; KP PRK Korea, North; KR KOR Korea, South; KW KWT Kuwait;
KY CYM Cayman Islands; KZ KAZ Kazakhstan; LA LAO Laos; LB LBN Lebanon; LC LCA Saint Lucia; LI LIE Liechtenstein;
LK LKA Sri Lanka; LR LBR Liberia; LS LSO Lesotho; LT LTU Lithuania; LU LUX Luxembourg; LV LVA Latvia; LY LBY Libya;
MA MAR Morocco; MC MCO Monaco; MD MDA Moldova; ME MNE Montenegro; MF MAF Saint Martin; MG MDG Madagascar;
MH MHL Marshall Islands; MK MKD North Macedonia; ML MLI Mali; MM MMR Burma; MN MNG Mongolia; MO MAC Macau;
MP MNP Northern Mariana Islands; MQ MTQ Martinique; MR MRT Mauritania; MS MSR Montserrat; MT MLT Malta;
MU MUS Mauritius; MV MDV Maldives; MW MWI Malawi; MX MEX Mexico; MY MYS Malaysia; MZ MOZ Mozambique; NA NAM Namibia;
NC NCL New Caledonia; NE NER Niger; NF NFK Norfolk Island; NG NGA Nigeria; NI NIC Nicaragua; NL NLD Netherlands;
NO NOR Norway; NP NPL Nepal; NR NRU Nauru; NU NIU Niue; NZ NZL New Zealand; OM OMN Oman; PA PAN Panama; PE PER Peru;
PF PYF French Polynesia; PG PNG Papua New Guinea; PH PHL Philippines; PK PAK Pakistan; PL POL Poland;
PM SPM Saint Pierre and Miquelon; PN PCN Pitcairn Islands; PR PRI Puerto Rico; PS PSE Palestinian; PT PRT Portugal;
PW PLW Palau; PY PRY Paraguay; QA QAT Qatar; RE REU Reunion; RO ROU Romania; RS SRB Serbia; RU RUS Russia;
RW RWA Rwanda; SA SAU Saudi Arabia; SB SLB Solomon Islands; SC SYC Seychelles; SD SDN Sudan; SE SWE Sweden;
SG SGP Singapore; SH SHN Saint Helena; SI SVN Slovenia; SJ SJM Svalbard and Jan Mayen; SK SVK Slovakia;
SL SLE Sierra Leone; SM SMR San Marino; SN SEN Senegal; SO SOM Somalia; SR SUR Suriname; SS SSD South Sudan;
ST STP Sao Tome and Principe; SV SLV El Salvador; SX SXM Sint Maarten; SY SYR Syria; SZ SWZ Eswatini;
TC TCA Turks and Caicos Islands; TD TCD Chad; TF ATF French Southern Territories; TG TGO Togo; TH THA Thailand;
TJ TJK Tajikistan; TK TKL Tokelau; TL TLS Timor-Leste; TM TKM Turkmenistan; TN TUN Tunisia; TO TON Tonga;
TR TUR Turkey; TT TTO Trinidad and Tobago; TV TUV Tuvalu; TW TWN Taiwan; TZ TZA Tanzania; UA UKR Ukraine;
UG UGA Uganda; UM UMI U.S. Outlying Islands; US USA United States; UY URY Uruguay; UZ UZB Uzbekistan;
VA VAT Vatican City; VC VCT Saint Vincent and the Grenadines; VE VEN Venezuela; VG VGB British Virgin Islands;
VI VIR U.S. Virgin Islands; VN VNM Vietnam; VU VUT Vanuatu; WF WLF Wallis and Futuna; WS WSM Samoa; XK XKS Kosovo;
YE YEM Yemen; YT MYT Mayotte; ZA ZAF South Africa; ZM ZMB Zambia; ZW ZWE Zimbabwe`

const OTHER_NAMES: Readonly<Record<string, string>> = {
  "bahamas, the": "BS",
  "british virgin islands": "VG",
  "cabo verde": "CV",
  "cote d'ivoire": "CI",
  czechia: "CZ",
  "democratic people's republic of korea": "KP",
  "democratic republic of the congo": "CD",
  "great britain": "GB",
  "macedonia, the former yugoslav republic of": "MK",
  "man, isle of": "IM",
  "micronesia, federated states of": "FM",
  myanmar: "MM",
  "north korea": "KP",
  "north macedonia, the republic of": "MK",
  "palestinian authority": "PS",
  "palestinian territories": "PS",
  "region: gaza": "PS",
  "region: west bank": "PS",
  "russian federation": "RU",
  "south korea": "KR",
  "st. kitts & nevis": "KN",
  "st. kitts and nevis": "KN",
  "st. vincent and the grenadines": "VC",
  swaziland: "SZ",
  "the gambia": "GM",
  turkiye: "TR",
  uk: "GB",
  "united states of america": "US",
  "us virgin islands": "VI",
  "viet nam": "VN",
  "virgin islands, british": "VG",
  "virgin islands, u.s.": "VI",
  "west bank": "PS",
}

const byName = new Map(Object.entries(OTHER_NAMES))
const byAlpha3 = new Map<string, string>()
const alpha2 = new Set<string>()

for (const entry of TABLE.split(";")) {
  const [, two = "", three = "", name = ""] = /^\s*([A-Z]{2}) ([A-Z]{3}) (.+)$/.exec(entry) ?? []
  alpha2.add(two)
  byAlpha3.set(three, two)
  byName.set(name.toLowerCase(), two)
}

export function countryOfName(name: string): string | null {
  return byName.get(name.trim().toLowerCase()) ?? null
}

export function countryOfAlpha3(code: string): string | null {
  return byAlpha3.get(code.trim()) ?? null
}

export function isAlpha2(code: string): boolean {
  return alpha2.has(code)
}
