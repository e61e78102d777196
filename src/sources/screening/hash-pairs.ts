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

  /** `sorted` holds `packPair(hash, value)` in ascending order and must not change afterwards. */
  constructor(sorted: Float64Array) {
    this.#pairs = sorted
  }

  /** Calls `visit` with every value stored under `hash`, in ascending order. Unequal keys may share a hash. */
  each(hash: number, visit: (value: number) => void): void {
    const from = hash * PAIR_VALUE_LIMIT
    let low = 0
    let high = this.#pairs.length
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
