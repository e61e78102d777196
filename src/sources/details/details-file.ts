/**
 * The details of a snapshot's entries as one file beside the parties, `svc-details-1`:
 *
 *   header   one line of JSON: {@link Header}
 *   entries  one line of JSON for each entry
 *   index    one line: a JSON array of [entry id, offset, bytes, digest of the line], by entry id. All items have one width, so a reader finds
 *            an entry without reading the others
 *   24 bytes offset of the index, decimal, spaces before it and a line feed behind it
 *
 * The digest of header and index is in the database, and the index has the digest of every other line. So a changed file is never believed,
 * and an entry is read without reading the whole file.
 */
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { atPath, writeAll } from "../../base/durable-file.ts"
import { errnoOf } from "../../base/system-fault.ts"
import { type Digest, digestBytes } from "../../core/digest.ts"

export const DETAILS_FILE = "details.jsonl"

const FORMAT = "svc-details-1"
const TAIL_BYTES = 24
/** An entry with a longer id has no details: the width of an index item would grow for all. */
const ID_LENGTH_MAX = 64
/** Above the longest item of the index. */
const ITEM_BYTES_MAX = 1024
/** Far above the largest entry of a list; a longer line is left out. */
const LINE_BYTES_MAX = 4 * 1024 * 1024
const HEADER_BYTES_MAX = 4096
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 10
const OWNER_ONLY = 0o600

export interface Described {
  readonly sourceId: string
  readonly detailsVersion: string
  /** Digest of the publisher's files, `sha256:` and hex. */
  readonly rawSha256: string
}

/** Where the line of an entry lies. */
interface Line {
  readonly id: string
  readonly at: number
  readonly bytes: number
  /** 64 hex characters, of the line without its line feed. */
  readonly digest: string
}

/**
 * Writes the file while the entries are read, so that only the index is held in memory. The file begins with the first full buffer. Its errors are
 * those of the file system.
 */
export class DetailsWriter {
  #opened: number | null = null
  readonly #header: Buffer
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Bytes of the buffer that are not written yet. */
  #used = 0
  /** Offset in the file where the buffer begins. */
  #at = 0
  readonly #lines = new Map<string, Line>()

  /** The file must not exist. */
  constructor(
    readonly path: string,
    described: Described,
  ) {
    this.#header = Buffer.from(headerLine(described))
    this.#used = this.#header.copy(this.#buffer)
  }

  get size(): number {
    return this.#lines.size
  }

  has(entryId: string): boolean {
    return this.#lines.has(entryId)
  }

