/** A multimap from 32-bit hashes to small numbers, as one sorted array: eight bytes a pair and no objects. */

/** Numbers stored beside a hash are below this; 32 + 20 bits fit a double exactly. */
export const PAIR_VALUE_LIMIT = 2 ** 20

/** FNV-1a with a finishing mix. Different seeds keep unlike keys (word, skeleton) apart in one array. */
export function hash32(text: string, seed: number): number {
  return hashEnd(hashMore(text, seed))
}

/** The hash of a text goes on with the next: `hashEnd(hashMore(b, hashMore(a, seed)))` is `hash32(a + b, seed)`. */
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
  /** Four standard deviations of the place of an evenly spread hash. */
  readonly #spread: number

  /** `sorted` holds `packPair(hash, value)` in ascending order and must not change afterwards. */
  constructor(sorted: Float64Array) {
    this.#pairs = sorted
    this.#spread = Math.ceil(2 * Math.sqrt(sorted.length))
  }

  /** Calls `visit` with every value stored under `hash`, in ascending order. Unequal keys may share a hash. */
  each(hash: number, visit: (value: number) => void): void {
    const from = hash * PAIR_VALUE_LIMIT
    // Hashes are spread evenly: most stand near their share of the array, and a search there stays in fast memory.
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
