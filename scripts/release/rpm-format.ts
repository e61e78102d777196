/**
 * The RPM file format, version 3 of the lead and version 4 of the package (https://rpm-software-management.github.io/rpm/manual/format.html): a lead, a
 * header with digests, a header with facts, and a compressed cpio archive. Written here and not by `rpmbuild`, which writes its own version into the
 * package: so every machine makes the same bytes.
 */
import { createHash } from "node:crypto"

const LEAD_BYTES = 96
const LEAD_NAME_BYTES = 66
const HEADER_MAGIC = Buffer.from([0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0])
const ENTRY_BYTES = 16
/** Tags of the two headers themselves. */
const REGION = { signatures: 62, facts: 63 } as const

/** Number of each type, and the boundary that its values begin at. */
const TYPES = {
  int16: [3, 2],
  int32: [4, 4],
  string: [6, 1],
  bytes: [7, 1],
  strings: [8, 1],
  translated: [9, 1],
} as const

type Numbers = readonly [type: "int16" | "int32", values: readonly number[]]
type Texts = readonly [type: "strings" | "translated", values: readonly string[]]
/** A value of a header: strings end with a NUL, numbers are big-endian. */
type RpmValue = Numbers | Texts | readonly [type: "string", value: string] | readonly [type: "bytes", value: Uint8Array]
/** Values by number of their tag. */
export type RpmFacts = Readonly<Record<number, RpmValue>>

export interface RpmFile {
  /** Absolute. */
  readonly path: string
  /** Null for a folder. */
  readonly content: Uint8Array | null
  /** With the bits of the kind. */
  readonly mode: number
}

interface RpmParts {
  /** Name, version and release. */
  readonly name: string
  readonly facts: RpmFacts
  /** The cpio archive, before and after compression. */
  readonly archive: Uint8Array
  readonly payload: Uint8Array
}

export function rpmBytes({ name, facts, archive, payload }: RpmParts): Uint8Array {
  const header = headerOf(REGION.facts, facts)
  const digest = (algorithm: string, ...parts: Uint8Array[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest()
  const signatures = headerOf(REGION.signatures, {
    269: ["string", digest("sha1", header).toString("hex")],
    273: ["string", digest("sha256", header).toString("hex")],
    1000: ["int32", [header.length + payload.length]],
    1004: ["bytes", digest("md5", header, payload)],
    1007: ["int32", [archive.length]],
  })
  const padding = Buffer.alloc(-signatures.length & 7)
  return Buffer.concat([leadOf(name), signatures, padding, header, payload])
}

/** Only old programs read more of it than its first bytes. */
function leadOf(name: string): Uint8Array {
  const lead = Buffer.alloc(LEAD_BYTES)
  lead.set([0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1])
  lead.write(name.slice(0, LEAD_NAME_BYTES - 1), 10)
  // Linux, and signatures in a header.
  lead.set([0, 1, 0, 5], 10 + LEAD_NAME_BYTES)
  return lead
}

function headerOf(region: number, facts: RpmFacts): Uint8Array {
  // An object has its whole numbers in ascending order, as the format wants them.
  const values = Object.entries(facts)
  const index: Uint8Array[] = []
  const store: Uint8Array[] = []
  let at = 0
  for (const [tag, value] of values) {
    const [type, boundary] = TYPES[value[0]]
    const padding = Buffer.alloc(-at & (boundary - 1))
    const { bytes, count } = encoded(value)
    store.push(padding, bytes)
    index.push(entry(Number(tag), type, at + padding.length, count))
    at += padding.length + bytes.length
  }
  // The region covers every entry: its own entry points behind the values, to one that says how far the index reaches back.
  const size = (values.length + 1) * ENTRY_BYTES
  const head = Buffer.alloc(8)
  head.writeUInt32BE(values.length + 1, 0)
  head.writeUInt32BE(at + ENTRY_BYTES, 4)
  const [type] = TYPES.bytes
  const parts = [HEADER_MAGIC, head, entry(region, type, at, ENTRY_BYTES), ...index, ...store]
  return Buffer.concat([...parts, entry(region, type, -size, ENTRY_BYTES)])
}

function entry(tag: number, type: number, offset: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(ENTRY_BYTES)
  bytes.writeUInt32BE(tag, 0)
  bytes.writeUInt32BE(type, 4)
  bytes.writeInt32BE(offset, 8)
  bytes.writeUInt32BE(count, 12)
  return bytes
}

function encoded(value: RpmValue): { readonly bytes: Uint8Array; readonly count: number } {
  switch (value[0]) {
    case "bytes":
      return { bytes: value[1], count: value[1].length }
    case "string":
      return { bytes: Buffer.from(`${value[1]}\0`), count: 1 }
    case "strings":
    case "translated":
      return { bytes: Buffer.from(value[1].map((text) => `${text}\0`).join("")), count: value[1].length }
    default:
      return { bytes: numbers(value), count: value[1].length }
  }
}

function numbers([type, values]: Numbers): Uint8Array {
  const width = type === "int16" ? 2 : 4
  const bytes = Buffer.alloc(values.length * width)
  for (const [at, value] of values.entries()) bytes.writeUIntBE(value, at * width, width)
  return bytes
}

/** The cpio archive in its "new ASCII" form. `seconds`: time of each file since 1970. */
export function cpioArchive(files: readonly RpmFile[], seconds: number): Uint8Array {
  const members = files.flatMap(({ path, content, mode }, at) =>
    cpioMember(`.${path}`, content ?? new Uint8Array(), [at + 1, mode, 0, 0, content === null ? 2 : 1, seconds]),
  )
  return Buffer.concat([...members, ...cpioMember("TRAILER!!!", new Uint8Array(), [0, 0, 0, 0, 1, 0])])
}

/** `facts`: inode, mode, user, group, links and time. */
function cpioMember(name: string, content: Uint8Array, facts: readonly number[]): Uint8Array[] {
  const nameBytes = Buffer.from(`${name}\0`)
  const fields = [...facts, content.length, 0, 0, 0, 0, nameBytes.length, 0]
  const head = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`)
  const toFour = (length: number) => Buffer.alloc(-length & 3)
  return [head, nameBytes, toFour(head.length + nameBytes.length), content, toFour(content.length)]
}
