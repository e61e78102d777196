import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, EvmAddress, Nonce, signatureOver } from "../common.ts"
import { decisionRequestMembers } from "./payment-decision.ts"

/** The decision request in a recovery: the fee payer may be missing (Interface, "Payment Decision recovery request"). */
export const RecoverableRequest = closed({
  ...decisionRequestMembers,
  decision_fee_payer: Type.Optional(EvmAddress),
})
export type RecoverableRequest = Static<typeof RecoverableRequest>

const RecoveryAuthentication = closed({
  issued_at: DateTime,
  nonce: Nonce,
  signature: signatureOver("C14N of {audience, domain, issued_at, nonce, request_digest} (RECOVERY)"),
})

export const RecoveryRequest = closed(
  { request: RecoverableRequest, authentication: RecoveryAuthentication },
  { $id: "RecoveryRequest" },
)
export type RecoveryRequest = Static<typeof RecoveryRequest>
