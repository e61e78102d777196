// What one process counted since its start, for the operator's metrics. A request adds to numbers that exist since the start of the server:
// nothing is allocated, and no label is built from a request.

/** Upper bounds of the buckets of a duration, in milliseconds. A paid request may wait for its settlement for 15 seconds. */
export const DURATION_BOUNDS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const

/** Classes of HTTP status codes, by the first digit. */
export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const

/** Requests that no operation answers: an unknown path, a busy server. */
export const NO_OPERATION = "none"

/** Observations in buckets. */
export class Histogram {
  /** One more than the bounds: the last bucket has no bound. */
  readonly counts: Float64Array
  sum = 0

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.bounds.length && value > (this.bounds[bucket] as number)) bucket++
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.sum += value
  }
}

/** The requests of one operation. */
class OperationCounts {
  readonly classes: readonly Histogram[] = STATUS_CLASSES.map(() => new Histogram(DURATION_BOUNDS_MS))
  rateLimited = 0

  request(status: number, milliseconds: number): void {
    if (status === 429) this.rateLimited++
    this.classes[Math.floor(status / 100) - 1]?.observe(milliseconds)
  }
}

/** Uncharged answers by product and decision. */
export class UnchargedCounts {
  readonly byProduct = new Map<string, Map<string, number>>()

  add(product: string, decision: string): void {
    let decisions = this.byProduct.get(product)
    if (decisions === undefined) {
      decisions = new Map()
      this.byProduct.set(product, decisions)
    }
    decisions.set(decision, (decisions.get(decision) ?? 0) + 1)
  }
}

export class ProcessCounts {
  /** By operation id. */
  readonly operations = new Map<string, OperationCounts>()
  readonly uncharged = new UnchargedCounts()

  /** Call it once for each operation, at the start. */
  operation(id: string): OperationCounts {
    const known = this.operations.get(id)
    if (known !== undefined) return known
    const counts = new OperationCounts()
    this.operations.set(id, counts)
    return counts
  }
}
