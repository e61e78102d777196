/**
 * In the client module in place of `core/signed-forms.ts` and `forms/request-draft.ts`: only the forms that a buyer signs, made of the
 * schemas that the module has anyway.
 */
import { BuyerMandate } from "../../../../schemas/us/mandate.ts"
import { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import type { JsonValue } from "../../../core/strict-json.ts"
import { findMismatch } from "../../../jobs/buyer-signing/match-schema.ts"

interface ObjectSchema {
  readonly type: string
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

function withoutMember(schema: ObjectSchema, name: string): ObjectSchema {
  const { [name]: _, ...properties } = schema.properties
  return { ...schema, properties, required: (schema.required ?? []).filter((one) => one !== name) }
}

/** What a request signature covers. */
function unsigned(schema: ObjectSchema): ObjectSchema {
  const agent = schema.properties["requesting_agent"] as ObjectSchema
  return {
    ...schema,
    properties: { ...schema.properties, requesting_agent: withoutMember(agent, "request_signature") },
  }
}

export const RequestDraft = withoutMember(DecisionRequest, "buyer_mandate")

export const signedForms = {
  MANDATE: { domain: null, schema: BuyerMandate.properties.payload },
  DECISION_REQUEST: { domain: null, schema: unsigned(DecisionRequest) },
  VENDOR_CHANGE: { domain: VendorChangeRequest.properties.domain.const, schema: unsigned(VendorChangeRequest) },
}

export function isSignedForm(form: keyof typeof signedForms, value: JsonValue): boolean {
  return findMismatch({ ...signedForms[form].schema }, value) === null
}
