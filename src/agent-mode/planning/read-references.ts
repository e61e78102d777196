/** Reads what the service holds of the evidence that a caller names. */

import type { EvidenceReference } from "../../../schemas/agent-mode/planning.ts"
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { ProofCapsule } from "../../../schemas/us/proof-capsule.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { findCapsuleByDigest } from "../../store/planning/delivered-capsules.ts"
import { findLiveEntry, findTokenState, type TokenState } from "../../store/wallet/wallet-pages.ts"
import type { SubjectDigests } from "../wallet/judge-reuse.ts"
import { type AnyCapsule, openCapsule } from "../wallet/open-capsule.ts"
import type { WalletIssuer } from "../wallet/opened-artifact.ts"
import { reusableEntry } from "../wallet/wallet-view.ts"
import type { FoundReference, ReferenceLine } from "./judge-references.ts"

type Issuer = Pick<WalletIssuer, "findKey" | "verifyPassport">

/** `now` is RFC 3339. A reference that the caller does not authorize is not looked up. */
export function* readReferences(
  references: readonly EvidenceReference[],
  issuer: Issuer,
  now: string,
): Unit<readonly ReferenceLine[]> {
  const lines: ReferenceLine[] = []
  for (const reference of references) {
    const found = reference.authorized_by_caller ? yield* findReference(reference, issuer, now) : null
    lines.push({ reference, found })
  }
  return lines
}

function* findReference(
  { digest, wallet_entry_id: walletEntryId }: EvidenceReference,
  issuer: Issuer,
  now: string,
): Unit<FoundReference | null> {
  if (walletEntryId !== null) {
    const entry = yield* findLiveEntry(walletEntryId, digest, now)
    // Only imports write entries.
    return (
      entry && { ...reusableEntry(entry, entry, issuer), subject: JSON.parse(entry.subjectDigests) as SubjectDigests }
    )
  }
  const capsuleJson = yield* findCapsuleByDigest(digest)
  if (capsuleJson === null) return null
  // The service wrote it.
  const capsule = JSON.parse(capsuleJson) as ProofCapsule | AnswerCapsule
  return foundCapsule(capsule, yield* findTokenState(capsule.payload.core_digest), issuer)
}

function foundCapsule(capsule: AnyCapsule, token: TokenState, issuer: Issuer): FoundReference {
  const { subjectDigests: subject, ...opened } = openCapsule(capsule, "", issuer)
  return { ...reusableEntry(opened, token, issuer), subject }
}
