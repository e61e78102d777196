/** A run that `check` repeats: its special settings, and how this process or `scripts/simulate.ts` runs it. */
import type { RunOptions } from "./run.ts"
import { simulationsOf } from "./simulations.ts"

/** There are no other faults than these rates. */
export interface KeptRun extends Pick<RunOptions, "nodes" | "rates" | "habits" | "arrivalMeanMs" | "patienceMs"> {
  /** Purchases in one world. */
  readonly size: number
  readonly count: number
  /** Omitted: one to three in turn. */
  readonly processes?: 1 | 2 | 3
}

/** The worlds of a run, one by one. */
export function keptSimulations({ size, count, processes, ...rest }: KeptRun, seed: string): Generator<RunOptions> {
  const { nodes, rates, habits, arrivalMeanMs, patienceMs } = rest
  return simulationsOf(
    { seed, purchases: size * count, size, processes },
    {
      faults: "none",
      ...(nodes && { nodes }),
      ...(rates && { rates }),
      ...(habits && { habits }),
      ...(arrivalMeanMs && { arrivalMeanMs }),
      ...(patienceMs && { patienceMs }),
    },
  )
}

/** The arguments of `scripts/simulate.ts` for the same run. */
export function argumentsOf(run: KeptRun, seed: string): string[] {
  const given = {
    seed,
    purchases: run.size * run.count,
    size: run.size,
    faults: "none",
    processes: run.processes,
    nodes: run.nodes,
    rates: run.rates && JSON.stringify(run.rates),
    habits: run.habits && JSON.stringify(run.habits),
    arrival: run.arrivalMeanMs,
    patience: run.patienceMs,
  }
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
}
