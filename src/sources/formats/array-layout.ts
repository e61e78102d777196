/** Lays out a record of typed arrays in one block of bytes, and opens it again over such a block without a copy. */

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array }
type TypeName = keyof typeof TYPES
type Numbers = InstanceType<(typeof TYPES)[TypeName]>

/** Location of one array of a record: its type, its start byte in the part, and its number of elements. */
type Place = readonly [type: TypeName, at: number, length: number]
export interface Shape {
  readonly [member: string]: Place | Shape | string | number | null
}

/** Every array starts at a multiple of this number, as the widest element type requires. */
const ALIGNMENT = 8

interface LaidOut {
  readonly shape: Shape
  readonly bytes: number
  readonly parts: readonly Uint8Array[]
}

export function laidOut(record: object): LaidOut {
  const parts: Uint8Array[] = []
  let bytes = 0
  const place = (numbers: Numbers): Place => {
    const at = bytes
    const part = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
    parts.push(part, new Uint8Array(aligned(part.length) - part.length))
    bytes += aligned(part.length)
    return [typeOf(numbers), at, numbers.length]
  }
  const shapeOf = (value: object): Shape =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]: [string, unknown]) => {
        if (isNumbers(member)) return [name, place(member)]
        return [name, typeof member === "object" && member !== null ? shapeOf(member) : (member as number)]
      }),
    )
  const shape = shapeOf(record)
  return { shape, bytes, parts }
}

/** Opens a record that was laid out. Its arrays are views of `block`. */
export function opened<T>(shape: Shape, block: ArrayBufferLike): T {
  const members = Object.entries(shape).map(([name, member]) => {
    if (isPlace(member)) return [name, view(member, block)]
    return [name, typeof member === "object" && member !== null ? opened(member, block) : member]
  })
  return Object.fromEntries(members) as T
}

function view([type, at, length]: Place, block: ArrayBufferLike): Numbers {
  return new (TYPES[type] as new (buffer: ArrayBufferLike, at: number, length: number) => Numbers)(block, at, length)
}

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
const isPlace = (member: Shape[string] | undefined): member is Place => Array.isArray(member)
const isNumbers = (value: unknown): value is Numbers => ArrayBuffer.isView(value) && !(value instanceof DataView)

function typeOf(numbers: Numbers): TypeName {
  const found = (Object.keys(TYPES) as TypeName[]).find((name) => numbers instanceof TYPES[name])
  if (!found) throw new TypeError("an index has no such array")
  return found
}
