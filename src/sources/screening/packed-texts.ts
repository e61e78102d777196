/** Many texts as one block of bytes. Unlike a list of strings, it can be transferred to another thread without a copy. */

export interface PackedTexts {
  /** UTF-8. */
  readonly bytes: Uint8Array
  /** Text n is `bytes[starts[n] .. starts[n+1])`. */
  readonly starts: Uint32Array
}

export function packTexts(texts: readonly string[]): PackedTexts {
  const starts = new Uint32Array(texts.length + 1)
  for (const [at, text] of texts.entries()) starts[at + 1] = starts[at]! + Buffer.byteLength(text, "utf8")
  // A separate block, not a part of a pool, because it may be transferred to another thread.
  const bytes = new Uint8Array(starts.at(-1)!)
  const view = Buffer.from(bytes.buffer)
  for (const [at, text] of texts.entries()) view.write(text, starts[at]!, "utf8")
  return { bytes, starts }
}

export function textAt({ bytes, starts }: PackedTexts, at: number): string {
  const start = starts[at]!
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, starts[at + 1]! - start).toString("utf8")
}

const CHUNK_BITS = 12
const CHUNK_SIZE = 1 << CHUNK_BITS

/** Frequently read texts: each is decoded once, on first use. */
export class TextTable {
  readonly size: number
  readonly #packed: PackedTexts
  /** In chunks, because the runtime stores an array with a million holes as a slow map. */
  readonly #decoded: (string | undefined)[][] = []

  constructor(packed: PackedTexts) {
    this.#packed = packed
    this.size = packed.starts.length - 1
  }

  at(text: number): string {
    const chunk = this.#decoded[text >>> CHUNK_BITS] ?? this.#newChunk(text >>> CHUNK_BITS)
    const known = chunk[text & (CHUNK_SIZE - 1)]
    if (known !== undefined) return known
    const decoded = textAt(this.#packed, text)
    chunk[text & (CHUNK_SIZE - 1)] = decoded
    return decoded
  }

  #newChunk(number: number): (string | undefined)[] {
    const chunk = new Array<string | undefined>(CHUNK_SIZE).fill(undefined)
    this.#decoded[number] = chunk
    return chunk
  }
}
