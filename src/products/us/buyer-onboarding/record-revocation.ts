/** The only transaction that revokes. The order of its steps makes a repetition harmless and a replay useless. */
import { findRevocation, insertRevocation, type Revocation } from "../../../store/buyers/buyer-revocations.ts"
import { findMandateKey } from "../../../store/buyers/buyers.ts"
import { hasDelegation, revokeDelegation } from "../../../store/buyers/delegations.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { spendNonce } from "../../../store/nonces.ts"

interface RevocationNonce {
  readonly value: string
  /** True if `issued_at` lies inside the window. */
  readonly fresh: boolean
  readonly expiresAt: string
}

type RevocationOutcome =
  | { readonly kind: "REVOKED"; readonly answer: string }
  | { readonly kind: "REFUSED" | "STALE" | "NONCE_USED" | "DELEGATION_UNKNOWN" }

/** The same bytes always get the first reply, also after their window. Another document for the same subject gets it too. */
export function* recordRevocation(revocation: Revocation, nonce: RevocationNonce): Unit<RevocationOutcome> {
  const { organizationId, kind, subjectId } = revocation
  const key = yield* findMandateKey(organizationId, revocation.signedByKeyId)
  if (key?.state !== "ACTIVE") return { kind: "REFUSED" }
  if (kind === "DELEGATION" && !(yield* hasDelegation(organizationId, subjectId))) return { kind: "DELEGATION_UNKNOWN" }

  const existing = yield* findRevocation(organizationId, kind, subjectId)
  if (existing?.contentDigest === revocation.contentDigest) return { kind: "REVOKED", answer: existing.answer }
  if (!nonce.fresh) return { kind: "STALE" }
  const scope = `buyer-revocation:${organizationId}`
  if (!(yield* spendNonce(scope, nonce.value, nonce.expiresAt, revocation.revokedAt))) {
    return { kind: "NONCE_USED" }
  }
  if (existing) return { kind: "REVOKED", answer: existing.answer }

  yield* insertRevocation(revocation)
  if (kind === "DELEGATION") yield* revokeDelegation(organizationId, subjectId, revocation.revokedAt)
  return { kind: "REVOKED", answer: revocation.answer }
}
