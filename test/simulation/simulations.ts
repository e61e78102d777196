/** How a run is cut into worlds: each has a seed of its own, so that one world can be repeated alone. */
import type { RunOptions } from "./run.ts"

export interface Cut {
  readonly seed: string
  /** In all worlds together. */
  readonly purchases: number
  /** Purchases in one world. */
  readonly size: number
  /** Omitted: one to three in turn. */
  readonly processes?: number | undefined
}

/** Both sizes are at least 1. */
export function* simulationsOf(
  { seed, purchases, size, processes }: Cut,
  base: Omit<RunOptions, "seed" | "purchases" | "processes">,
): Generator<RunOptions> {
  for (let begun = 0, index = 0; begun < purchases; begun += size, index++) {
    yield {
      ...base,
      seed: `${seed}.${index}`,
      purchases: Math.min(size, purchases - begun),
      processes: processes ?? (index % 3) + 1,
    }
  }
}
