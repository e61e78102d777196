/** A run that `check` repeats: its special settings, and how this process or `scripts/simulate.ts` runs it. */
import type { RunOptions } from "./run.ts"
import { worldsOf } from "./worlds.ts"

/** There are no other faults than these rates. */
export interface KeptRun extends Pick<RunOptions, "nodes" | "rates" | "habits" | "arrivalMeanMs" | "patienceMs"> {
  /** Purchases in one world. */
  readonly world: number
  readonly worlds: number
  /** Omitted: one to three in turn. */
  readonly processes?: 1 | 2 | 3
}

/** The worlds of a run, one by one. */
export function keptWorlds({ world, worlds, processes, ...rest }: KeptRun, seed: string): Generator<RunOptions> {
  const { nodes, rates, habits, arrivalMeanMs, patienceMs } = rest
  return worldsOf(
    { seed, purchases: world * worlds, world, processes },
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
    purchases: run.world * run.worlds,
    world: run.world,
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
