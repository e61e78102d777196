import { type Static, Type } from "@sinclair/typebox"
import { closed, Digest } from "../common.ts"
import { Jwks } from "../discovery/jwks.ts"
import { SnapshotReference } from "../source-fact.ts"
import { DecisionFacts } from "./decision-facts.ts"
import { DecisionResponse } from "./decision-response.ts"
import { DecisionRequest } from "./payment-decision.ts"

export const DELIVERY_BUNDLE_FORMAT = "svc.delivery-bundle.v1"

/** One delivery as a file that verifies and replays elsewhere. `issuer_jwks` is a convenience and never a reason for trust. */
export const DeliveryBundle = closed({
  format: Type.Literal(DELIVERY_BUNDLE_FORMAT),
  delivery: DecisionResponse,
  request: DecisionRequest,
  facts: DecisionFacts,
  policy_checksum: Digest,
  issuer_jwks: Jwks,
  snapshots: Type.Array(SnapshotReference),
})
export type DeliveryBundle = Static<typeof DeliveryBundle>
