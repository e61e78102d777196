/**
 * Encodes a record without its member names. Millions of records share a few shapes, and the names would be more than half of a register's
 * bytes. Decoding returns the same value, with members in the same order.
 */
import type { RecordValue } from "../records/register-adapter.ts"

/** An array is `[-1, …items]`, an object is `[its shape, …values in the shape's order]`, any other value is unchanged. */
export type Packed = string | number | boolean | null | readonly Packed[]

const ARRAY = -1
/** Limit for shapes. A record whose member names are data has no fixed shapes; such names must be values. */
const SHAPES_MAX = 256
/** JSON, because with a plain separator no names and one empty name would give the same key. */
const keyOf = (names: readonly string[]) => JSON.stringify(names)

export class RecordShapes {
  private readonly numbers = new Map<string, number>()

  constructor(private readonly known: (readonly string[])[] = []) {
    for (const [number, names] of known.entries()) this.numbers.set(keyOf(names), number)
  }

  /** Returns the current shapes. Decoding needs these or a longer list. */
  list(): readonly (readonly string[])[] {
    return this.known
  }

  pack(value: RecordValue): Packed {
    if (value === null || typeof value !== "object") return value
    if (Array.isArray(value)) return [ARRAY, ...(value as readonly RecordValue[]).map((item) => this.pack(item))]
    const members = value as { readonly [name: string]: RecordValue }
    const names = Object.keys(members)
    const packed: Packed[] = [this.numberOf(names)]
    for (const name of names) packed.push(this.pack(members[name] ?? null))
    return packed
  }

  /** Throws a TypeError for a value that `pack` did not write. */
  unpack(packed: Packed): RecordValue {
    if (packed === null || typeof packed !== "object") return packed
    const [kind, ...values] = packed
    if (kind === ARRAY) return values.map((value) => this.unpack(value))
    const names = typeof kind === "number" ? this.known[kind] : undefined
    if (names?.length !== values.length) throw new TypeError("a record of no known shape")
    return Object.fromEntries(names.map((name, index) => [name, this.unpack(values[index] ?? null)]))
  }

  private numberOf(names: readonly string[]): number {
    const key = keyOf(names)
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    if (this.known.length >= SHAPES_MAX) throw new TypeError(`records of more than ${SHAPES_MAX} shapes`)
    this.numbers.set(key, this.known.length)
    return this.known.push(names) - 1
  }
}
