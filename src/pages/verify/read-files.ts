/** Reads the files that a person chose. Each fault names the file and what the page takes. */
import type { GivenFile } from "../../offline/given/given-files.ts"
import { FILE_BYTES_MAX, FILES_BYTES_MAX, FILES_MAX } from "./limits.ts"

/** A file that the page cannot use. The message is for the person who chose it. */
export class InputError extends Error {}

/** What the page needs of a file of the browser. */
interface ChosenFile {
  readonly name: string
  readonly size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Throws {@link InputError} for too many files, and for a file that is too large or cannot be read. */
export async function readFiles(files: readonly ChosenFile[]): Promise<GivenFile[]> {
  if (files.length > FILES_MAX) {
    throw new InputError(`${files.length} files were given, and this page takes at most ${FILES_MAX}. Choose fewer.`)
  }
  for (const { name, size } of files) {
    if (size > FILE_BYTES_MAX) {
      throw new InputError(
        `${name} has ${size} bytes, and this page takes at most ${FILE_BYTES_MAX}. Use the command bizauth verify.`,
      )
    }
  }
  const all = files.reduce((sum, { size }) => sum + size, 0)
  if (all > FILES_BYTES_MAX) {
    throw new InputError(
      `The files have ${all} bytes together, and this page takes at most ${FILES_BYTES_MAX}. Choose fewer.`,
    )
  }
  return Promise.all(files.map(readFile))
}

async function readFile(file: ChosenFile): Promise<GivenFile> {
  let bytes: ArrayBuffer
  try {
    bytes = await file.arrayBuffer()
  } catch {
    throw new InputError(`${file.name} cannot be read: it was moved, changed or locked. Choose it again.`)
  }
  return { name: file.name, bytes: new Uint8Array(bytes) }
}
