/** Lines of a file of any length. Holds one chunk and one unfinished line. */

import { isUtf8 } from "node:buffer"

export interface LineScan {
  readonly lines: number
  /** Some bytes are no UTF-8 and were replaced. */
  readonly hasForeignBytes: boolean
  /** A line is longer than `lineBytesMax`: the rest was not read. */
  readonly tooLong: boolean
}

const LF = 10
const CR = 13

/** Gives each line without its end, also a last one that has none; `number` counts from 1. */
export async function scanLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
  onLine: (line: string, number: number) => void,
): Promise<LineScan> {
  let rest: Uint8Array = new Uint8Array(0)
  let lines = 0
  let hasForeignBytes = false
  const give = (bytes: Uint8Array) => {
    if (!isUtf8(bytes)) hasForeignBytes = true
    const end = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
    lines += 1
    onLine(Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8"), lines)
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
      const piece = chunk.subarray(start, at)
      if (rest.length + piece.length > lineBytesMax) return { lines, hasForeignBytes, tooLong: true }
      give(rest.length === 0 ? piece : Buffer.concat([rest, piece]))
      rest = new Uint8Array(0)
      start = at + 1
    }
    if (rest.length + chunk.length - start > lineBytesMax) return { lines, hasForeignBytes, tooLong: true }
    // A copy: the reader of the file may use the chunk's memory again.
    if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)])
  }
  if (rest.length > 0) give(rest)
  return { lines, hasForeignBytes, tooLong: false }
}