  readonly add = (details: EntryDetails): void => {
    const { entry_id: id } = details
    const text = JSON.stringify(details)
    // A UTF-16 unit takes at most three bytes.
    const bytesMax = text.length * 3 + 1
    if (bytesMax > LINE_BYTES_MAX || id.length > ID_LENGTH_MAX) return
    if (this.#used + bytesMax > this.#buffer.length) this.#flush(bytesMax)
    const bytes = this.#buffer.write(text, this.#used, "utf8")
    this.#lines.set(id, { id, at: this.#at + this.#used, bytes, digest: Bun.SHA256.hash(text, "hex") })
    this.#used += bytes
    this.#buffer[this.#used] = LINE_FEED
    this.#used += 1
  }

  /** Writes the index and syncs the file. Returns the digest that the database keeps. */
  finish(): Digest {
    this.#flush(0)
    const descriptor = this.#descriptor()
    const index = indexOf([...this.#lines.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
    writeAll(descriptor, this.path, index)
    writeAll(descriptor, this.path, Buffer.from(`${String(this.#at).padStart(TAIL_BYTES - 1)}\n`))
    atPath(this.path, () => fsyncSync(descriptor))
    this.#close()
    return digestBytes(Buffer.concat([this.#header, index]))
  }

  /** Closes the file, and removes it unless it has another name already. */
  discard(): void {
    this.#close()
    rmSync(this.path, { force: true })
  }

  #close(): void {
    const opened = this.#opened
    this.#opened = null
    if (opened !== null) closeSync(opened)
  }

  #descriptor(): number {
    if (this.#opened === null) {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
      this.#opened = openSync(this.path, "wx", OWNER_ONLY)
    }
    return this.#opened
  }

  #flush(needed: number): void {
    this.#at += writeAll(this.#descriptor(), this.path, this.#buffer.subarray(0, this.#used))
    this.#used = 0
    if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(needed)
  }
}

function headerLine({ sourceId, detailsVersion, rawSha256 }: Described): string {
  const header = { format: FORMAT, source_id: sourceId, details_version: detailsVersion, raw_sha256: rawSha256 }
  return `${JSON.stringify(header)}\n`
}

function indexOf(lines: readonly Line[]): Buffer {
  const items = lines.map(({ id, at, bytes, digest }) => [JSON.stringify(id), `${at},${bytes},"${digest}"]`] as const)
  const width = items.reduce((most, [id, rest]) => Math.max(most, Buffer.byteLength(id) + rest.length), 0)
  const texts = items.map(([id, rest]) => `[${id},${rest.padStart(width - Buffer.byteLength(id))}`)
  return Buffer.from(`[${texts.join(",")}]\n`)
}

export type OpenedDetails =
  | { readonly reader: DetailsReader; readonly fault: null }
  /** `isMissing`: there is no file. */
  | { readonly reader: null; readonly fault: string; readonly isMissing: boolean }

type ReadEntry =
  | { readonly details: EntryDetails; readonly fault: null }
  | { readonly details: null; readonly fault: string }

/** `digests`: those that the database has for this snapshot and version. */
export function openDetails(path: string, described: Described, digests: readonly string[]): OpenedDetails {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    if (!(error instanceof Error) || errnoOf(error) === null) throw error
    return { reader: null, fault: error.message, isMissing: errnoOf(error) === "ENOENT" }
  }
  try {
    const found = inspect(descriptor, described, digests)
    if (typeof found !== "string") return { reader: new DetailsReader(descriptor, found), fault: null }
    closeSync(descriptor)
    return { reader: null, fault: found, isMissing: false }
  } catch (error) {
    closeSync(descriptor)
    if (!(error instanceof Error) || errnoOf(error) === null) throw error
    return { reader: null, fault: error.message, isMissing: false }
  }
}

/** Where the index lies in the file, and its form. */
interface IndexPlace {
  readonly at: number
  readonly count: number
  /** Bytes from one item to the next. */
  readonly step: number
}

/** Returns a text if the file is not the one that the database names. */
function inspect(descriptor: number, described: Described, digests: readonly string[]): IndexPlace | string {
  const { size } = fstatSync(descriptor)
  if (size <= TAIL_BYTES) return "it has no index"
  const tail = bytesAt(descriptor, size - TAIL_BYTES, TAIL_BYTES)
  const indexAt = Number(tail.toString("latin1"))
  const indexBytes = size - TAIL_BYTES - indexAt
  if (!/^ *\d+\n$/.test(tail.toString("latin1")) || indexBytes < 3 || indexAt < 3) return "it has no index"
  const head = bytesAt(descriptor, 0, Math.min(HEADER_BYTES_MAX, indexAt))
  const header = head.subarray(0, head.indexOf(LINE_FEED) + 1)
  if (!header.equals(Buffer.from(headerLine(described)))) return "it belongs to other files, or to another release"
  const hasher = new Bun.CryptoHasher("sha256").update(header)
  for (let at = indexAt; at < indexAt + indexBytes; at += CHUNK_BYTES)
    hasher.update(bytesAt(descriptor, at, Math.min(CHUNK_BYTES, indexAt + indexBytes - at)))
  if (!digests.includes(`sha256:${hasher.digest("hex")}`)) return "it has other bytes than recorded"
  if (indexBytes === "[]\n".length) return { at: indexAt, count: 0, step: 1 }
  // The digest was checked, so the index has the form that this program writes.
  const first = bytesAt(descriptor, indexAt, Math.min(ITEM_BYTES_MAX, indexBytes))
  const step = firstItemEnd(first) + 1
  return { at: indexAt, count: (indexBytes - 2) / step, step }
}

/** Returns the length of the first item: up to the bracket behind its digest. */
function firstItemEnd(index: Buffer): number {
  const [item = ""] = /"[0-9a-f]{64}"\]/.exec(index.toString("latin1")) ?? []
  return index.indexOf(item) + item.length - 1
}

function bytesAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  let read = 0
  while (read < bytes.length) {
    const more = readSync(descriptor, bytes, read, bytes.length - read, at + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}

/** An open file of details. Several threads may open one file. */
export class DetailsReader {
  constructor(
    private readonly descriptor: number,
    private readonly index: IndexPlace,
  ) {}

  /** Reads one entry. Null if the file has none of this id. */
  read(entryId: string): ReadEntry | null {
    try {
      return this.#read(entryId)
    } catch (error) {
      if (error instanceof SyntaxError) return { details: null, fault: "its index is not JSON" }
      if (error instanceof Error && errnoOf(error) !== null) return { details: null, fault: error.message }
      throw error
    }
  }

  close(): void {
    closeSync(this.descriptor)
  }

  #read(entryId: string): ReadEntry | null {
    const found = this.#find(entryId)
    if (found === null) return null
    const [id, at, bytes, digest] = found
    const isWhole = id === entryId && Number.isSafeInteger(at) && Number.isSafeInteger(bytes) && bytes <= LINE_BYTES_MAX
    const line = isWhole ? bytesAt(this.descriptor, at, bytes) : Buffer.alloc(0)
    if (line.length === 0 || hex(digestBytes(line)) !== digest)
      return { details: null, fault: `the line of ${entryId} has other bytes than its index states` }
    return { details: JSON.parse(line.toString("utf8")) as EntryDetails, fault: null }
  }

  #find(entryId: string): IndexItem | null {
    let [low, high] = [0, this.index.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      const item = this.#item(middle)
      if (item[0] === entryId) return item
      if (item[0] < entryId) low = middle + 1
      else high = middle
    }
    return null
  }

  #item(number: number): IndexItem {
    const { at, step } = this.index
    const text = bytesAt(this.descriptor, at + 1 + number * step, step - 1).toString("utf8")
    return JSON.parse(text) as IndexItem
  }
}

type IndexItem = readonly [id: string, at: number, bytes: number, digest: string]

function hex(digest: Digest): string {
  return digest.slice("sha256:".length)
}
