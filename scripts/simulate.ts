/**
 * Searches the money path for violated guarantees, by simulation:
 *
 *     bun scripts/simulate.ts [--seed N] [--purchases N] [--jobs N] [--processes 1..3] [--faults none|light|heavy|clocks] [--replay SEED] [--mutant NAME]
 *
 * The seed determines everything; the same seed repeats the same run. `--engine postgres` runs the store on a real PostgreSQL instead of a file: the
 * seed still decides every fault, but the server orders some answers itself, so the same seed may need several runs to fail again. A run is divided into worlds of at most `--world` purchases (500).
 * Each world has its own seed, which is printed and which `--replay` accepts. Without `--processes` the worlds have one to three processes
 * in turn.
 * `--jobs`: what buyers buy by jobs of the escrow contract; without `--purchases` there is nothing else then.
 * Also: `--nodes 1|2`, `--rates JSON` (rates that differ from the level's), `--arrival MS` (average time between two purchases), `--habits
 * JSON` (shares of the buyers' habits), `--job-arrival MS`, `--job-habits JSON`, `--patience MS` (how long a buyer retries), `--mute KIND,…` (violations to ignore), `--keep`
 * (continues after a violation), `--brief` (no shortest prefix and no story), `--about NAME,…` (subjects of the story of a replay, `*` for
 * all).
 * `--clock-stop`: sales stop while the machine's clock and the chain's differ, as in live. Otherwise they go on.
 * At the end it prints every refusal of a payment or a job by its reason, and how soon attempts ended after a safe block showed their outcome.
 * Exits with 1 if a guarantee was violated or a replay differed, and with 2 for wrong options.
 */
import { parseArgs } from "node:util"
import type { EngineName } from "../test/simulation/database/simulated-database.ts"
import type { FaultLevel } from "../test/simulation/faults.ts"
import { mutate } from "../test/simulation/mutate.ts"
import type { RunOptions, RunResult } from "../test/simulation/run.ts"
import { VIOLATION_KINDS, type ViolationKind } from "../test/simulation/violation.ts"

const STORY_LINES = 300

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    purchases: { type: "string" },
    jobs: { type: "string", default: "0" },
    processes: { type: "string" },
    engine: { type: "string" },
    faults: { type: "string", default: "heavy" },
    replay: { type: "string" },
    mutant: { type: "string" },
    world: { type: "string", default: "500" },
    nodes: { type: "string" },
    arrival: { type: "string" },
    habits: { type: "string" },
    patience: { type: "string" },
    "job-arrival": { type: "string" },
    "job-habits": { type: "string" },
    rates: { type: "string", default: "{}" },
    mute: { type: "string", default: "" },
    about: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    "clock-stop": { type: "boolean", default: false },
  },
})
if (values.mutant !== undefined) mutate(values.mutant)
// Imported after the mutation, because these imports load the simulated code.
const { FAULTS } = await import("../test/simulation/faults.ts")
const { runSimulation } = await import("../test/simulation/run.ts")
const { shortest } = await import("../test/simulation/shortest.ts")
const { warmUp } = await import("../test/simulation/warm-up.ts")
const { simulationsOf } = await import("../test/simulation/simulations.ts")

function fail(why: string): never {
  console.error(why)
  process.exit(2)
}

function engineOf(name: string): EngineName {
  return name === "sqlite" || name === "postgres" ? name : fail("--engine is one of sqlite, postgres")
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= most
    ? value
    : fail(`--${name} is a number from 1 to ${most}`)
}

const jobs = values.jobs === "0" ? 0 : whole("jobs", values.jobs, 10_000_000)
const isNamed = values.purchases !== undefined && values.purchases !== "0"
const total = isNamed ? whole("purchases", values.purchases ?? "", 10_000_000) : jobs > 0 ? 0 : 1_000
const purchasesEach = whole("world", values.world, 10_000)
const processes = values.processes === undefined ? null : whole("processes", values.processes, 3)
const nodes = values.nodes === undefined ? null : (whole("nodes", values.nodes, 2) as 1 | 2)
if (!Object.hasOwn(FAULTS, values.faults)) fail(`--faults is one of ${Object.keys(FAULTS).join(", ")}`)
const faults = values.faults as FaultLevel
const muted = new Set(values.mute.split(",").filter((kind) => kind !== "")) as ReadonlySet<ViolationKind>
for (const kind of muted) if (!VIOLATION_KINDS.includes(kind)) fail(`--mute takes ${VIOLATION_KINDS.join(", ")}`)
const engine: EngineName = engineOf(values.engine ?? "sqlite")
const base = {
  engine,
  hasClockStop: values["clock-stop"],
  faults,
  rates: JSON.parse(values.rates),
  muted,
  ...(nodes !== null && { nodes }),
  ...(values.arrival !== undefined && { arrivalMeanMs: whole("arrival", values.arrival, 60_000) }),
  ...(values.patience !== undefined && { patienceMs: whole("patience", values.patience, 3_600_000) }),
  ...(values.habits !== undefined && { habits: JSON.parse(values.habits) }),
  ...(values["job-arrival"] !== undefined && {
    jobArrivalMeanMs: whole("job-arrival", values["job-arrival"], 600_000),
  }),
  ...(values["job-habits"] !== undefined && { jobHabits: JSON.parse(values["job-habits"]) }),
}
/** The options that all worlds share, in shell syntax. */
const given = (
  ["engine", "nodes", "rates", "arrival", "habits", "patience", "job-arrival", "job-habits", "mutant"] as const
)
  .filter((name) => values[name] !== undefined && values[name] !== "{}")
  .map((name) => ` --${name} ${/^[\w.-]+$/.test(values[name] ?? "") ? values[name] : `'${values[name]}'`}`)
  .join("")

