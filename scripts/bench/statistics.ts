/** Returns the value below which `share` (0 to 1) of the values lie. Throws if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  if (value === undefined) throw new RangeError("no values have no quantile")
  return value
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function milliseconds(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

interface Change {
  /** Medians. */
  readonly before: number
  readonly after: number
  /** Relative: 0.05 is five percent more. */
  readonly change: number
  /** Bounds of the 95 % interval of `change`. */
  readonly low: number
  readonly high: number
}

/** 97.5 % quantiles of Student's t by degrees of freedom; beyond the table the one of the normal distribution is near enough. */
const STUDENT = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1,
]

/** The mean change over pairs, from the logarithms of their ratios. Throws for fewer than two pairs. */
export function changeOf(pairs: readonly { readonly before: number; readonly after: number }[]): Change {
  if (pairs.length < 2) throw new RangeError("an interval needs two pairs")
  const logs = pairs.map(({ before, after }) => Math.log(after / before))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const half = (STUDENT[logs.length - 2] ?? 1.96) * Math.sqrt(variance / logs.length)
  return {
    before: median(pairs.map(({ before }) => before)),
    after: median(pairs.map(({ after }) => after)),
    change: Math.exp(mean) - 1,
    low: Math.exp(mean - half) - 1,
    high: Math.exp(mean + half) - 1,
  }
}
