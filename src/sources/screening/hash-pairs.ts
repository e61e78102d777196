// A multimap from 32-bit hashes to small numbers, as one sorted array: eight bytes for each pair and no objects.

/** Upper limit of the stored numbers; 32 + 20 bits fit a double exactly. */
export const PAIR_VALUE_LIMIT = 2 ** 20

/** FNV-1a with a final mix. Different seeds separate different kinds of keys (word, skeleton) in one array. */
export function hash32(text: string, seed: number): number {
  return hashEnd(hashMore(text, seed))
}

/** Continues the hash of a text: `hashEnd(hashMore(b, hashMore(a, seed)))` equals `hash32(a + b, seed)`. */
export function hashMore(text: string, hash: number): number {
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  return hash
}

export function hashEnd(state: number): number {
  const hash = Math.imul(state ^ (state >>> 15), 2246822519)
  return (hash ^ (hash >>> 13)) >>> 0
}

export class HashPairs {
  readonly #pairs: Float64Array
  /** Four standard deviations of the position of an evenly distributed hash. */
  readonly #spread: number

  /** `sorted` holds `packPair(hash, value)` in ascending order and must not change afterwards. */
  constructor(sorted: Float64Array) {
    this.#pairs = sorted
    this.#spread = Math.ceil(2 * Math.sqrt(sorted.length))
  }

  /** Calls `visit` with every value of `hash`, in ascending order. Different keys may share a hash. */
  each(hash: number, visit: (value: number) => void): void {
    const from = hash * PAIR_VALUE_LIMIT
    // Hashes are evenly distributed: most are near their expected position, and a search there stays in the CPU cache.
    const near = Math.floor((hash / 2 ** 32) * this.#pairs.length)
    let low = near - this.#spread
    let high = near + this.#spread
    if (low < 0 || this.#pairs[low]! >= from) low = 0
    if (high >= this.#pairs.length || this.#pairs[high]! < from) high = this.#pairs.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#pairs[middle]! < from) low = middle + 1
      else high = middle
    }
    for (; low < this.#pairs.length; low++) {
      const value = this.#pairs[low]! - from
      if (value >= PAIR_VALUE_LIMIT) return
      visit(value)
    }
  }
}

export const packPair = (hash: number, value: number): number => hash * PAIR_VALUE_LIMIT + value
