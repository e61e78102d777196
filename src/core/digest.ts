import { hash } from "node:crypto"
import { canonicalize } from "./canonical-json.ts"

/** `sha256:` and 64 lower-case hex characters. */
export type Digest = `sha256:${string}` & { readonly __digest: true }

/** Returns the digest of the bytes. A string is digested as its UTF-8 bytes. */
export function digestBytes(bytes: Uint8Array | string): Digest {
  return `sha256:${hash("sha256", bytes, "hex")}` as Digest
}

/** Returns the digest of a value: SHA-256 of its SVC-C14N-JSON-1 bytes. */
export function digestOf(value: unknown): Digest {
  return digestBytes(canonicalize(value))
}

interface NamedFile {
  readonly name: string
  /** 64 lower-case hex characters without a prefix. */
  readonly sha256: string
}

/**
 * Returns one digest for several files: SHA-256 of the lines `hex SP name LF`, sorted by name in UTF-8 order. A single file keeps its own
 * digest. Throws a TypeError for an empty list, and for names with which two different sets would print the same lines.
 */
export function digestFiles(files: readonly NamedFile[]): Digest {
  const names = new Set(files.map(({ name }) => name))
  if (names.size !== files.length) throw new TypeError("two files carry one name")
  for (const { name, sha256 } of files) {
    if (name === "" || name.includes("\n") || !name.isWellFormed()) throw new TypeError("not a manifest name")
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError("not a SHA-256 in lower-case hex")
  }
  const [only] = files
  if (!only) throw new TypeError("an empty list of files has no digest")
  if (files.length === 1) return `sha256:${only.sha256}` as Digest
  const sorted = [...files].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  return digestBytes(sorted.map((file) => `${file.sha256} ${file.name}\n`).join(""))
}
