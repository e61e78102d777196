import type { CryptographicOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"
import { signatureFault } from "../../../core/ed25519.ts"

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
  const { recomputedPayloadDigest } = facts
  if (facts.algorithm !== "Ed25519") return { outcome: "NOT_EVALUATED", reason_codes: ["ALGORITHM_UNSUPPORTED"] }
  if (x === null) return { outcome: "NOT_EVALUATED", reason_codes: ["KEY_UNAVAILABLE"] }
  const reasons: CryptographicOutcome["reason_codes"] = []
  const fault = signatureFault(x, facts.signedText, facts.signature)
  if (fault) reasons.push(fault)
  if (recomputedPayloadDigest !== null && recomputedPayloadDigest !== facts.payloadDigest) {
    reasons.push("PAYLOAD_DIGEST_MISMATCH")
  }
  return { outcome: reasons.length === 0 ? "VALID" : "INVALID", reason_codes: reasons }
}
