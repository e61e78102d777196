/** One run: buyers and faults, then a calm phase, then the final checks. Everything happens inside this call without real waiting. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { EngineName } from "./database/simulated-database.ts"
import { FAULTS, type FaultLevel, type FaultRates } from "./faults.ts"
import type { WaitInspector } from "./inspectors/wait-inspector.ts"
import type { JobHabits } from "./jobs/job-plan.ts"
import { reckonJobs } from "./jobs/job-reckoning.ts"
import type { Habits } from "./purchase.ts"
import { reckon } from "./reckoning.ts"
import { Simulation } from "./simulation.ts"
import { releaseDisasters } from "./strikes.ts"
import { type Violation, ViolationFound, type ViolationKind } from "./violation.ts"

export interface RunOptions {
  readonly seed: string
  /** Default SQLite. A run on PostgreSQL need not repeat to the last byte. */
  readonly engine?: EngineName
  readonly purchases: number
  /** Bought by jobs. Default 0. */
  readonly jobs?: number
  readonly jobArrivalMeanMs?: number
  readonly jobHabits?: JobHabits
  readonly processes: number
  readonly faults: FaultLevel
  /** Rates that differ from the level's. */
  readonly rates?: Partial<FaultRates>
  /** See {@link World}. */
  readonly arrivalMeanMs?: number
  readonly habits?: Habits
  readonly patienceMs?: number
  readonly nodes?: 1 | 2 | undefined
  readonly hasClockStop?: boolean
  readonly muted?: ReadonlySet<ViolationKind>
  readonly isTold?: boolean
  /** The subject of the story. Omitted: that of the violation. */
  readonly about?: readonly string[]
}

export interface RunResult {
  readonly violation: Violation | null
  /** SHA-256 over all events. */
  readonly digest: string
  readonly steps: number
  /** Virtual ms. */
  readonly time: number
  /** Purchases that began. */
  readonly begun: number
  readonly jobsBegun: number
  readonly overlooked: ReadonlyMap<ViolationKind, number>
  /** How often each fault of processes and database happened, and what a server of databases did about it. */
  readonly counts: ReadonlyMap<string, number>
  /** The number of purchases and jobs by their end, and of jobs by their last state. */
  readonly told: Readonly<Record<string, number>>
  /** The number of responses that refused a payment, by status and reason, and of messages that refused a job, as `job CODE`. */
  readonly refusals: ReadonlyMap<string, number>
  /** How soon outcomes that a safe block showed ended their attempts. */
  readonly waits: Pick<WaitInspector, "outcomes" | "served" | "longestMs" | "longestServedMs">
  /** The story of a violation, if requested. */
  readonly story: readonly string[]
}

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

export function runSimulation(options: RunOptions): RunResult {
  return inSimulation(options, live)
}

/** A run controlled by `script`, instead of the usual one. */
export function inSimulation(options: RunOptions, script: (simulation: Simulation) => void): RunResult {
  const directory = mkdtempSync(join(memory, "bizauth-simulated-"))
  const simulation = new Simulation({
    ...options,
    engine: options.engine ?? "sqlite",
    jobs: options.jobs ?? 0,
    path: join(directory, "world.db"),
    muted: options.muted ?? new Set(),
    rates: options.rates ?? {},
    isTold: options.isTold ?? false,
    nodes: options.nodes ?? null,
    hasClockStop: options.hasClockStop ?? false,
  })
  let violation: Violation | null = null
  let digest = ""
  try {
    script(simulation)
  } catch (error) {
    if (!(error instanceof ViolationFound)) throw error
    violation = error.violation
  } finally {
    digest = simulation.trace.digest()
    simulation.close()
    rmSync(directory, { recursive: true, force: true })
  }
  const told: Record<string, number> = {}
  for (const { told: how } of simulation.network.ended) told[how] = (told[how] ?? 0) + 1
  for (const { told: how } of simulation.jobSide?.ended ?? []) told[`job ${how}`] = (told[`job ${how}`] ?? 0) + 1
  for (const { state } of simulation.jobSide?.books.jobs.values() ?? []) told[state] = (told[state] ?? 0) + 1
  return {
    violation,
    digest,
    steps: simulation.scheduler.steps,
    time: simulation.scheduler.time,
    begun: simulation.network.begun,
    jobsBegun: simulation.jobSide?.begun ?? 0,
    overlooked: simulation.overlooked,
    counts: simulation.counts,
    told,
    refusals: new Map([...simulation.network.refusals, ...(simulation.jobSide?.refusals ?? [])]),
    waits: simulation.waits,
    story: options.isTold ? simulation.trace.story(options.about ?? violation?.about ?? []) : [],
  }
}

const NETWORK_MS_MAX = 3_600_000

function live(simulation: Simulation): void {
  const { options } = simulation
  simulation.chain.start()
  for (const process of simulation.servers.all) simulation.servers.start(process)
  simulation.network.open()
  const { jobSide } = simulation
  jobSide?.open()
  const isFaultless = Bun.deepEquals(simulation.rates, FAULTS.none)
  const stopDisasters = releaseDisasters(simulation)
  // No buyer waits longer than its patience, so this only ends a run in which a call never gets a response.
  const isEmpty = () => simulation.network.isEmpty && (jobSide === null || jobSide.isEmpty)
  const isDone = simulation.runUntil(isEmpty, NETWORK_MS_MAX + options.purchases * 1_000 + options.jobs * 10_000)
  if (!isDone) simulation.violate("does_not_sell", "a call was never answered", [])
  simulation.requireSound()
  stopDisasters()
  if (jobSide) reckonJobs(simulation, jobSide, isFaultless ? 0 : simulation.chain.shownSeconds)
  reckon(simulation)
  simulation.requireSound()
}
