/** The fewest purchases and jobs after which a run still breaks the same promise. */
import { type RunOptions, type RunResult, runSimulation } from "./run.ts"

export interface Shortest {
  readonly purchases: number
  readonly jobs: number
  readonly result: RunResult
}

/**
 * `found` is the result of `options`. A run of fewer purchases does the same up to the first omitted one, so those that began after the
 * violation are dropped at once; the rest is halved. If later purchases matter, the result is short but perhaps not the shortest. Jobs are
 * cut first, then purchases.
 */
export function shortest(options: RunOptions, found: RunResult): Shortest {
  const kind = found.violation?.kind
  const { purchases, jobs = 0 } = options
  let best: Shortest = { purchases, jobs, result: found }
  const breaks = (cut: { readonly purchases: number; readonly jobs: number }): boolean => {
    const result = runSimulation({ ...options, ...cut, isTold: true })
    if (result.violation?.kind !== kind) return false
    best = { ...cut, result }
    return true
  }
  if (!breaks({ purchases: Math.min(found.begun, purchases), jobs: Math.min(found.jobsBegun, jobs) })) return best
  halve(best.jobs, (fewer) => breaks({ ...cutOf(best), jobs: fewer }))
  halve(best.purchases, (fewer) => breaks({ ...cutOf(best), purchases: fewer }))
  return best
}

const cutOf = ({ purchases, jobs }: Shortest) => ({ purchases, jobs })

/** Searches the lowest number that still breaks; `fits` breaks. A world needs one purchase or job at least. */
function halve(most: number, breaks: (fewer: number) => boolean): void {
  let [fits, tooFew] = [most, 0]
  while (fits - tooFew > 1) {
    const middle = Math.floor((fits + tooFew) / 2)
    if (breaks(middle)) fits = middle
    else tooFew = middle
  }
}
