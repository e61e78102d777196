/** In the client module in place of `core/digest.ts`: the same without `node:crypto`. */
import { canonicalize } from "../../../core/canonical-json.ts"
import type { Digest } from "../../../core/digest.ts"
import { digestText, hashOfText, sha256 } from "../../../offline/portable/encoding.ts"

export function digestBytes(bytes: Uint8Array | string): Digest {
  return digestText(typeof bytes === "string" ? hashOfText(bytes) : sha256(bytes)) as Digest
}

export function digestOf(value: unknown): Digest {
  return digestBytes(canonicalize(value))
}
