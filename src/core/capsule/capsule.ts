/**
 * The proof capsule: the statement that the service signs about a delivered decision. `core_digest` covers everything except `billing`,
 * `delivery` and the capsule itself. An edit that recomputes every digest still fails without the signing key.
 */
import type { DecisionFacts } from "../../../schemas/us/decision-facts.ts"
import type { DecisionCore } from "../../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import type { CapsulePayload } from "../../../schemas/us/proof-capsule.ts"
import { type Digest, digestOf } from "../digest.ts"
import { capsuleViewOfCore, capsuleViewOfRequest, digestedResponse } from "./capsule-view.ts"

/** Statements that the capsule does not make. They are listed so that no reader assumes them. */
const LIMITATIONS = [
  "BILLING_AND_DELIVERY_NOT_SIGNED",
  "NOT_PROOF_OF_SUPPLIER_PAYMENT",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

export function capsulePayload(core: DecisionCore, request: DecisionRequest, facts: DecisionFacts): CapsulePayload {
  return {
    domain: "svc.proof-capsule.v1",
    schema_version: "1.0.0",
    issuer: facts.issuer,
    environment: facts.environment,
    ...capsuleViewOfCore(core, digestOf),
    core_digest: digestOf(core),
    facts_digest: digestOf(facts),
    ...capsuleViewOfRequest(request, digestOf),
    screening: {
      scorer_version: facts.screening.scorer_version,
      parameter_digest: facts.screening.parameter_digest,
    },
    limitations: [...LIMITATIONS],
    issued_at: facts.at,
  }
}

/** Returns the digest of the response with `delivery.response_digest` removed. */
export function responseDigest(response: Parameters<typeof digestedResponse>[0]): Digest {
  return digestOf(digestedResponse(response))
}
