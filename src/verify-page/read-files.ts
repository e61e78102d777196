/** Reads the files that a person chose. Each fault names the file and what the page takes. */
import type { GivenFile } from "../catalogue/given-files.ts"
import { FILE_BYTES_MAX, FILES_MAX } from "./limits.ts"

/** A file that the page cannot use. The message is for the person who chose it. */
export class InputError extends Error {}

/** What the page needs of a file of the browser. */
export interface ChosenFile {
  readonly name: string
  readonly size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Throws {@link InputError}. */
export function requireFewFiles(count: number): void {
  if (count <= FILES_MAX) return
  throw new InputError(`${count} files were given, and this page takes at most ${FILES_MAX}. Choose fewer.`)
}

/** Throws {@link InputError} for too many files, and for a file that is too large or cannot be read. */
export async function readFiles(files: readonly ChosenFile[]): Promise<GivenFile[]> {
  requireFewFiles(files.length)
  return Promise.all(files.map(readFile))
}

async function readFile(file: ChosenFile): Promise<GivenFile> {
  if (file.size > FILE_BYTES_MAX) {
    throw new InputError(
      `${file.name} has ${file.size} bytes, and this page takes at most ${FILE_BYTES_MAX}. The command bizauth verify reads larger files.`,
    )
  }
  let bytes: ArrayBuffer
  try {
    bytes = await file.arrayBuffer()
  } catch {
    throw new InputError(`${file.name} cannot be read: it was moved, changed or locked. Choose it again.`)
  }
  return { name: file.name, bytes: new Uint8Array(bytes) }
}
