/** A run that `check` repeats: its special settings, and how this process or `scripts/simulate.ts` runs it. */
import type { RunOptions } from "./run.ts"
import { simulationsOf } from "./simulations.ts"

/** There are no other faults than these rates. */
export interface KeptRun
  extends Pick<
    RunOptions,
    "nodes" | "rates" | "habits" | "arrivalMeanMs" | "patienceMs" | "jobHabits" | "jobArrivalMeanMs"
  > {
  /** True: everything is bought by jobs. */
  readonly byJobs?: true
  /** Purchases in one world. */
  readonly size: number
  readonly count: number
  /** Omitted: one to three in turn. */
  readonly processes?: 1 | 2 | 3
}

/** Names one of `mutants.ts`. */
export interface CaughtMutant extends KeptRun {
  readonly mutant: string
}

/** The worlds of a run, one by one. */
export function keptSimulations({ size, count, processes, ...rest }: KeptRun, seed: string): Generator<RunOptions> {
  const { byJobs, nodes, rates, habits, arrivalMeanMs, patienceMs, jobHabits, jobArrivalMeanMs } = rest
  const total = size * count
  return simulationsOf(
    { seed, purchases: byJobs ? 0 : total, jobs: byJobs ? total : 0, size, processes },
    {
      faults: "none",
      ...(nodes && { nodes }),
      ...(rates && { rates }),
      ...(habits && { habits }),
      ...(arrivalMeanMs && { arrivalMeanMs }),
      ...(patienceMs && { patienceMs }),
      ...(jobHabits && { jobHabits }),
      ...(jobArrivalMeanMs && { jobArrivalMeanMs }),
    },
  )
}

/** The arguments of `scripts/simulate.ts` for the same run. */
export function argumentsOf(run: KeptRun, seed: string): string[] {
  const given: readonly (readonly [option: string, value: string | number | undefined])[] = [
    ["seed", seed],
    [run.byJobs ? "jobs" : "purchases", run.size * run.count],
    ["world", run.size],
    ["faults", "none"],
    ["processes", run.processes],
    ["nodes", run.nodes],
    ["rates", run.rates && JSON.stringify(run.rates)],
    ["habits", run.habits && JSON.stringify(run.habits)],
    ["arrival", run.arrivalMeanMs],
    ["patience", run.patienceMs],
    ["job-habits", run.jobHabits && JSON.stringify(run.jobHabits)],
    ["job-arrival", run.jobArrivalMeanMs],
  ]
  return given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
}
