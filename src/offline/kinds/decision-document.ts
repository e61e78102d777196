import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { isDeliveryBundleFormat } from "../../../schemas/bundle-formats.ts"
import { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { type DeliveryBundle, deliveryBundle } from "../../../schemas/us/delivery-bundle.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import type { Policy } from "../../checks/policy/policy.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { readForm } from "../steps/shape.ts"

/** What offline verification needs of the Payment Decision: data only, so that it also runs in a browser. */
export interface DecisionForm {
  /** Every published version. */
  readonly policies: readonly Policy<unknown>[]
}

export interface DecisionDocument {
  readonly value: JsonValue
  readonly delivery: DecisionResponse
  /** Null if the document is a delivery alone. */
  readonly bundle: DeliveryBundle | null
}

const Named = Type.Object({
  format: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
  schema_version: Type.Optional(Type.String()),
})

/** Reads a delivery or a bundle. Returns null after reporting the fault. */
export function readDecisionDocument(bytes: Uint8Array, report: Report): DecisionDocument | null {
  const value = readDocument(bytes, report)
  if (value === undefined) return null
  if (!Value.Check(Named, value)) {
    report.unchecked("document", "neither a delivery nor a bundle")
    return null
  }
  const { format, product, schema_version: version } = value
  if (isDeliveryBundleFormat(format)) {
    const form = { schema: deliveryBundle(format), value, ok: format, invalid: "not a bundle of its format" }
    if (readForm(report, "schema", form) === null) return null
    // The schema of its format has already accepted it.
    const bundle = value as unknown as DeliveryBundle
    return { value, delivery: bundle.delivery, bundle }
  }
  if (format !== undefined || product !== PAYMENT_DECISION_PRODUCT || version !== "1.0.0") {
    report.unchecked("document", "unknown product, format or version")
    return null
  }
  const form = { schema: DecisionResponse, value, ok: "delivery 1.0.0", invalid: "not a delivery of its version" }
  const delivery = readForm(report, "schema", form)
  return delivery && { value, delivery, bundle: null }
}
