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
