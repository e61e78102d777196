interface CacheOptions<Value> {
  /** The most that all values together may weigh. */
  readonly max: number
  /** What a value weighs, such as its bytes. Default: 1, so that `max` is a number of values. */
  readonly weigh?: (value: Value) => number
}

interface Entry<Value, Version> {
  readonly value: Value
  readonly version: Version | undefined
  readonly weight: number
}

/**
 * Values that can be made again, by key, in memory of a fixed size: above it the oldest is forgotten first. A value may have the version of what
 * it was made from, and is found only under the same version. NaN is equal to no version.
 */
export class Cache<Key, Value, Version extends string | number = never> {
  readonly #max: number
  readonly #weigh: (value: Value) => number
  readonly #entries = new Map<Key, Entry<Value, Version>>()
  /**
   * INVARIANT: nothing is kept before it. It follows each entry once; a new iterator would pass all places of forgotten entries at each call
   * (100 µs with 20,000 of them).
   */
  readonly #oldest = this.#entries.keys()
  #weight = 0

  constructor({ max, weigh = () => 1 }: CacheOptions<Value>) {
    this.#max = max
    this.#weigh = weigh
  }

  /** How many values are kept. */
  get size(): number {
    return this.#entries.size
  }

  get(key: Key, version?: Version): Value | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.version === version ? entry.value : undefined
  }

  /** Replaces the value of the key, which is the newest then. A value that alone weighs more than the limit is not kept. */
  set(key: Key, value: Value, version?: Version): void {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#max) return
    while (this.#weight + weight > this.#max) this.#forgetOldest()
    this.#entries.set(key, { value, version, weight })
    this.#weight += weight
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  #forgetOldest(): void {
    const oldest = this.#oldest.next()
    if (oldest.done) throw new Error("an empty cache weighs nothing")
    this.delete(oldest.value)
  }
}
