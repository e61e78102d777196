/** Archives whose bytes depend on their content alone: fixed order, owner, permissions and time. */
import { gzipSync } from "node:zlib"
import { type TarSource, writeTar } from "../../src/core/tar/tar.ts"

export interface ArchiveFile {
  readonly name: string
  readonly content: Uint8Array | string
  /** Whether it can be run. */
  readonly isProgram?: boolean
}

/** Every file lies in the folder `folder`. `seconds`: time of each file since 1970. `level`: of the compression; tests take a quick one. */
export function packed(folder: string, files: readonly ArchiveFile[], seconds: number, level = 9): Uint8Array {
  const sources = files
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((file) => sourceOf(folder, file, seconds))
  return compressed(Buffer.concat([...writeTar(sources)]), level)
}

/** The header of gzip has no time and no name. */
export function compressed(bytes: Uint8Array, level = 9): Uint8Array {
  return gzipSync(bytes, { level })
}

function sourceOf(folder: string, { name, content, isProgram = false }: ArchiveFile, modifiedAt: number): TarSource {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  return { name: `${folder}/${name}`, size: bytes.length, modifiedAt, mode: isProgram ? 0o755 : 0o644, pieces: [bytes] }
}
