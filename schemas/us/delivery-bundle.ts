import { Type } from "@sinclair/typebox"
import { DELIVERY_BUNDLE_FORMATS, type DeliveryBundleFormat, factsOfFormat } from "../bundle-formats.ts"
import { closed, Digest } from "../common.ts"
import { Jwks } from "../discovery/jwks.ts"
import { SnapshotReference } from "../source-fact.ts"
import { DecisionFacts } from "./decision-facts.ts"
import { DecisionResponse } from "./decision-response.ts"
import { DecisionRequest } from "./payment-decision.ts"

/** One delivery as a file that verifies and replays elsewhere. `issuer_jwks` is a convenience and never a reason for trust. */
export function deliveryBundle(format: DeliveryBundleFormat) {
  return closed({
    ...factsOfFormat(DecisionFacts, DELIVERY_BUNDLE_FORMATS, format),
    delivery: DecisionResponse,
    request: DecisionRequest,
    policy_checksum: Digest,
    issuer_jwks: Jwks,
    snapshots: Type.Array(SnapshotReference),
  })
}

export interface DeliveryBundle {
  format: DeliveryBundleFormat
  delivery: DecisionResponse
  request: DecisionRequest
  facts: DecisionFacts
  policy_checksum: string
  issuer_jwks: Jwks
  snapshots: SnapshotReference[]
}
