import type { ReviewEntry } from "../../../../schemas/review.ts"
import { bytesOfHex, decodeBase64 } from "../../../core/bytes.ts"
import type { Checkpoint } from "../../../core/checkpoint.ts"
import type { DocumentCrypto } from "../../../core/crypto/document-crypto.ts"
import { statementMark, writeLeafData } from "../../../core/leaf-data.ts"
import { leafHash, verifyInclusion } from "../../../core/merkle-tree.ts"
import { sha256Of } from "../../../core/passkeys/passkey.ts"
import { entryDigest } from "../../../core/review/review-chain.ts"

/** The first record that is no leaf of the log at the place that it names, or not after the record before it. */
export function leafFault(
  entries: readonly ReviewEntry[],
  head: Checkpoint | null,
  crypto: DocumentCrypto,
): string | null {
  if (head === null) return "the checkpoint cannot be read"
  const sha256 = (bytes: Uint8Array) => sha256Of(bytes, crypto)
  const subject = statementMark(sha256, "REVIEW")
  let before = -1
  for (const { sequence, previous_entry, record, place } of entries) {
    const at = `record ${sequence}`
    if (place.log_index <= before) return `${at} is in the log before the record that it follows`
    before = place.log_index
    const hashes = [place.map_root, ...place.inclusion_path].map((one) => decodeBase64(one, 32))
    const [mapRoot, ...path] = hashes.filter((one) => one !== null)
    if (!mapRoot || path.length !== place.inclusion_path.length) return `${at}: a hash of its proof cannot be read`
    const own = entryDigest({ sequence, record_digest: crypto.digestOf(record), previous_entry }, crypto)
    const digest = bytesOfHex(own.slice("sha256:".length))
    const holds =
      place.log_index < head.size &&
      verifyInclusion(sha256, {
        index: place.log_index,
        size: head.size,
        leafHash: leafHash(sha256, writeLeafData({ subject, digest, mapRoot })),
        path,
        rootHash: head.rootHash,
      })
    if (!holds) return `${at} is not in the log at the place that it names`
  }
  return null
}