function show(options: RunOptions, result: RunResult, ms: number): void {
  const told = Object.entries(result.told).map(([how, count]) => `${count} ${how}`)
  const overlooked = [...result.overlooked].map(([kind, count]) => `${count} ${kind} overlooked`)
  const parts = [
    `seed ${options.seed}: ${options.purchases} purchases, ${options.jobs ?? 0} jobs, ${options.processes} processes`,
    ...told,
    `${result.steps} steps`,
    `${Math.round(result.time / 1000)} virtual s`,
    `${Math.round(ms)} ms`,
    `digest ${result.digest.slice(0, 16)}`,
    ...overlooked,
  ]
  console.log(parts.join(", "))
  const { violation } = result
  if (violation) console.log(`VIOLATION ${violation.kind} at ${Math.round(violation.at)} ms: ${violation.text}`)
}

const refusals = new Map<string, number>()
const counts = new Map<string, number>()
const waits = { outcomes: 0, served: 0, longestMs: 0, longestServedMs: 0 }

function timed(options: RunOptions): RunResult {
  const started = performance.now()
  const result = runSimulation(options)
  show(options, result, performance.now() - started)
  for (const [reason, count] of result.refusals) refusals.set(reason, (refusals.get(reason) ?? 0) + count)
  for (const [what, count] of result.counts) counts.set(what, (counts.get(what) ?? 0) + count)
  waits.outcomes += result.waits.outcomes
  waits.served += result.waits.served
  waits.longestMs = Math.max(waits.longestMs, result.waits.longestMs)
  waits.longestServedMs = Math.max(waits.longestServedMs, result.waits.longestServedMs)
  return result
}

function showSums(): void {
  const most = [...refusals].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
  console.log(
    `refusals of payments and jobs: ${most.map(([reason, count]) => `${count} ${reason}`).join(", ") || "none"}`,
  )
  if (counts.size > 0)
    console.log(`faults and their effects: ${[...counts].map(([what, count]) => `${count} ${what}`).join(", ")}`)
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `outcomes that a safe block showed: ${waits.outcomes}, ended at most ${seconds(waits.longestMs)} s later with faults; ` +
      `${waits.served} of them while a process could work, at most ${seconds(waits.longestServedMs)} s after that block and the last fault`,
  )
}

function replay(seed: string): number {
  const about = values.about.split(",").filter((name) => name !== "")
  const options = { ...base, seed, purchases: total, jobs, processes: processes ?? 1 }
  const withStory = { ...options, isTold: true, ...(about.length > 0 && { about }) }
  // A second run over a server may differ from the first, so the story is that of the first.
  const first = timed(engine === "postgres" ? withStory : options)
  showSums()
  const again = engine === "postgres" ? first : timed(withStory)
  console.log(again.story.join("\n"))
  if (again.digest === first.digest) return first.violation ? 1 : 0
  console.log("VIOLATION leak: the replay differs from the run, so something in the code is not seeded")
  return 1
}

function explain(options: RunOptions, result: RunResult): void {
  // Over a server a shorter run may take another course, so nothing is shortened.
  const isFixed = engine === "postgres"
  const { purchases, jobs: fewest, result: short } = isFixed ? { ...options, result } : shortest(options, result)
  const how = `--replay ${options.seed} --purchases ${purchases} --jobs ${fewest} --processes ${options.processes} --faults ${faults}`
  console.log(`${isFixed ? "replay" : "shortest"}: bun scripts/simulate.ts ${how}${given}`)
  console.log(short.story.slice(-STORY_LINES).join("\n"))
}

function search(): number {
  const started = performance.now()
  const cut = { seed: values.seed, purchases: total, jobs, size: purchasesEach, processes: processes ?? undefined }
  let broken = 0
  for (const options of simulationsOf(cut, base)) {
    const result = timed({ ...options, isTold: engine === "postgres" && !values.brief })
    if (!result.violation) continue
    broken++
    if (!values.brief) explain(options, result)
    if (!values.keep) break
  }
  showSums()
  console.log(
    `${total} purchases and ${jobs} jobs in ${Math.round((performance.now() - started) / 1000)} s, ${broken} worlds with a violation`,
  )
  return broken === 0 ? 0 : 1
}

await warmUp()
// Elysia leaves a timer running.
process.exit(values.replay === undefined ? search() : replay(values.replay))
