import { type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { isDeliveryBundleFormat } from "../../../schemas/bundle-formats.ts"
import { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { type DeliveryBundle, deliveryBundle } from "../../../schemas/us/delivery-bundle.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import type { Policy } from "../../checks/policy/policy.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { checkForm } from "../steps/shape.ts"

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

const Named: TSchema = Type.Object({
  format: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
  schema_version: Type.Optional(Type.String()),
})

/** Reads a delivery or a bundle. Returns null after reporting the fault. */
export function readDecisionDocument(bytes: Uint8Array, report: Report): DecisionDocument | null {
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
