import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { type NameRow, readNames } from "../../sources/screening/names-file.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { csvLine } from "../csv-line.ts"
import { CONFIG_FLAGS } from "../inputs.ts"
import { digits } from "../progress-text.ts"
import { changesJson, changesText } from "./changes-report.ts"
import { asFileRefusal, openNames } from "./file.ts"
import { reasonOf } from "./hit-text.ts"
import { type ListsBetween, openListsBetween, readSince } from "./lists-between.ts"
import { shownHit, stateOf } from "./screened-rows.ts"
import { incompleteLines } from "./screening-lists.ts"
import { readThreshold, THRESHOLD_FLAGS } from "./threshold.ts"
import { type TouchedCustomer, touchedBy } from "./touched-customers.ts"

export const command: Command = {
  name: "screening changes",
  summary: "what the lists added, changed and removed since a day, and which of your customers that touches",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    since: { help: "a day as YYYY-MM-DD, or a time in RFC 3339", value: "DATE", required: true },
    customers: {
      help: "CSV file of names, header id,name,type,country; one row out for each that an added, changed or removed entry touches",
      value: "FILE",
    },
    ...THRESHOLD_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    "screening changes --since 2026-01-01 --data ./data",
    "screening changes --since 2026-01-01 --customers ./names.csv --data ./data",
  ],
  async run(input) {
    const since = readSince(input.need("since"), realMachine.now())
    const customers = input.text("customers")
    const threshold = readThreshold(input)
    if (customers === undefined) requireNoThreshold(input)
    const between = await openListsBetween(input, since)
    const faults = between.lists.filter(({ fault }) => fault !== null)
    for (const { sourceId, fault } of faults) input.err(`not compared  ${sourceId}: ${fault}\n`)
    if (customers === undefined) {
      input.out(input.on("json") ? `${canonicalize(changesJson(between))}\n` : changesText(between))
      return faults.length === 0 ? EXIT.DONE : EXIT.NOT_CHECKED
    }
    if (faults.length > 0)
      throw new CommandError(
        EXIT.NOT_CHECKED,
        "no customer was screened: what changed is not known completely; give a later --since, or screen all with screen --file",
      )
    return screenCustomers(input, between, { path: customers, threshold })
  },
}

function requireNoThreshold(input: Input): void {
  const given = ["tolerance", "threshold"].find((flag) => input.text(flag) !== undefined)
  if (given !== undefined) throw new CommandError(EXIT.USAGE, `--${given} goes with --customers`)
}

const HEADER = [
  ...["id", "name", "state_before", "state", "best_score", "basis", "source_id", "entry_id", "matched_name"],
  ...["changed_entries", "reason"],
]

interface Customers {
  readonly path: string
  readonly threshold: number
}

async function screenCustomers(input: Input, between: ListsBetween, { path, threshold }: Customers): Promise<ExitCode> {
  for (const line of incompleteLines(between)) input.err(`${line}\n`)
  const incomplete = unhealthy(between.sources).map(({ sourceId, health }) => `${sourceId} is ${health}`)
  const isJson = input.on("json")
  const rowOf = (row: NameRow, found: TouchedCustomer) =>
    isJson ? `${canonicalize(customerJson(row, found))}\n` : csvLine(cellsOf(row, found, incomplete))
  const source = await openNames(path)
  input.progress.step({ what: "building the indexes of names" })
  const touched = touchedBy(between, threshold)
  input.progress.step({ what: "comparing the customers", unit: "names", total: null })
  let [names, count] = [0, 0]
  try {
    if (!isJson) await input.outTaken(csvLine(HEADER))
    for await (const rows of readNames(source.chunks)) {
      const found = rows.flatMap((row) => {
        const one = touched(row)
        return one ? [rowOf(row, one)] : []
      })
      await input.outTaken(found.join(""))
      names += rows.length
      count += found.length
      input.progress.done(names)
    }
  } catch (error) {
    throw asFileRefusal(error, path, names)
  } finally {
    source.close()
    input.progress.end()
  }
  if (input.isWatched) input.err(`${digits(count)} of ${digits(names)} customers are touched\n`)
  return unhealthy(between.sources).length === 0 ? EXIT.DONE : EXIT.NOT_CHECKED
}

function cellsOf({ id, name }: NameRow, { before, after, entries }: TouchedCustomer, incomplete: readonly string[]) {
  const hit = shownHit(after)
  const found = hit ? [hit.basis, hit.sourceId, hit.entryId, hit.matchedName] : ["", "", "", ""]
  const state = stateOf(after)
  const reason = reasonOf(after, hit ?? null, state === "INSUFFICIENT" ? incomplete : [])
  const score = (hit?.score ?? after.bestScore).toFixed(4)
  return [id, name, stateOf(before), state, score, ...found, entries.join("; "), reason]
}

function customerJson({ line, id, name, type, country }: NameRow, { before, after, entries }: TouchedCustomer) {
  return {
    ...{ version: 1, line, id, name, type, country },
    state_before: stateOf(before),
    state: stateOf(after),
    best_score_before: before.bestScore,
    best_score: after.bestScore,
    changed_entries: entries,
    hits: after.hits.map(({ sourceId, entryId, score, basis, tier, matchedName }) => ({
      ...{ source_id: sourceId, entry_id: entryId, matched_name: matchedName, score, basis, tier },
    })),
    scorer_version: after.scorerVersion,
    parameter_digest: after.parameterDigest,
  }
}
