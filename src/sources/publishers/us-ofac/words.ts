/**
 * OFAC's words that the parser relies on, for each form of a publication. Counted apart from the parsing: a word of this table changes no
 * party.
 */
import { USABLE, WordCounts, type WordRule } from "../../records/publisher-words.ts"
import type { OfacList } from "./lists.ts"

type Form = "csv" | "xml"

const TYPES = ["individual", "vessel", "aircraft", "entity"]
const NO_BIRTH_DATES = "dates of birth are not read"
const NO_WALLETS = "wallets are not screened"
const NOT_FOUND = "entries are not found by their documents"

/** `wallets`: the list has them. */
const csvRules = (wallets: boolean): readonly WordRule[] => [
  {
    ...{ id: "csv-null", kind: "MARK", where: "empty cells", words: ["-0-"] },
    without: "the text in place of an empty cell is read as a name, a program or an address",
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "csv-type", kind: "VALUE", where: "SDN_Type", words: TYPES },
    without: "entries of another word are screened as persons and organisations",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "csv-alias", kind: "VALUE", where: "alt_type", words: ["aka", "fka", "nka"] },
    without: "an alias of another word counts as a.k.a.",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "csv-programs", kind: "DELIMITER", where: "Program", words: ["] ["] },
    without: "several programs are read as one",
    ...{ gone: "soft", unknown: null },
  },
  {
    ...{ id: "csv-remarks", kind: "DELIMITER", where: "Remarks", words: ["; "] },
    without: "weak aliases, dates of birth, documents and wallets are not read",
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "csv-birth", kind: "LABEL", where: "Remarks", words: ["DOB "] },
    without: NO_BIRTH_DATES,
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "csv-weak", kind: "LABEL", where: "Remarks", words: ["a.k.a. '…'"] },
    without: "weak aliases are not screened",
    ...{ gone: "hard", unknown: null },
  },
  ...(wallets ? [walletRule("csv", "Remarks")] : []),
  documentRule("csv", "documents in Remarks"),
]

const xmlRules = (wallets: boolean): readonly WordRule[] => [
  {
    ...{ id: "xml-type", kind: "VALUE", where: "sdnType", words: TYPES },
    without: "entries of another word are unreadable",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "xml-strength", kind: "VALUE", where: "category of an alias", words: ["strong", "weak"] },
    without: "weak aliases count as strong ones",
    ...{ gone: "hard", unknown: "soft" },
  },
  {
    ...{ id: "xml-alias", kind: "VALUE", where: "type of an alias", words: ["a.k.a.", "f.k.a.", "n.k.a."] },
    without: "an alias of another word counts as a.k.a.",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "xml-birth", kind: "LABEL", where: "elements", words: ["dateOfBirth"] },
    without: NO_BIRTH_DATES,
    ...{ gone: "hard", unknown: null },
  },
  ...(wallets ? [walletRule("xml", "idType")] : []),
  documentRule("xml", "documents of idList"),
]

const programRule = (form: Form): WordRule => ({
  ...{ id: `${form}-program`, kind: "PROGRAM", where: "programs", words: [], isOpen: true },
  without: "its entries are screened, and the consolidated list names them NON-SDN",
  ...{ gone: "soft", unknown: "soft" },
})

function walletRule(form: Form, where: string): WordRule {
  return {
    ...{ id: `${form}-wallet`, kind: "LABEL", where, words: ["Digital Currency Address - "] },
    without: NO_WALLETS,
    ...{ gone: "hard", unknown: null },
  }
}

function documentRule(form: Form, where: string): WordRule {
  return {
    ...{ id: `${form}-documents`, kind: "IDENTIFIER", where, words: [USABLE] },
    without: NOT_FOUND,
    ...{ gone: "hard", unknown: "soft" },
  }
}

function rulesOf({ id }: OfacList, form: Form): readonly WordRule[] {
  const hasWallets = id === "US_OFAC_SDN"
  return [...(form === "csv" ? csvRules(hasWallets) : xmlRules(hasWallets)), programRule(form)]
}

export const ofacWords = (list: OfacList): readonly WordRule[] => [...rulesOf(list, "csv"), ...rulesOf(list, "xml")]

export const ofacWordCounts = (list: OfacList, form: Form): WordCounts => new WordCounts(rulesOf(list, form))

const WALLET = /Digital Currency Address - (?=[A-Z0-9])/
/** A label of a document, whatever the table of labels knows. */
const DOCUMENT = /\b(?:No\.|Number|Passport|ID|Registration|Code|Address - )/

/** `cells`: one row of any of the four files, as printed. */
export function countCell(counts: WordCounts, cell: string): void {
  if (cell.trim() === "-0-") counts.add("csv-null", "-0-")
}

export function countRemarks(counts: WordCounts, remarks: string): void {
  if (remarks.includes("; ")) counts.add("csv-remarks", "; ")
}

/** One item of the remarks; `isUsable` is null if it is no document that the parser knows. */
export function countRemark(counts: WordCounts, item: string, isUsable: boolean | null): void {
  if (item.startsWith("DOB ")) counts.add("csv-birth", "DOB ")
  if (/^[afn]\.k\.a\. '.+'$/.test(item)) counts.add("csv-weak", "a.k.a. '…'")
  if (WALLET.test(item)) counts.add("csv-wallet", "Digital Currency Address - ")
  if (isUsable !== null) counts.addIdentifier("csv-documents", item, isUsable)
  else if (DOCUMENT.test(item) && !/^(?:DOB|POB|Additional Sanctions|Secondary sanctions)/.test(item))
    counts.addIdentifier("csv-documents", item, false)
}

/** One document of the XML: its label and number. */
export function countDocument(counts: WordCounts, label: string, number: string, isUsable: boolean): void {
  if (WALLET.test(label)) counts.add("xml-wallet", "Digital Currency Address - ")
  counts.addIdentifier("xml-documents", number, isUsable)
}
