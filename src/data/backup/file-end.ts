/**
 * The last bytes of a backup: a skippable frame of zstd (RFC 8878, 3.1.2) with the length of the whole file. Bun's zstd stream accepts a file
 * that is cut off, and this frame shows that nothing is missing before anything is read.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"

const MAGIC = 0x184d2a5b
const CONTENT_BYTES = 8
export const END_BYTES = 8 + CONTENT_BYTES
/** First bytes of every zstd file. */
const ZSTD = 0xfd2fb528

export function endOf(bytesBefore: number): Uint8Array {
  const end = new DataView(new ArrayBuffer(END_BYTES))
  end.setUint32(0, MAGIC, true)
  end.setUint32(4, CONTENT_BYTES, true)
  end.setBigUint64(8, BigInt(bytesBefore + END_BYTES), true)
  return new Uint8Array(end.buffer)
}

export interface JudgedEnd {
  readonly state: "WHOLE" | "CUT" | "FOREIGN"
  /** Length of the file. */
  readonly bytes: number
}

/** Whether the file is whole by its length. Throws errors of the operating system. */
export function judgeEnd(path: string): JudgedEnd {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    const first = new DataView(new ArrayBuffer(4))
    const isZstd = size === 0 || (readSync(file, first, 0, 4, 0) === 4 && first.getUint32(0, true) === ZSTD)
    if (!isZstd) return { state: "FOREIGN", bytes: size }
    if (size < END_BYTES) return { state: "CUT", bytes: size }
    const found = new Uint8Array(END_BYTES)
    readSync(file, found, 0, END_BYTES, size - END_BYTES)
    return { state: Buffer.from(endOf(size - END_BYTES)).equals(found) ? "WHOLE" : "CUT", bytes: size }
  } finally {
    closeSync(file)
  }
}
