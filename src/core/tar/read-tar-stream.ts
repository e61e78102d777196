/** Reads an archive of `tar.ts` that is larger than memory. Rejects the same archives as `readTar`. */
import { BLOCK, isZero, readHeader, TarBroken, type TarHeader } from "./tar.ts"

export interface StreamedEntry extends TarHeader {
  /** The content, in pieces. Read all of them before the next entry; otherwise {@link TarBroken} is thrown. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** Yields each file in the order of the archive. Throws {@link TarBroken}. */
export async function* readTarStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEntry> {
  const input = new Pieces(source)
  for (;;) {
    const at = input.position
    const block = await input.take(BLOCK)
    if (block === null) throw new TarBroken(`cut off at byte ${input.position}: the end mark is missing`)
    if (isZero(block)) break
    const header = readHeader(block, at)
    let left = header.size
    async function* content(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await input.upTo(left)
        if (piece === null) throw new TarBroken(`cut off inside ${header.name}`)
        left -= piece.length
        yield piece
      }
    }
    yield { ...header, pieces: content() }
    if (left > 0) throw new TarBroken(`${header.name} was not read to its end`)
    const padding = (BLOCK - (header.size % BLOCK)) % BLOCK
    const behind = await input.take(padding)
    if (behind === null) throw new TarBroken(`cut off inside ${header.name}`)
    if (!isZero(behind)) throw new TarBroken(`bytes hidden behind ${header.name}`)
  }
  const second = await input.take(BLOCK)
  if (second === null) throw new TarBroken("half of the end mark is missing")
  for (let rest: Uint8Array | null = second; rest !== null; rest = await input.upTo(BLOCK)) {
    if (!isZero(rest)) throw new TarBroken("bytes after the end mark")
  }
}

/** Pieces of any length, read as lengths that the caller chooses. */
class Pieces {
  /** Bytes taken so far. */
  position = 0
  private readonly source: AsyncIterator<Uint8Array>
  private waiting: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** At least one byte and at most `length`; null at the end. */
  async upTo(length: number): Promise<Uint8Array | null> {
    while (this.waiting.length === 0) {
      const next = await this.source.next()
      if (next.done) return null
      this.waiting = next.value
    }
    const piece = this.waiting.subarray(0, length)
    this.waiting = this.waiting.subarray(piece.length)
    this.position += piece.length
    return piece
  }

  /** Exactly `length` bytes; null when fewer are left. */
  async take(length: number): Promise<Uint8Array | null> {
    const taken = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      const piece = await this.upTo(length - filled)
      if (piece === null) return null
      taken.set(piece, filled)
      filled += piece.length
    }
    return taken
  }
}
