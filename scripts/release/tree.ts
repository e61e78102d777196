/** A tree of files as a tar whose bytes depend on the files alone: for a layer of the container image, and for a Debian package. */
import { type TarSource, writeTar } from "../../src/core/tar/tar.ts"

export interface TreeFile {
  /** From the root of the tree, without a slash before it. */
  readonly path: string
  /** Null for an empty folder. */
  readonly content: Uint8Array | string | null
  /** Default 0o644, and 0o755 for a folder. */
  readonly mode?: number
  /** Number of the user and of its group. Default 0. */
  readonly owner?: number
}

interface TreeOptions {
  /** Time of each file, since 1970. */
  readonly seconds: number
  /** Before each path, such as `./`, which then has an entry of its own. */
  readonly root?: string
}

/** In the order of the paths. Folders above the files belong to root. */
export function tarOfTree(files: readonly TreeFile[], { seconds, root = "" }: TreeOptions): Uint8Array {
  const named = new Map(files.map((file) => [file.path, file]))
  for (const { path } of files) {
    for (const folder of foldersAbove(path)) if (!named.has(folder)) named.set(folder, { path: folder, content: null })
  }
  const sources = [...named.values()]
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map((file) => sourceOf(file, seconds, root))
  return Buffer.concat([...writeTar(root === "" ? sources : [folderSource(root, seconds), ...sources])])
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"))
}

function sourceOf({ path, content, mode, owner = 0 }: TreeFile, modifiedAt: number, root: string): TarSource {
  if (content === null) return { ...folderSource(`${root}${path}/`, modifiedAt, mode), owner }
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  return { name: `${root}${path}`, size: bytes.length, modifiedAt, mode: mode ?? 0o644, owner, pieces: [bytes] }
}

function folderSource(name: string, modifiedAt: number, mode = 0o755): TarSource {
  return { name, size: 0, modifiedAt, mode, isFolder: true, pieces: [] }
}
