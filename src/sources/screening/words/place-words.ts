/**
 * Words of places, in folded form. A place in a name says where a firm works and not which firm it is. Sources: the short names of ISO
 * 3166-1, the capitals and the ports and trade centres in the addresses of OFAC's lists, and directions.
 */
const COUNTRIES = `
afghanistan albania algeria andorra angola antigua argentina armenia aruba australia austria azerbaijan bahamas bahrain bangladesh barbados
belarus belgium belize benin bermuda bhutan bolivia bosnia herzegovina botswana brazil brasil brunei bulgaria burkina faso burundi cambodia
cameroon canada cayman chad chile china colombia comoros congo cook costa rica croatia cuba curacao cyprus czech czechia denmark djibouti
dominica dominican ecuador egypt salvador eritrea estonia eswatini ethiopia fiji finland france gabon gambia georgia germany deutschland
ghana gibraltar greece grenada guatemala guernsey guinea guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel
italy italia jamaica japan jersey jordan kazakhstan kenya kiribati korea kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya
liechtenstein lithuania luxembourg macao macau macedonia madagascar malawi malaysia maldives mali malta marshall mauritania mauritius mexico
micronesia moldova monaco mongolia montenegro morocco mozambique myanmar burma namibia nauru nepal netherlands nederland zealand nicaragua
niger nigeria norway oman pakistan palau palestine panama papua paraguay peru philippines poland polska portugal puerto rico qatar romania
russia rossiya rwanda samoa marino saudi arabia senegal serbia seychelles sierra leone singapore slovakia slovenia solomon somalia spain
espana lanka sudan suriname sweden switzerland suisse syria taiwan tajikistan tanzania thailand togo tonga trinidad tobago tunisia turkey
turkiye turkmenistan tuvalu uganda ukraine emirates uae arab kingdom britain great england scotland wales states america usa uk us united
uruguay uzbekistan vanuatu vatican venezuela vietnam viet nam yemen zambia zimbabwe hong kong hk`

const NATIONS = `
afghan african albanian algerian american arabian argentine armenian asian australian austrian azerbaijani belarusian belgian bolivian
bosnian brazilian british bulgarian burmese canadian chilean chinese colombian congolese croatian cuban cypriot czech danish dutch
egyptian emirati english ethiopian european finnish french georgian german greek guatemalan gulf haitian honduran hungarian indian indonesian
iranian iraqi irish israeli italian japanese jordanian kazakh kenyan korean kuwaiti kyrgyz latvian lebanese libyan lithuanian malaysian
maltese mexican moldovan mongolian moroccan myanma nicaraguan nigerian norwegian omani pakistani palestinian panamanian persian peruvian
philippine polish portuguese qatari romanian russian russkaya russky rossiyskaya saudi scottish serbian singaporean slovak slovenian somali
spanish sudanese swedish swiss syrian taiwanese tajik tanzanian thai tunisian turkish turk turkmen ugandan ukrainian uruguayan uzbek
venezuelan vietnamese yemeni zambian zimbabwean`

const CITIES = `
abidjan abu dhabi accra aden ajman aleppo alexandria algiers almaty amman amsterdam ankara antwerp ashgabat asia astana athens auckland
baghdad bahia baku bandar abbas bangkok barcelona basra beijing beirut belgrade berlin bern bogota bombay brasilia bratislava brussels
bucharest budapest buenos aires cairo calcutta cali caracas casablanca chennai chicago chisinau colombo copenhagen culiacan dakar dalian
damascus delhi dhaka doha donetsk dubai dublin dushanbe erbil erevan frankfurt fujairah geneva guadalajara guangdong guangzhou guayaquil
hamburg hanoi harare havana hebei helsinki herat herzliya houston hyderabad isfahan islamabad istanbul izmir jakarta jalalabad jeddah jerusalem
johannesburg kabul kandahar karachi kazan kermanshah khartoum kharkiv kiev kyiv kinshasa kish kolkata kowloon kuala lumpur lagos lahore larnaca
latakia lausanne liaoning lima limassol lisbon ljubljana london los angeles luanda lugansk luhansk luxembourg macau madrid makassar malta managua
manama manila mariupol marseille mashhad mazar medellin melbourne miami milan milano minsk mogadishu monrovia montevideo montreal moscow moskva
moskovsky mosul mumbai munich muscat nairobi nanjing naples new delhi newyork nicosia ningbo novosibirsk odesa odessa osaka oslo panama paris
peshawar petersburg piraeus podgorica port louis prague pristina pyongyang quetta quito rangoon ras khaimah riga riyadh rome rostov rotterdam
sanaa santiago santo domingo sanya sao paulo sarajevo sevastopol crimea krym krymskaya shanghai sharjah shenzhen sidon simferopol singapore skopje sofia
stockholm sydney tabriz taipei tallinn tashkent tbilisi tegucigalpa tehran tehran tel aviv tianjin tijuana tirana tokyo toronto tripoli tunis
ulaanbaatar valletta vienna vientiane vilnius vladivostok volgograd warsaw washington wuhan xiamen yalta yangon yantai yekaterinburg yerevan york zagreb
zhejiang zurich`

const REGIONS = `
north south east west northern southern eastern western northeast northwest southeast southwest central middle mid far near asia africa europe
pacific atlantic mediterranean caspian baltic balkan scandinavia caribbean latin siberia siberian ural urals volga caucasus arctic eurasia
eurasian emea apac overseas worldwide island islands coast province region regional county city district zone zona libre free`

const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

export const PLACE_WORDS: ReadonlySet<string> = new Set([COUNTRIES, NATIONS, CITIES, REGIONS].flatMap(wordsOf))
