import { type Digest, digestOf } from "../../core/digest.ts"
import type { Policy } from "./policy.ts"

const checksums = new WeakMap<Policy<unknown>, Digest>()

/** Returns the digest of the policy without a checksum member (rulings 9). A policy never changes, so the digest is cached. */
export function policyChecksum(policy: Policy<unknown>): Digest {
  const known = checksums.get(policy)
  if (known !== undefined) return known
  const checksum = digestOf(policy)
  checksums.set(policy, checksum)
  return checksum
}
