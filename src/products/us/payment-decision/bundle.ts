import { type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { DELIVERY_BUNDLE_FORMATS, isDeliveryBundleFormat } from "../../../../schemas/bundle-formats.ts"
import type { Jwks } from "../../../../schemas/discovery/jwks.ts"
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import { type DecisionCore, DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import { type DeliveryBundle, deliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../../schemas/us/payment-decision.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import type { Digest } from "../../../core/digest.ts"
import type { JsonValue } from "../../../core/strict-json.ts"
import type { Report } from "../../../offline/report.ts"
import type { StatedReason } from "../../../offline/steps/check-document.ts"
import { checkForm, readDocument, snapshotsOf } from "../../../offline/steps/read-document.ts"

/** What verification needs of the product: no decision, so that it also runs in a browser. */
export interface VerifyRules {
  requestDigest(request: DecisionRequest): Digest
  /** Null if this program does not have that version. */
  policyChecksum(id: string, version: string): Digest | null
  /** The reasons of a delivery in the texts of its policy version. */
  reasonsInWords(delivery: DecisionResponse): readonly StatedReason[]
}

/** The product's own definitions as a parameter, so that these functions do not depend on the decision rules. */
export interface ReplayRules extends VerifyRules {
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

export interface DeliveryDocument {
  readonly value: JsonValue
  readonly delivery: DecisionResponse
  /** Null if the document is a delivery alone. */
  readonly bundle: DeliveryBundle | null
}

const Named: TSchema = Type.Object({
  format: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
  schema_version: Type.Optional(Type.String()),
})

/** Reads a delivery or a bundle. Returns null after reporting the fault. */
export function readDeliveryDocument(bytes: Uint8Array, report: Report): DeliveryDocument | null {
  const document = readDocument(bytes, report)
  if (!document) return null
  const { value } = document
  if (!Value.Check(Named, value)) {
    report.unchecked("document", "neither a delivery nor a bundle")
    return null
  }
  const named = value as { format?: string; product?: string; schema_version?: string }
  if (isDeliveryBundleFormat(named.format)) {
    const form = {
      schema: deliveryBundle(named.format),
      value,
      ok: named.format,
      invalid: "not a bundle of its format",
    }
    if (!checkForm(report, "schema", form)) return null
    const bundle = value as unknown as DeliveryBundle
    return { value, delivery: bundle.delivery, bundle }
  }
  if (named.format !== undefined || named.product !== PAYMENT_DECISION_PRODUCT || named.schema_version !== "1.0.0") {
    report.unchecked("document", "unknown product, format or version")
    return null
  }
  const form = { schema: DecisionResponse, value, ok: "delivery 1.0.0", invalid: "not a delivery of its version" }
  if (!checkForm(report, "schema", form)) return null
  return { value, delivery: value as unknown as DecisionResponse, bundle: null }
}
