import type { CryptographicOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { type SignatureFault, signatureFault, signatureFaultAside } from "../../../core/ed25519.ts"

export interface CryptographicFacts {
  readonly algorithm: string
  /** Canonical text that the signature covers. */
  readonly signedText: string
  readonly signature: string
  readonly payloadDigest: string
  /** Digest of the payload that was sent. Null if none was sent; then the signature covers only the attested digest. */
  readonly recomputedPayloadDigest: string | null
}

/**
 * Checks that this key signed exactly these bytes. It does not check whether the key is still active or when it signed. `x` (RFC 8037)
 * belongs to the named key. It is null if the agent has no such key or the key could not be read.
 */
export function cryptographicOutcome(facts: CryptographicFacts, x: string | null): CryptographicOutcome {
  if (facts.algorithm !== "Ed25519") return notEvaluated("ALGORITHM_UNSUPPORTED")
  if (x === null) return notEvaluated("KEY_UNAVAILABLE")
  return evaluated(facts, signatureFault(x, facts.signedText, facts.signature))
}

/** The same check on another thread. */
export async function cryptographicOutcomeAside(
  facts: CryptographicFacts,
  x: string | null,
): Promise<CryptographicOutcome> {
  if (facts.algorithm !== "Ed25519") return notEvaluated("ALGORITHM_UNSUPPORTED")
  if (x === null) return notEvaluated("KEY_UNAVAILABLE")
  return evaluated(facts, await signatureFaultAside(x, facts.signedText, facts.signature))
}

function notEvaluated(reason: "ALGORITHM_UNSUPPORTED" | "KEY_UNAVAILABLE"): CryptographicOutcome {
  return { outcome: "NOT_EVALUATED", reason_codes: [reason] }
}

function evaluated(
  { payloadDigest, recomputedPayloadDigest }: CryptographicFacts,
  fault: SignatureFault | null,
): CryptographicOutcome {
  const reasons: CryptographicOutcome["reason_codes"] = []
  if (fault) reasons.push(fault)
  if (recomputedPayloadDigest !== null && recomputedPayloadDigest !== payloadDigest) {
    reasons.push("PAYLOAD_DIGEST_MISMATCH")
  }
  return { outcome: reasons.length === 0 ? "VALID" : "INVALID", reason_codes: reasons }
}
