/** Names that many firms and persons have, or that everybody knows: none of them is a listed party, so each alert costs a person's time. */
import { commonNames } from "./common-names.ts"
import { sequence } from "./name-variants.ts"

/** Firms that a household knows. */
const HOUSEHOLD =
  "Apple,Microsoft,Google,Amazon,Walmart,Target,Costco,Tesco,Sainsbury's,Marks & Spencer,John Lewis,IKEA,Aldi,Lidl,Carrefour,Nestlé,Unilever," +
  "Procter & Gamble,Coca-Cola,PepsiCo,Starbucks,McDonald's,Burger King,Subway,Pizza Hut,Domino's Pizza,KFC,Kellogg's,Heinz,Mars,Cadbury,Danone," +
  "Toyota,Honda,Ford,General Motors,Volkswagen,BMW,Mercedes-Benz,Audi,Renault,Peugeot,Fiat,Nissan,Hyundai,Kia,Tesla,Volvo,Jaguar Land Rover," +
  "Boeing,Airbus,Rolls-Royce,Siemens,Bosch,Philips,Panasonic,Sony,Samsung,LG Electronics,Nokia,Ericsson,Cisco,Intel,IBM,Oracle,SAP,Dell,HP," +
  "Lenovo,Adobe,Netflix,Spotify,Disney,Warner Bros,Universal Studios,BBC,CNN,Reuters,Bloomberg,Visa,Mastercard,American Express,PayPal,Stripe," +
  "JPMorgan Chase,Goldman Sachs,Morgan Stanley,Citibank,HSBC,Barclays,Lloyds Bank,NatWest,Santander,BNP Paribas,Deutsche Bank,UBS,Credit Suisse," +
  "ING,AXA,Allianz,Zurich Insurance,Prudential,Aviva,MetLife,Pfizer,Merck,Novartis,Roche,Sanofi,GlaxoSmithKline,AstraZeneca,Bayer,Johnson & Johnson," +
  "Abbott,Medtronic,UPS,FedEx,DHL,Royal Mail,Deutsche Post,Maersk,British Airways,Lufthansa,Air France,Delta Air Lines,United Airlines,Ryanair," +
  "easyJet,Emirates,Qatar Airways,Singapore Airlines,Hilton,Marriott,Hyatt,Uber,Airbnb,Booking.com,Expedia,Shell,BP,ExxonMobil,Chevron," +
  "TotalEnergies,Eni,Equinor,Vodafone,BT Group,Orange,Telefónica,AT&T,Verizon,T-Mobile,Nike,Adidas,Puma,Zara,H&M,Uniqlo,Gap,Levi Strauss," +
  "L'Oréal,Gillette,Colgate-Palmolive,3M,DuPont,BASF"

const FIRST =
  "Golden Global United National Pacific Atlantic Eastern Western Northern Southern Royal Premier Star Sun Blue Green Silver Delta Alpha Omega Phoenix Eagle Falcon Lion Crown Diamond Orient Continental Universal Modern First Summit Horizon Liberty Victory Heritage Pioneer Central Metro City"
const SECOND =
  "Trading Shipping Construction Engineering Logistics Investments Technology Services Consulting Energy Foods Textiles Electronics Medical Transport Properties Industries Enterprises Solutions Supplies"
const FORMS = "Ltd,LLC,Inc.,Limited,Co. Ltd,GmbH,S.A.,Group,Holdings,"

export function householdNames(): string[] {
  return HOUSEHOLD.split(",").map((name) => name.trim())
}

/** As many generic names as household names complete to 300. */
export function genericNames(): string[] {
  const next = sequence(300)
  const pick = (words: string, separator = " ") => {
    const all = words.split(separator)
    return all[Math.floor(next() * all.length)]!
  }
  const names = new Set<string>()
  while (names.size < 300 - householdNames().length) {
    const two = next() < 0.3 ? `${pick(SECOND)} & ${pick(SECOND)}` : pick(SECOND)
    names.add(`${pick(FIRST)} ${two} ${pick(FORMS, ",")}`.trim())
  }
  return [...names]
}

/** Fifty names of each of six origins, from the list of common names: English, Spanish, Russian, Arabic, Indian and Chinese. */
export function namesOfSixOrigins(): string[] {
  const all = commonNames()
  const regions = [0, 1, 5, 7, 10, 11]
  return regions.flatMap((region) => Array.from({ length: 50 }, (_, at) => all[region * 200 + at * 4 + (at % 4)]!))
}
