/** A layer of a container image: a tar whose bytes depend on its files alone, and its digests. */
import { hash } from "node:crypto"
import { type TarSource, writeTar } from "../../src/core/tar/tar.ts"
import { compressed } from "./archive.ts"

export interface ImageFile {
  /** From the root of the image, without a slash before it. */
  readonly path: string
  /** Null for an empty folder. */
  readonly content: Uint8Array | string | null
  /** Default 0o644, and 0o755 for a folder. */
  readonly mode?: number
  /** Number of the user and of its group. Default 0. */
  readonly owner?: number
}

/** A blob of the layout. */
export interface Blob {
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
}

export interface Layer {
  readonly blob: Blob
  /** Digest of the layer before its compression. */
  readonly diffId: string
}

const digestOf = (bytes: Uint8Array) => `sha256:${hash("sha256", bytes, "hex")}`

export function blobOf(mediaType: string, content: Uint8Array | object): Blob {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content))
  return { mediaType, bytes, digest: digestOf(bytes) }
}

/** As a manifest or an index names a blob. */
export function descriptorOf({ mediaType, bytes, digest }: Blob) {
  return { mediaType, digest, size: bytes.length }
}

/** `seconds`: time of each file since 1970. Folders above the files belong to root. */
export function layerOf(files: readonly ImageFile[], seconds: number): Layer {
  const named = new Map(files.map((file) => [file.path, file]))
  for (const { path } of files) {
    for (const folder of foldersAbove(path)) if (!named.has(folder)) named.set(folder, { path: folder, content: null })
  }
  const sources = [...named.values()]
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map((file) => sourceOf(file, seconds))
  const tar = Buffer.concat([...writeTar(sources)])
  return {
    blob: blobOf("application/vnd.oci.image.layer.v1.tar+gzip", compressed(tar)),
    diffId: digestOf(tar),
  }
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"))
}

function sourceOf({ path, content, mode, owner = 0 }: ImageFile, modifiedAt: number): TarSource {
  if (content === null) {
    return { name: `${path}/`, size: 0, modifiedAt, mode: mode ?? 0o755, owner, isFolder: true, pieces: [] }
  }
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  return { name: path, size: bytes.length, modifiedAt, mode: mode ?? 0o644, owner, pieces: [bytes] }
}
