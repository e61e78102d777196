/** A layer of a container image: a tar whose bytes depend on its files alone, and its digests. */
import { hash } from "node:crypto"
import { compressed } from "./archive.ts"
import { type TreeFile, tarOfTree } from "./tree.ts"

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

/** `seconds`: time of each file since 1970. */
export function layerOf(files: readonly TreeFile[], seconds: number): Layer {
  const tar = tarOfTree(files, { seconds })
  return {
    blob: blobOf("application/vnd.oci.image.layer.v1.tar+gzip", compressed(tar)),
    diffId: digestOf(tar),
  }
}
