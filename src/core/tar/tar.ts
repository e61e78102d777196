/**
 * A subset of POSIX ustar: plain files and, where a caller asks for one, folders. Any `tar` can read the archives written here. The reader rejects everything else:
 * links, folders, long-name and pax records, wrong checksums and bytes after the end. Otherwise another program could read other content
 * from the same archive.
 */
export const BLOCK = 512
const ZEROS = new Uint8Array(BLOCK)
const MODE_DEFAULT = 0o644
/** What eleven octal digits hold: 8 GiB less one. */
const OCTAL_SIZE_MAX = 0o77777777777
/** A larger size is binary, as GNU tar writes it: this mark, then the number, most significant byte first. */
const BINARY_MARK = 0x80
const NAME_BYTES_MAX = 100

export class TarBroken extends Error {}

export interface TarEntry {
  readonly name: string
  readonly bytes: Uint8Array
  /** Seconds. */
  readonly modifiedAt: number
}

/** A file to write, piece by piece, because a register is larger than memory. */
export interface TarSource {
  readonly name: string
  readonly size: number
  /** Seconds. */
  readonly modifiedAt: number
  /** Permissions, such as 0o755. Default 0o644. */
  readonly mode?: number
  /** Number of the user and of its group. Default 0. */
  readonly owner?: number
  /** A folder, of size 0. */
  readonly isFolder?: boolean
  /** Their total length must be `size` bytes; otherwise {@link TarBroken} is thrown. */
  readonly pieces: Iterable<Uint8Array>
}

/** Yields the archive in pieces. Throws {@link TarBroken} for a name or size that ustar cannot hold. */
export function* writeTar(files: Iterable<TarSource>): Generator<Uint8Array> {
  for (const { pieces, ...file } of files) {
    const { name, size } = file
    yield header(file)
    let written = 0
    for (const piece of pieces) {
      written += piece.length
      yield piece
    }
    if (written !== size) throw new TarBroken(`${name} has ${written} bytes, not ${size}`)
    if (size % BLOCK > 0) yield ZEROS.subarray(size % BLOCK)
  }
  yield ZEROS
  yield ZEROS
}

function header(file: Omit<TarSource, "pieces">): Uint8Array {
  const { name, size, modifiedAt, mode = MODE_DEFAULT, owner = 0, isFolder = false } = file
  const block = new Uint8Array(BLOCK)
  const named = new TextEncoder().encode(name)
  if (named.length > NAME_BYTES_MAX)
    throw new TarBroken(`the name ${name} is longer than the ${NAME_BYTES_MAX} bytes of a tar`)
  if (!Number.isSafeInteger(size)) throw new TarBroken(`${name} is larger than a tar holds`)
  block.set(named, 0)
  const text = (at: number, value: string) => block.set(new TextEncoder().encode(value), at)
  const octal = (at: number, digits: number, value: number) => text(at, value.toString(8).padStart(digits, "0"))
  octal(100, 7, mode)
  octal(108, 7, owner)
  octal(116, 7, owner)
  if (size <= OCTAL_SIZE_MAX) octal(124, 11, size)
  else {
    block[124] = BINARY_MARK
    new DataView(block.buffer).setBigUint64(128, BigInt(size))
  }
  octal(136, 11, Math.max(0, Math.floor(modifiedAt)))
  text(156, isFolder ? "5" : "0")
  text(257, "ustar\u000000")
  text(148, `${checksum(block).toString(8).padStart(6, "0")}\u0000 `)
  return block
}

/** Returns the sum of all header bytes, with the checksum field read as spaces (POSIX.1-1988, ustar). */
function checksum(block: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : block[at]!
  return sum
}

/**
 * Returns every file of the archive as a view of `archive`. `filesMax` limits their number. Throws {@link TarBroken} for anything but plain
 * files with plain names. The caller checks whether a name is acceptable.
 */
