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

/** Number of each value in the header with digests. */
const DIGEST_TAGS = {
  headerSha1: 269,
  headerSha256: 273,
  packageSize: 1000,
  packageMd5: 1004,
  archiveSize: 1007,
} as const

/** Number of each value in the header with facts. */
const FACT_TAGS = {
  languages: 100,
  name: 1000,
  version: 1001,
  release: 1002,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  license: 1014,
  packager: 1015,
  group: 1016,
  system: 1021,
  processor: 1022,
  beforeInstall: 1023,
  afterInstall: 1024,
  beforeRemoval: 1025,
  afterRemoval: 1026,
  fileSizes: 1028,
  fileModes: 1030,
  fileDevices: 1033,
  fileTimes: 1034,
  fileDigests: 1035,
  fileLinks: 1036,
  fileFlags: 1037,
  fileUsers: 1039,
  fileGroups: 1040,
  sourcePackage: 1044,
  fileVerifyFlags: 1045,
  providedNames: 1047,
  requiredFlags: 1048,
  requiredNames: 1049,
  requiredVersions: 1050,
  changeTimes: 1080,
  changeAuthors: 1081,
  changeTexts: 1082,
  beforeInstallProgram: 1085,
  afterInstallProgram: 1086,
  beforeRemovalProgram: 1087,
  afterRemovalProgram: 1088,
  fileSystems: 1095,
  fileInodes: 1096,
  fileLanguages: 1097,
  providedFlags: 1112,
  providedVersions: 1113,
  fileFolders: 1116,
  fileNames: 1117,
  folderNames: 1118,
  payloadFormat: 1124,
  payloadCompressor: 1125,
  payloadLevel: 1126,
  fileDigestAlgorithm: 5011,
  encoding: 5062,
  payloadDigest: 5092,
  payloadDigestAlgorithm: 5093,
} as const

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
export type RpmFacts = Readonly<Partial<Record<keyof typeof FACT_TAGS, RpmValue>>>

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
  const header = headerOf(REGION.facts, numbered(facts, FACT_TAGS))
  const digest = (algorithm: string, ...parts: Uint8Array[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest()
  const digests = {
    headerSha1: ["string", digest("sha1", header).toString("hex")],
    headerSha256: ["string", digest("sha256", header).toString("hex")],
    packageSize: ["int32", [header.length + payload.length]],
    packageMd5: ["bytes", digest("md5", header, payload)],
    archiveSize: ["int32", [archive.length]],
  } as const
  const signatures = headerOf(REGION.signatures, numbered(digests, DIGEST_TAGS))
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

type Numbered = readonly (readonly [tag: number, value: RpmValue])[]

/** In the order of the tags, as the format wants them. */
function numbered<Name extends string>(
  facts: Readonly<Partial<Record<Name, RpmValue>>>,
  tags: Readonly<Record<Name, number>>,
): Numbered {
  return (Object.entries(facts) as [Name, RpmValue][])
    .map(([name, value]) => [tags[name], value] as const)
    .toSorted(([one], [other]) => one - other)
}

function headerOf(region: number, values: Numbered): Uint8Array {
  const index: Uint8Array[] = []
  const store: Uint8Array[] = []
  let at = 0
  for (const [tag, value] of values) {
    const [type, boundary] = TYPES[value[0]]
    const padding = Buffer.alloc(-at & (boundary - 1))
    const { bytes, count } = encoded(value)
    store.push(padding, bytes)
    index.push(entry(tag, type, at + padding.length, count))
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
