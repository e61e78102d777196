/** An agent leaves the sales channel, or a part of it. Only its own OPT_IN undoes that. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, Identifier, signedDocument } from "../common.ts"
import { Channel } from "./channels.ts"
import { contractMembers, endMembers, ProductId } from "./notation.ts"
import { messageMembers } from "./signed-message.ts"

const OptOutScope = enumeration("ALL", "PRODUCT", "CHANNEL")

const subjectMembers = {
  scope: OptOutScope,
  product_id: Type.Union([ProductId, Type.Null()]),
  channel: Type.Union([Channel, Type.Null()]),
}

/** Exactly the member of the scope is not null: `product_id` for PRODUCT, `channel` for CHANNEL, none for ALL. Without `action`: OPT_OUT. */
export const SignedAgentSalesOptOut = closed(
  {
    ...messageMembers("svc.sales.opt-out.v1"),
    ...subjectMembers,
    action: Type.Optional(enumeration("OPT_OUT", "OPT_IN")),
  },
  { $id: "SignedAgentSalesOptOut" },
)
export type SignedAgentSalesOptOut = Static<typeof SignedAgentSalesOptOut>

const resultMembers = {
  status: enumeration("OPTED_OUT", "OPTED_IN"),
  ...subjectMembers,
  effective_at: DateTime,
}

/** CHOICE: a receipt states what holds, not whether the answer is a repetition, so a repetition has the same receipt. */
export const OptOutReceiptPayload = closed({
  domain: Type.Literal("svc.sales.opt-out-receipt.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Identifier,
  audience: AgentId,
  ...resultMembers,
  request_digest: digestOver("C14N of the message without its signature"),
})
export type OptOutReceiptPayload = Static<typeof OptOutReceiptPayload>

/**
 * CHOICE: `receipt` is null while no key of the service can sign. Leaving is recorded and effective all the same; the same message, or
 * another one later, gets the receipt.
 */
export const AgentSalesOptOutResult = closed(
  {
    ...contractMembers,
    ...resultMembers,
    replayed: Type.Boolean(),
    receipt: Type.Union([signedDocument(OptOutReceiptPayload), Type.Null()]),
    ...endMembers,
  },
  { $id: "AgentSalesOptOutResult" },
)
export type AgentSalesOptOutResult = Static<typeof AgentSalesOptOutResult>
