/** The Foreign Office's words that the parser relies on. Counted apart from the parsing: a word of this table changes no party. */
import { USABLE, WordCounts, type WordRule } from "../../records/publisher-words.ts"
import type { UkRecord } from "./columns.ts"
import { isAssetFreeze } from "./entry.ts"

function identifierRule(id: string, where: string): WordRule {
  return {
    ...{ id, kind: "IDENTIFIER", where, words: [USABLE] },
    without: "entries are not found by this number",
    ...{ gone: "hard", unknown: "soft" },
  }
}

export const UK_WORDS: readonly WordRule[] = [
  {
    ...{ id: "asset-freeze", kind: "PROGRAM", where: "Sanctions Imposed", words: ["Asset freeze"] },
    without: "no entry can block, and all are held",
    ...{ gone: "hard", unknown: null },
  },
  {
    ...{ id: "measure", kind: "PROGRAM", where: "Sanctions Imposed", words: [], isOpen: true },
    without: "an entry with this measure alone is held",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "measures", kind: "DELIMITER", where: "Sanctions Imposed", words: ["|"] },
    without: "several measures are one text, in which an asset freeze is still found",
    ...{ gone: "soft", unknown: null },
  },
  {
    ...{ id: "type", kind: "VALUE", where: "Designation Type", words: ["individual", "entity", "ship"] },
    without: "entries of another word are screened as persons and organisations",
    ...{ gone: "hard", unknown: "soft" },
  },
  {
    ...{ id: "name-type", kind: "VALUE", where: "Name type" },
    words: ["primary name", "primary name variation", "alias"],
    without: "a name of another word counts as an alias",
    ...{ gone: "soft", unknown: "soft" },
  },
  {
    ...{ id: "strength", kind: "VALUE", where: "Alias strength", words: ["low", "good"] },
    without: "weak aliases count as strong ones",
    ...{ gone: "soft", unknown: "soft" },
  },
  identifierRule("registration", "Business registration number (s)"),
  identifierRule("imo", "IMO number"),
  identifierRule("passport", "Passport number"),
  identifierRule("national-id", "National Identifier number"),
]

export const ukWordCounts = (): WordCounts => new WordCounts(UK_WORDS)

export function countUkWords(counts: WordCounts, record: UkRecord): void {
  const sanctions = record("sanctions")
  if (isAssetFreeze(sanctions)) counts.add("asset-freeze", "Asset freeze")
  if (sanctions.includes("|")) counts.add("measures", "|")
  for (const measure of sanctions.split("|")) counts.add("measure", measure.trim())
  counts.add("type", record("designationType").toLowerCase())
  counts.add("name-type", record("nameType").toLowerCase())
  counts.add("strength", record("aliasStrength").toLowerCase().split(" ")[0] ?? "")
}
