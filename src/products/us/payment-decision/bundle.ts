import { DELIVERY_BUNDLE_FORMATS } from "../../../../schemas/bundle-formats.ts"
import type { Jwks } from "../../../../schemas/discovery/jwks.ts"
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore, DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import type { DeliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import type { Digest } from "../../../core/digest.ts"
import type { DecisionForm } from "../../../offline/kinds/decision-document.ts"
import { snapshotsOf } from "../../../offline/steps/content.ts"

/** The product's own definitions as a parameter, so that these functions do not depend on the decision rules. */
export interface ReplayRules extends DecisionForm {
  /** Null if this program does not have the policy version. */
  decide(
    request: DecisionRequest,
    facts: DecisionFacts,
    policy: { readonly id: string; readonly version: string },
  ): DecisionCore | null
}

/** The file that `export` writes: C14N bytes and nothing after them. */
export function bundleBytes(content: {
  delivery: DecisionResponse
  request: DecisionRequest
  facts: DecisionFacts
  policyChecksum: Digest
  issuerJwks: Jwks
}): Uint8Array {
  const bundle: DeliveryBundle = {
    format: DELIVERY_BUNDLE_FORMATS[content.facts.format],
    delivery: content.delivery,
    request: content.request,
    facts: content.facts,
    policy_checksum: content.policyChecksum,
    issuer_jwks: content.issuerJwks,
    snapshots: snapshotsOf(content.facts),
  }
  return canonicalBytes(bundle)
}
