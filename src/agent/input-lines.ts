/** Splits a stream of bytes at its line feeds. */
const LINE_FEED = 0x0a

/** Yields each line as text. A line above `bytesMax` yields null once, and its bytes are not kept. */
export async function* inputLines(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string | null> {
  let kept: Uint8Array[] = []
  let size = 0
  const add = (part: Uint8Array) => {
    size += part.byteLength
    if (size <= bytesMax) kept.push(part)
  }
  const end = (): string | null => {
    const line = size > bytesMax ? null : Buffer.concat(kept).toString("utf8")
    kept = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at))
      yield end()
      from = at + 1
    }
    add(chunk.subarray(from))
  }
  if (size > 0) yield end()
}
