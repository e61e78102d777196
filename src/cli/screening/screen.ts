import type { StoredEntry } from "../../../schemas/entry-details.ts"
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { TIERS } from "../../sources/screening/parameters.ts"
import { type ScreenQuery, type ScreenResult, TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS } from "../inputs.ts"
import { screenFile } from "./file.ts"
import { hitTables, needsBirthDate } from "./report.ts"
import { PARTY_FLAGS, readParty } from "./screened-party.ts"
import { factOf, incompleteLines, openLists, resultOf, type ScreeningLists, screenIn } from "./screening-lists.ts"

export const command: Command = {
  name: "screen",
  summary: "screen one name, or a CSV file of names, against the active snapshots and say why",
  operands: "[NAME]",
  flags: {
    ...CONFIG_FLAGS,
    file: { help: "CSV file of names, header id,name,type,country; one row out for each, on stdout", value: "FILE" },
    ...PARTY_FLAGS,
    tolerance: { help: "LOW (0.75), MEDIUM (0.80) or HIGH (0.85); default MEDIUM", value: "T" },
    threshold: { help: "score from which a name is a hit, 0.65 to 1, instead of a tolerance", value: "T" },
    ...JSON_FLAG,
  },
  examples: ['screen "Vostok Meridian LLC" --type org --data ./data', "screen --file ./names.csv --data ./data"],
  async run(input) {
    const threshold = readThreshold(input)
    const path = input.text("file")
    const [name] = input.operands
    if (path !== undefined) {
      const own = Object.keys(PARTY_FLAGS).find((flag) => input.texts(flag).length > 0)
      if (name !== undefined) throw usage("give one NAME or --file, not both")
      if (own !== undefined) throw usage(`--${own} is for one NAME; in a file each row states its own`)
      const json = input.on("json")
      // Rows of CSV have no place for an entry.
      const lists = await openLists(input, { withEntries: json })
      return screenFile(input, lists, { path, threshold, json }).finally(() => lists.entries?.stop())
    }
    if (name === undefined) throw usage("give the NAME to screen, or --file FILE")
    const query = { ...readParty(name, input), threshold }
    const lists = await openLists(input, { withEntries: true })
    try {
      return screenName(input, lists, query)
    } finally {
      await lists.entries?.stop()
    }
  },
}

function screenName(input: Input, lists: ScreeningLists, query: ScreenQuery): ExitCode {
  const result = screenIn(lists, query)
  if (input.on("json"))
    input.out(
      `${canonicalize({ query: queryOf(query), ...asksFor(result), ...resultOf(lists, result, query.threshold) })}\n`,
    )
  else {
    const score = `best score ${result.bestScore.toFixed(4)}  threshold ${query.threshold}`
    input.out(`${result.state}  ${score}  ${lists.index.size.names} names screened\n`)
    for (const line of incompleteLines(lists)) input.out(`  ${line}\n`)
    for (const problem of result.nameProblems) input.out(`  name  ${problem}\n`)
    input.out(hitTables(result, entriesOf(factOf(lists, result, query.threshold))))
  }
  return unhealthy(lists.sources).length === 0 ? EXIT.DONE : EXIT.NOT_CHECKED
}

/** By source and entry id. */
function entriesOf({ hits, suppressed_hits: suppressed = [] }: ScreeningFact): ReadonlyMap<string, StoredEntry> {
  return new Map(
    [...hits, ...suppressed].flatMap(({ source_id, entry_id, entry }) =>
      entry ? [[`${source_id} ${entry_id}`, entry] as const] : [],
    ),
  )
}

/** Includes the query, so that a stored answer is self-contained; `suppressions add --screened` reads it. */
function queryOf({ name, type, identifiers, countries, birthDates }: ScreenQuery) {
  return { name, type, identifiers, countries, ...(birthDates && { birth_dates: birthDates }) }
}

/** Data that would distinguish the screened person from a listed one; absent if none is needed. */
function asksFor({ hits }: ScreenResult) {
  return hits.some(needsBirthDate) && { asks_for: ["BIRTH_DATE", "IDENTITY_DOCUMENT"] }
}

function readThreshold(input: Input): number {
  const threshold = input.text("threshold")
  const tolerance = input.text("tolerance")
  if (threshold === undefined) {
    const named = tolerance ?? "MEDIUM"
    if (!Object.hasOwn(TOLERANCE_THRESHOLD, named)) throw usage("--tolerance is LOW, MEDIUM or HIGH")
    return TOLERANCE_THRESHOLD[named as keyof typeof TOLERANCE_THRESHOLD]
  }
  if (tolerance !== undefined) throw usage("give --tolerance or --threshold, not both")
  const number = /^[01](\.\d{1,4})?$/.test(threshold) ? Number(threshold) : Number.NaN
  if (number >= TIERS.nearMissMin && number <= 1) return number
  throw usage(`--threshold is a number from ${TIERS.nearMissMin} to 1 with at most four decimals, such as 0.8`)
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
