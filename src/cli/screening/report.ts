/** Explains one hit for a person who must distinguish two parties: what agrees, what does not, and the effect of each on the score. */
import type { StoredEntry } from "../../../schemas/entry-details.ts"
import { entryRows } from "../../case/words/entry-rows.ts"
import { TIERS } from "../../sources/screening/parameters.ts"
import type { ScreenExplanation, ScreenHit, ScreenResult, SuppressedHit } from "../../sources/screening/screen.ts"
import { inColumns, tableLines } from "../rows.ts"
import {
  BIRTH_DATE_NEEDED,
  corroborationText,
  leftOverText,
  listedText,
  multipliersText,
  needsBirthDate,
  printable,
} from "./hit-text.ts"

const LEGEND =
  "alike 1.0000 is the same word; weight is how rare it is. Words left over lower the score, multipliers are applied to it.\n" +
  `information is the weight of the words that agree; an organisation's name alone blocks from ${TIERS.blockInformationMin} on, and a score of ${TIERS.blockScoreMin}.\n` +
  `A person's name blocks with the day of birth, or with two of: year of birth, country, information from ${TIERS.personBlockInformationMin} on. An identifier scores 1.\n` +
  "NAME_CONTAINED: the screened name contains the whole listed name; the words around it do not count.\n" +
  "TRADE_WORDS_DIFFER: a trade word is left out or exchanged. LITTLE_EVIDENCE: many firms have the words that agree, so this is no hit.\n"

/** Returns tables of hits, suppressed hits and near misses; empty if there are none. */
export function hitTables(
  { hits, hitCount, suppressedHits, nearMisses }: ScreenResult,
  /** What the publisher prints about the entries of hits, by source and entry id. */
  entries: ReadonlyMap<string, StoredEntry> = new Map(),
): string {
  if (hits.length + suppressedHits.length + nearMisses.length === 0) return ""
  const more = hitCount > hits.length ? [`\n${hitCount - hits.length} more hits are not shown\n`] : []
  const tables = [
    ...hits.map((hit) => table(hit) + printedEntry(hit, entries)),
    ...more,
    ...titled(
      "judged not to be the same party (bizauth suppressions list):",
      suppressedHits.map((hit) => suppressedTable(hit) + printedEntry(hit, entries)),
    ),
    ...titled(
      "below the threshold, or persons where --type is org, no hits:",
      nearMisses.map((hit) => table(hit)),
    ),
  ]
  return [...tables, `\n${LEGEND}`].join("")
}

function titled(title: string, tables: readonly string[]): readonly string[] {
  return tables.length > 0 ? [`\n${title}\n`, ...tables] : []
}

function suppressedTable(hit: SuppressedHit): string {
  const { suppressionId, expiresAt } = hit.suppression
  const left = hit.tier === "BLOCK" ? "; it stays a HOLD, because the list would have blocked" : ""
  return table(hit, [["suppressed", `${suppressionId} until ${expiresAt}${left}`]])
}

function table(hit: ScreenHit, further: readonly (readonly [label: string, text: string])[] = []): string {
  const rows = [
    ["entry", `${hit.partyType}, measure ${hit.measure}, programs ${listedText(hit.programs)}`],
    ...(hit.explanation.identifier
      ? [["identifier", `${hit.explanation.identifier.scheme} ${hit.explanation.identifier.value}`]]
      : []),
    ...wordRows(hit.explanation),
    ["left over", leftOverText(hit.explanation)],
    ["multipliers", multipliersText(hit.explanation)],
    ["information", hit.explanation.informationSum.toFixed(4)],
    ["corroborated", corroborationText(hit)],
    ...(needsBirthDate(hit) ? [["to decide", BIRTH_DATE_NEEDED]] : []),
    ...further,
  ]
  const party = `${hit.sourceId} ${hit.list} ${hit.entryId}  ${hit.matchedName} (${hit.nameKind})`
  const head = `${hit.tier.padEnd(9)}  ${hit.score.toFixed(4)}  ${party}  ${hit.basis}`
  const lines = [head, ...rows.map(([label = "", text = ""]) => `  ${label.padEnd(12)}  ${text}`)]
  return `\n${lines.map(printable).join("\n")}\n`
}

/** Empty if there is none. */
function printedEntry({ sourceId, entryId }: ScreenHit, entries: ReadonlyMap<string, StoredEntry>): string {
  const entry = entries.get(`${sourceId} ${entryId}`)
  if (!entry) return ""
  const lines = inColumns(entryRows(entry).map(({ label, value }) => [label, value]))
  return `\n  as the publisher prints it:\n${lines.map((line) => `    ${printable(line)}\n`).join("")}`
}

/** Returns the compared words in columns; empty for a party that only its identifier matched. */
function wordRows({ pairs }: ScreenExplanation): readonly (readonly [label: string, text: string])[] {
  if (pairs.length === 0) return [["words", "none compared"]]
  const cells = [
    ["asked", "listed", "alike", "weight"],
    ...pairs.map((pair) => [pair.query, pair.listed, pair.similarity.toFixed(4), pair.weight.toFixed(4)]),
  ]
  return tableLines(cells).map((line, at) => [at === 0 ? "words" : "", line])
}
