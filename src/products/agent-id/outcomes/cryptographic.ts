import type { CryptographicOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { type SignatureFault, signatureFault, signatureFaultAside } from "../../../core/ed25519.ts"

export interface CryptographicFacts {
  readonly algorithm: string
  /** Canonical text the signature is over. */
  readonly signedText: string
  readonly signature: string
  readonly payloadDigest: string
  /** Made from the payload that was sent; null when none was, and then only the attested digest is signed for. */
  readonly recomputedPayloadDigest: string | null
}

/**
 * Did this key sign exactly these bytes? Nothing else: not whether the key still counts, nor when it signed. `x` (RFC 8037) is of
 * the named key, null when the agent has no such key or it could not be read.
 */
export function cryptographicOutcome(facts: CryptographicFacts, x: string | null): CryptographicOutcome {
  if (facts.algorithm !== "Ed25519") return notEvaluated("ALGORITHM_UNSUPPORTED")
  if (x === null) return notEvaluated("KEY_UNAVAILABLE")
  return evaluated(facts, signatureFault(x, facts.signedText, facts.signature))
}

/** The same, verified on another thread. */
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
