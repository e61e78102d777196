/** How a run is cut into worlds: each has a seed of its own, so that one world can be repeated alone. */
import type { RunOptions } from "./run.ts"

export interface Cut {
  readonly seed: string
  /** In all worlds together. */
  readonly purchases: number
  /** Bought by jobs, in all worlds together. Default 0. */
  readonly jobs?: number
  /** Purchases, and jobs, in one world. */
  readonly size: number
  /** Omitted: one to three in turn. */
  readonly processes?: number | undefined
}

/** Both sizes are at least 1. */
export function* simulationsOf(
  { seed, purchases, jobs = 0, size, processes }: Cut,
  base: Omit<RunOptions, "seed" | "purchases" | "jobs" | "processes">,
): Generator<RunOptions> {
  for (let begun = 0, index = 0; begun < Math.max(purchases, jobs); begun += size, index++) {
    yield {
      ...base,
      seed: `${seed}.${index}`,
      purchases: Math.max(0, Math.min(size, purchases - begun)),
      ...(jobs > 0 && { jobs: Math.max(0, Math.min(size, jobs - begun)) }),
      processes: processes ?? (index % 3) + 1,
    }
  }
}
