/**
 * The map from agent to newest event: a compressed sparse Merkle tree (rulings 21). Empty: 32 zero bytes. One entry: SHA-256(0x02 ‖ key ‖
 * event digest). More: SHA-256(0x03 ‖ left ‖ right), split by the bits of the key, most significant first, 0 is left.
 *
 * A path proves that the key has exactly this digest under this root. The root fixes every node on the path as a branch or an entry, so no
 * second digest of the same key verifies. A path does not prove that a key is absent, and the service gives out no such proof. A path also
 * does not prove that the root was built honestly: that needs a replay of the log's leaves.
 */
import { concatBytes, type Sha256, sameBytes } from "./bytes.ts"

export const MAP_KEY_BYTES = 32
const KEY_BITS = 8 * MAP_KEY_BYTES
const MAP_KEY_PREFIX = new TextEncoder().encode("SVC-MAP-KEY-V1\n")
const ENTRY = Uint8Array.of(2)
const BRANCH = Uint8Array.of(3)

export const EMPTY_MAP: Uint8Array = new Uint8Array(MAP_KEY_BYTES)

export function mapKeyOf(sha256: Sha256, agentId: string): Uint8Array {
  return sha256(concatBytes(MAP_KEY_PREFIX, new TextEncoder().encode(agentId)))
}

export function mapEntryHash(sha256: Sha256, key: Uint8Array, digest: Uint8Array): Uint8Array {
  return sha256(concatBytes(ENTRY, key, digest))
}

export function mapBranchHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(BRANCH, left, right))
}

/** Bit `depth` of a key. 0 means left. */
export function mapKeyBit(key: Uint8Array, depth: number): 0 | 1 {
  return (((key[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1) as 0 | 1
}

/** Returns the number of leading bits that two keys share. */
export function sharedBits(left: Uint8Array, right: Uint8Array): number {
  for (let depth = 0; depth < KEY_BITS; depth++) {
    if (mapKeyBit(left, depth) !== mapKeyBit(right, depth)) return depth
  }
  return KEY_BITS
}

export interface MapProof {
  readonly key: Uint8Array
  readonly digest: Uint8Array
  /** Sibling hashes from the entry up to the root. Their number is the depth of the entry. */
  readonly path: readonly Uint8Array[]
  readonly root: Uint8Array
}

/** True if the key has this digest, and no other, under the root. */
export function verifyMapPath(sha256: Sha256, { key, digest, path, root }: MapProof): boolean {
  if (path.length > KEY_BITS) return false
  if (![key, digest, root, ...path].every((hash) => hash.length === MAP_KEY_BYTES)) return false
  let hash = mapEntryHash(sha256, key, digest)
  for (const [step, sibling] of path.entries()) {
    const right = mapKeyBit(key, path.length - 1 - step) === 1
    hash = right ? mapBranchHash(sha256, sibling, hash) : mapBranchHash(sha256, hash, sibling)
  }
  return sameBytes(hash, root)
}
