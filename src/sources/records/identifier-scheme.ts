/** The labels that US lists print before an identifier, and the scheme of each label. */

import type { PartyIdentifier, PartyType } from "./party.ts"

type Scheme = "registration" | "tax" | "passport" | "national-id" | "other" | "lei" | "by-type"

/**
 * `by-type`: a national id for a person, a company registration for anything else.
 * Only a scheme whose equality proves the same party may differ from `other`: an equal registration or tax number can block a payment. A
 * BIC or an ISIN belongs to a bank or a security, not only to the party.
 */
const SCHEME_OF_LABEL: Readonly<Record<string, Scheme>> = {
  "BIK (RU)": "other",
  "Birth Certificate Number": "other",
  "Bosnian Personal ID No.": "national-id",
  "Branch Unit Number": "registration",
  "British National Overseas Passport": "passport",
  "Business Number": "registration",
  "Business Registration Document #": "registration",
  "Business Registration Number": "registration",
  "C.I.F.": "tax",
  "C.R. No.": "registration",
  "C.U.I.": "registration",
  "C.U.I.P.": "national-id",
  "C.U.I.T.": "tax",
  "C.U.R.P.": "national-id",
  "Cartilla de Servicio Militar Nacional": "national-id",
  "Cedula No.": "by-type",
  "Central Registration System Number": "registration",
  "Certificate of Incorporation Number": "registration",
  "Chamber of Commerce Number": "registration",
  "Chinese Commercial Code": "other",
  "Citizen's Card Number": "national-id",
  "CNP (Personal Numerical Code)": "national-id",
  "Commercial Registry Number": "registration",
  "Company Number": "registration",
  "Credencial electoral": "national-id",
  "D-U-N-S Number": "other",
  "D.N.I.": "national-id",
  "Diplomatic Passport": "passport",
  "Driver's License No.": "national-id",
  "Dubai Chamber of Commerce Membership No.": "registration",
  "Economic Register Number (CBLS)": "registration",
  "Electoral Registry No.": "national-id",
  "Enterprise Number": "registration",
  "Fiscal Code": "tax",
  "Folio Mercantil No.": "registration",
  "Government Gazette Number": "registration",
  "I.F.E.": "national-id",
  "Identification Number": "by-type",
  "Istanbul Chamber of Comm. No.": "registration",
  "Italian Fiscal Code": "tax",
  "Kenyan ID No.": "national-id",
  "LE Number": "national-id",
  "Legal Entity Number": "lei",
  License: "other",
  "Matricula Mercantil No": "registration",
  MMSI: "other",
  "Moroccan Personal ID No.": "national-id",
  "N.I.E.": "national-id",
  "National Foreign ID Number": "national-id",
  "National ID No.": "national-id",
  "NIT #": "tax",
  "Numero de Identidad": "national-id",
  "Numero Unico de Identificacao Tributaria (NUIT)": "tax",
  "Organization Code": "registration",
  Passport: "passport",
  "Permit Number": "other",
  "Personal ID Card": "national-id",
  "Pilot License": "other",
  "Public Registration Number": "registration",
  "R.F.C.": "tax",
  "Refugee ID Card": "national-id",
  "Registered Charity No.": "registration",
  "Registration Certificate Number (Dubai)": "registration",
  "Registration ID": "registration",
  "Registration Number": "registration",
  "Residency Number": "national-id",
  RFC: "tax",
  "RIF #": "tax",
  "Romanian C.R.": "registration",
  "Romanian Permanent Resident": "national-id",
  "Romanian Tax Registration": "tax",
  RSIN: "tax",
  RTN: "tax",
  "RUC #": "tax",
  "Serial No.": "other",
  SSN: "national-id",
  "Stateless Person ID Card": "national-id",
  "Stateless Person Passport": "passport",
  "SWIFT/BIC": "other",
  "Tarjeta de Identidad": "national-id",
  "Tax ID No.": "tax",
  "Tazkira National ID Card": "national-id",
  "Trade License No.": "registration",
  "Travel Document Number": "passport",
  "Turkish Identification Number": "national-id",
  "UAE Identification": "national-id",
  "UK Company Number": "registration",
  "Unified Social Credit Code (USCC)": "registration",
  "United Social Credit Code Certificate (USCCC)": "registration",
  "US FEIN": "tax",
  "V.A.T. Number": "tax",
  VisaNumberID: "other",
}

const WALLET_LABEL = /^Digital Currency Address - ([A-Z0-9]{2,10})$/
const LEI = /^[A-Z0-9]{18}\d{2}$/
const IMO = /^IMO (\d{7})$/
const VESSEL_REGISTRATION = "Vessel Registration Identification"

/** Labels by their first word, the longest first, so that a remark is compared with only a few of them. */
const labelsByFirstWord = new Map<string, string[]>()
for (const label of [...Object.keys(SCHEME_OF_LABEL), VESSEL_REGISTRATION].sort((a, b) => b.length - a.length)) {
  const word = firstWord(label)
  labelsByFirstWord.set(word, [...(labelsByFirstWord.get(word) ?? []), label])
}

/** Splits `Tax ID No. 123 ...` into label and rest; null if the text does not start with a known label. */
export function splitLabel(text: string): { readonly label: string; readonly rest: string } | null {
  const wallet = /^(Digital Currency Address - [A-Z0-9]{2,10}) (.+)$/.exec(text)
  if (wallet?.[1] && wallet[2]) return { label: wallet[1], rest: wallet[2] }
  for (const label of labelsByFirstWord.get(firstWord(text)) ?? []) {
    if (text.startsWith(`${label} `)) return { label, rest: text.slice(label.length + 1) }
  }
  return null
}

/** Returns the identifier, or null for a label that names none (a website, a directive, a gender). `country` is alpha-2. */
export function identifierOf(
  label: string,
  value: string,
  country: string | null,
  type: PartyType,
): PartyIdentifier | null {
  const text = value.trim()
  if (!/[0-9A-Za-z]/.test(text)) return null
  const currency = WALLET_LABEL.exec(label)?.[1]
  if (currency) return { scheme: "wallet", value: text, currency }
  if (label === VESSEL_REGISTRATION) {
    const imo = IMO.exec(text)?.[1]
    return imo ? { scheme: "imo", value: imo } : { scheme: "other", value: text }
  }
  const named = SCHEME_OF_LABEL[label]
  // A label without a digit after it is prose, such as "Passport expired".
  if (named === undefined || !/\d/.test(text)) return null
  const scheme = resolve(named, text, type)
  return country === null ? { scheme, value: text } : { scheme, value: text, country }
}

function resolve(scheme: Scheme, value: string, type: PartyType): string {
  if (scheme === "by-type") return type === "person" ? "national-id" : "registration"
  // OFAC prints LEIs and other entity numbers under the same label.
  if (scheme === "lei") return LEI.test(value) ? "lei" : "registration"
  return scheme
}

function firstWord(text: string): string {
  const space = text.indexOf(" ")
  return space < 0 ? text : text.slice(0, space)
}
