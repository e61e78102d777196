/** Commerce's words that the parser relies on. Counted apart from the parsing: a word of this table changes no party. */
import { USABLE, WordCounts, type WordRule } from "../../records/publisher-words.ts"
import { OF_TREASURY, SDN } from "./lists.ts"
import type { CslRecord } from "./record.ts"

export const CSL_WORDS: readonly WordRule[] = [
  {
    ...{ id: "treasury", kind: "AGENCY", where: "source", words: ["Treasury Department"] },
    without: "rows that repeat OFAC's lists are read as rows of an unknown list",
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "sdn", kind: "PROGRAM", where: "source", words: [SDN] },
    without: "the entries that repeat the SDN list are compared with the consolidated list",
    ...{ gone: "soft", unknown: null },
  },
  {
    ...{ id: "list", kind: "PROGRAM", where: "source", words: [], isOpen: true },
    without: "rows of an unknown list are not screened",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "type", kind: "VALUE", where: "type", words: ["individual", "entity", "vessel", "aircraft"] },
    without: "entries of another word are screened as persons and organisations",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "aliases", kind: "DELIMITER", where: "alt_names", words: ["; "] },
    without: "several aliases are one name",
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "addresses", kind: "DELIMITER", where: "addresses", words: ["; "] },
    without: "only the country of the last address is read",
    ...{ gone: "soft", unknown: null },
  },
  {
    ...{ id: "documents", kind: "IDENTIFIER", where: "ids", words: [USABLE] },
    without: "entries are not found by their documents",
    ...{ gone: "hard", unknown: "soft" },
  },
]

export const cslWordCounts = (): WordCounts => new WordCounts(CSL_WORDS)

export function countCslWords(counts: WordCounts, record: CslRecord): void {
  const source = record("source")
  if (OF_TREASURY.test(source)) counts.add("treasury", "Treasury Department")
  if (source.startsWith(SDN)) counts.add("sdn", SDN)
  counts.add("list", source)
  counts.add("type", record("type").toLowerCase())
  for (const [rule, column] of [
    ["aliases", "altNames"],
    ["addresses", "addresses"],
  ] as const)
    if (record(column).includes("; ")) counts.add(rule, "; ")
}
