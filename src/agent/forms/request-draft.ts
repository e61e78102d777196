import { type Static, Type } from "@sinclair/typebox"
import { DecisionRequest } from "../../../schemas/us/payment-decision.ts"

/** The request before any signature; its `request_signature` is the text `unsigned`. */
export const RequestDraft = Type.Omit(DecisionRequest, ["buyer_mandate"], { additionalProperties: false })
export type RequestDraft = Static<typeof RequestDraft>
