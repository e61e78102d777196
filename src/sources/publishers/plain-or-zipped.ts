/** A file of a publisher, plain or as an entry of a ZIP archive. It is read from its path and never held whole in memory. */
import { closeSync, createReadStream, openSync, readSync } from "node:fs"
import type { DirectoryEntry } from "../formats/zip-directory.ts"
import { streamEntry } from "../formats/zip-stream.ts"
import type { RegisterFile } from "../records/register-adapter.ts"
import { HEAD_BYTES, headText } from "../records/source-text.ts"

export interface PlainOrZipped {
  readonly file: RegisterFile
  /** The entry of the archive; null if the file is plain. */
  readonly entry: DirectoryEntry | null
}

const CHUNK_BYTES = 256 * 1024

/** Yields the unpacked bytes. Throws `ZipFault` for a damaged archive. `onRead` receives the number of bytes read from the file. */
export async function* unpackedBytes(
  { file, entry }: PlainOrZipped,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  if (entry !== null) {
    yield* streamEntry(file.path, entry, onRead)
    return
  }
  for await (const chunk of createReadStream(file.path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
    onRead(chunk.length)
    yield chunk
  }
}

export function fileHead(path: string): string {
  const descriptor = openSync(path, "r")
  try {
    const head = new Uint8Array(HEAD_BYTES)
    return headText(head.subarray(0, readSync(descriptor, head)))
  } finally {
    closeSync(descriptor)
  }
}
