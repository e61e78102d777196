/** The fewest purchases after which a run still breaks the same promise. */
import { type RunOptions, type RunResult, runSimulation } from "./run.ts"

export interface Shortest {
  readonly purchases: number
  readonly result: RunResult
}

/**
 * `found` is the result of `options`. A run of fewer purchases does the same up to the first omitted one, so those that began after the
 * violation are dropped at once; the rest is halved. If later purchases matter, the result is short but perhaps not the shortest.
 */
export function shortest(options: RunOptions, found: RunResult): Shortest {
  const kind = found.violation?.kind
  let best: Shortest = { purchases: options.purchases, result: found }
  const breaks = (purchases: number): boolean => {
    const result = runSimulation({ ...options, purchases, isTold: true })
    if (result.violation?.kind !== kind) return false
    best = { purchases, result }
    return true
  }
  let fits = Math.max(1, Math.min(found.begun, options.purchases))
  if (!breaks(fits)) return best
  let tooFew = 0
  while (fits - tooFew > 1) {
    const middle = Math.floor((fits + tooFew) / 2)
    if (breaks(middle)) fits = middle
    else tooFew = middle
  }
  return best
}
