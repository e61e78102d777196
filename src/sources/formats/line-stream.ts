/** Reads lines of a file of any length. Holds one chunk and one unfinished line. */

import { isUtf8 } from "node:buffer"

interface LineScan {
  readonly lines: number
  /** Some bytes are not UTF-8 and were replaced. */
  readonly hasForeignBytes: boolean
  /** A line is longer than `lineBytesMax`; the rest was not read. */
  readonly tooLong: boolean
}

const LF = 10
const CR = 13

/** Emits each line without its end, also a last line that has no end. `number` counts from 1. */
export async function scanLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
  onLine: (line: string, number: number) => void,
): Promise<LineScan> {
  let rest: Uint8Array = new Uint8Array(0)
  let lines = 0
  let hasForeignBytes = false
  const decode = (bytes: Uint8Array): string => {
    if (!isUtf8(bytes)) hasForeignBytes = true
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
  }
  const give = (text: string, start: number, lineFeed: number) => {
    const end = text.charCodeAt(lineFeed - 1) === CR && lineFeed > start ? lineFeed - 1 : lineFeed
    lines += 1
    onLine(text.slice(start, end), lines)
  }
  for await (const chunk of chunks) {
    // A line feed byte is never part of another UTF-8 character, so whole lines can be decoded separately.
    const whole = chunk.lastIndexOf(LF) + 1
    const first = whole === 0 ? chunk.length : chunk.indexOf(LF)
    if (rest.length + first > lineBytesMax) return { lines, hasForeignBytes, tooLong: true }
    if (whole > 0) {
      const text = decode(
        rest.length === 0 ? chunk.subarray(0, whole) : Buffer.concat([rest, chunk.subarray(0, whole)]),
      )
      for (let start = 0; start < text.length; ) {
        const lineFeed = text.indexOf("\n", start)
        // Counted in UTF-16 units, which are never more than the bytes.
        if (lineFeed - start > lineBytesMax) return { lines, hasForeignBytes, tooLong: true }
        give(text, start, lineFeed)
        start = lineFeed + 1
      }
      rest = new Uint8Array(0)
    }
    // Copy, because the file reader may reuse the chunk's memory.
    if (whole < chunk.length) rest = Buffer.concat([rest, chunk.subarray(whole)])
  }
  if (rest.length > lineBytesMax) return { lines, hasForeignBytes, tooLong: true }
  const last = decode(rest)
  if (last !== "") give(last, 0, last.length)
  return { lines, hasForeignBytes, tooLong: false }
}
