import type { StoredEntry } from "../../../schemas/entry-details.ts"
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import type { ScreenQuery, ScreenResult } from "../../sources/screening/screen.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS } from "../inputs.ts"
import { type FileScreening, screenFile } from "./file.ts"
import { needsBirthDate } from "./hit-text.ts"
import { hitTables } from "./report.ts"
import { THREADS_MAX } from "./row-screener.ts"
import { PARTY_FLAGS, readParty } from "./screened-party.ts"
import {
  factOf,
  incompleteLines,
  loadLists,
  openLists,
  resultOf,
  type ScreeningLists,
  screenIn,
} from "./screening-lists.ts"
import { readThreshold, THRESHOLD_FLAGS } from "./threshold.ts"

export const command: Command = {
  name: "screen",
  summary: "screen one name, or a CSV file of names, against the active snapshots and say why",
  operands: "[NAME]",
  flags: {
    ...CONFIG_FLAGS,
    file: {
      help: "CSV file of names, header id,name,type,country; one row out for each, in the same order",
      value: "FILE",
    },
    out: { help: "with --file: new file for the rows (default standard output)", value: "FILE" },
    resume: { help: "with --out: continue a run that was interrupted; the output has the same bytes" },
    report: {
      help: "with --file: new file for the report with digests, lists and scorer (default with --out: FILE.report.json)",
      value: "FILE",
    },
    threads: { help: `with --file: 1 to ${THREADS_MAX}; default one for each processor`, value: "N" },
    ...PARTY_FLAGS,
    ...THRESHOLD_FLAGS,
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
      const options = fileOptions(input)
      return screenFile(input, await loadLists(input), { path, threshold, json: input.on("json"), ...options })
    }
    const ofFile = FILE_FLAGS.find((flag) => input.values[flag] !== undefined || input.on(flag))
    if (ofFile !== undefined) throw usage(`--${ofFile} goes with --file`)
    if (name === undefined) throw usage("give the NAME to screen, or --file FILE")
    const party = readParty(name, input)
    const query = { ...party, threshold, ...(party.type === "org" && { personsAreNearMisses: true as const }) }
    const lists = await openLists(input, { withEntries: true })
    try {
      return screenName(input, lists, query)
    } finally {
      await lists.entries?.stop()
    }
  },
}

const FILE_FLAGS = ["out", "resume", "report", "threads"] as const

function fileOptions(input: Input): Pick<FileScreening, "out" | "report" | "resume" | "threads"> {
  const [out, report, threads] = [input.text("out"), input.text("report"), input.text("threads")]
  const resume = input.on("resume")
  if (resume && out === undefined)
    throw usage("--resume goes with --out: what goes to standard output cannot be continued")
  if (threads !== undefined && !(/^[1-9]\d?$/.test(threads) && Number(threads) <= THREADS_MAX))
    throw usage(`--threads is a number from 1 to ${THREADS_MAX}`)
  return { out, report, resume, threads: threads === undefined ? undefined : Number(threads) }
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

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