export function readTar(archive: Uint8Array, filesMax: number): readonly TarEntry[] {
  const entries: TarEntry[] = []
  let at = 0
  for (;;) {
    if (at + BLOCK > archive.length) throw new TarBroken(`cut off at byte ${archive.length}: the end mark is missing`)
    const block = archive.subarray(at, at + BLOCK)
    if (isZero(block)) break
    if (entries.length === filesMax) throw new TarBroken(`more than ${filesMax} files`)
    const { name, size, modifiedAt } = readHeader(block, at)
    const start = at + BLOCK
    const padded = Math.ceil(size / BLOCK) * BLOCK
    if (start + padded > archive.length) throw new TarBroken(`cut off inside ${name}`)
    if (!isZero(archive.subarray(start + size, start + padded))) throw new TarBroken(`bytes hidden behind ${name}`)
    entries.push({ name, bytes: archive.subarray(start, start + size), modifiedAt })
    at = start + padded
  }
  if (archive.length < at + 2 * BLOCK) throw new TarBroken("half of the end mark is missing")
  if (!isZero(archive.subarray(at))) throw new TarBroken("bytes after the end mark")
  return entries
}

export interface TarHeader extends Omit<TarEntry, "bytes"> {
  readonly size: number
}

/** `at` is the position of the header in the archive, for the error. Throws {@link TarBroken}. */
export function readHeader(block: Uint8Array, at: number): TarHeader {
  const where = `the header at byte ${at}`
  const magic = field(block, 257, 8)
  // POSIX magic, and the older magic that GNU tar writes by default.
  if (magic !== "ustar\u000000" && magic !== "ustar  \u0000") throw new TarBroken(`${where} is not ustar`)
  if (octal(block, 148, 8, where) !== checksum(block)) throw new TarBroken(`${where} has a wrong checksum`)
  const type = field(block, 156, 1)
  if (type !== "0" && type !== "\u0000")
    throw new TarBroken(`${where} is not a plain file but ${KIND[type] ?? "of an unknown kind"}`)
  if (text(block, 157, 100) !== "") throw new TarBroken(`${where} names a link`)
  if (magic === "ustar\u000000" && text(block, 345, 155) !== "") throw new TarBroken(`${where} names a folder`)
  const name = text(block, 0, NAME_BYTES_MAX)
  return { name, size: sizeOf(block, where), modifiedAt: octal(block, 136, 12, where) }
}

const KIND: Readonly<Record<string, string>> = {
  "1": "a link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "5": "a folder (put the files themselves into the archive)",
  "6": "a pipe",
  g: "a pax record (write it with --format=ustar)",
  x: "a pax record (write it with --format=ustar)",
  K: "a long link name",
  L: "a long name",
}

const field = (block: Uint8Array, at: number, length: number) => String.fromCharCode(...block.subarray(at, at + length))

/** Returns the text up to the first NUL. All bytes after it must be NUL. */
function text(block: Uint8Array, at: number, length: number): string {
  const bytes = block.subarray(at, at + length)
  const end = bytes.indexOf(0)
  const used = end < 0 ? bytes : bytes.subarray(0, end)
  if (end >= 0 && !isZero(bytes.subarray(end))) throw new TarBroken("a name goes on after its end")
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(used)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TarBroken("a name is not UTF-8")
  }
}

function sizeOf(block: Uint8Array, where: string): number {
  if (block[124] !== BINARY_MARK) return octal(block, 124, 12, where)
  const size = new DataView(block.buffer, block.byteOffset).getBigUint64(128)
  const isSmall = size <= BigInt(OCTAL_SIZE_MAX)
  // One way to write a size: other readers cannot read another one.
  if (!isZero(block.subarray(125, 128)) || isSmall || size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new TarBroken(`${where} has an impossible size`)
  }
  return Number(size)
}

function octal(block: Uint8Array, at: number, length: number, where: string): number {
  const digits = field(block, at, length).replaceAll("\u0000", " ").trim()
  if (!/^[0-7]+$/.test(digits)) throw new TarBroken(`${where} has a number that is not octal`)
  return Number.parseInt(digits, 8)
}

export function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false
  return true
}
