/** GSA's words that the parser relies on. Counted apart from the parsing: a word of this table changes no party. */
import { USABLE, WordCounts, type WordRule } from "../../records/publisher-words.ts"
import { isFurtherAddress, OFAC_AGENCY, type SamRecord, samIdentifier } from "./record.ts"

const IDENTIFIERS = ["uei", "cage", "npi"] as const

const identifierRules: readonly WordRule[] = IDENTIFIERS.map((scheme) => ({
  id: scheme,
  kind: "IDENTIFIER",
  where: `cells of ${scheme.toUpperCase()}`,
  words: [USABLE],
  without: "entries are not found by this identifier",
  gone: "hard",
  unknown: "soft",
}))

export const SAM_WORDS: readonly WordRule[] = [
  {
    ...{ id: "ofac-agency", kind: "AGENCY", where: "Excluding Agency", words: [OFAC_AGENCY] },
    without: "rows that repeat OFAC's list, also parties that OFAC removed, are screened as exclusions of GSA",
    ...{ gone: "hard", unknown: null, atFirst: true },
  },
  {
    ...{ id: "ofac-otherwise", kind: "AGENCY", where: "Excluding Agency of rows like those of OFAC", words: [] },
    without: `only rows of ${OFAC_AGENCY} are left out, and OFAC's own list is screened for them`,
    ...{ gone: "soft", unknown: "hard" },
  },
  {
    ...{ id: "agency", kind: "AGENCY", where: "Excluding Agency", words: [], isOpen: true },
    without: "its rows are screened as exclusions",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "program", kind: "PROGRAM", where: "Exclusion Program", isOpen: true },
    words: ["Reciprocal", "NonProcurement", "Procurement"],
    without: "the programs of an entry read otherwise",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "classification", kind: "VALUE", where: "Classification" },
    words: ["Individual", "Firm", "Special Entity Designation", "Vessel"],
    without: "entries of another word are screened as persons and organisations",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "exclusion-type", kind: "VALUE", where: "Exclusion Type" },
    words: [
      ...["Ineligible (Proceedings Completed)", "Prohibition/Restriction"],
      ...["Ineligible (Proceedings Pending)", "Voluntary Exclusion"],
    ],
    without: "entries of another word are held",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "cross-reference", kind: "DELIMITER", where: "Cross-Reference", words: ["(also …)"] },
    without: "aliases in another form are not screened",
    ...{ gone: "hard", unknown: "soft" },
  },
  {
    ...{ id: "day", kind: "VALUE", where: "Active Date and Termination Date", words: ["MM/DD/YYYY", "Indefinite"] },
    without: "the period of an exclusion is not read",
    ...{ gone: "soft", unknown: "soft" },
  },
  ...identifierRules,
]

/** OFAC's own words, in whatever spelling GSA writes the agency. */
const OFAC_WORDS = /\bOFAC\b|foreign\s+assets|assets\s+control/i
/** The cause codes of OFAC's programs, such as `03-SDGT-01`. */
const OFAC_CODES = /^\d{2}-(?:SDN|SDGT|SDT|SDNT|SDNTK|FTO)-\d{2}$/

export const samWordCounts = (): WordCounts => new WordCounts(SAM_WORDS)

export function countSamWords(counts: WordCounts, record: SamRecord): void {
  const agency = record("agency")
  if (agency === OFAC_AGENCY) counts.add("ofac-agency", agency)
  else if (OFAC_WORDS.test(agency) || OFAC_CODES.test(record("ctCode")))
    counts.add("ofac-otherwise", agency || "(none)")
  counts.add("agency", agency)
  if (isFurtherAddress(record)) return
  counts.add("program", record("program"))
  counts.add("classification", record("classification"))
  counts.add("exclusion-type", record("exclusionType"))
  const others = record("crossReference")
  if (others !== "") counts.add("cross-reference", /^\(also .+\)$/.test(others) ? "(also …)" : "another form")
  counts.add("day", formOfDay(record("activeDate")))
  counts.add("day", formOfDay(record("terminationDate")))
  for (const scheme of IDENTIFIERS) counts.addIdentifier(scheme, record(scheme), samIdentifier(record, scheme) !== null)
}

function formOfDay(text: string): string {
  if (text === "" || text === "Indefinite") return text
  return /^\d{2}\/\d{2}\/\d{4}$/.test(text) ? "MM/DD/YYYY" : text.replace(/\d/g, "9")
}
