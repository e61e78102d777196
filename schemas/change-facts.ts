import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "./common.ts"

/** An earlier answer that allowed the same payer to continue: the members that a check of a payee change needs. */
export const PriorAuthorization = closed({
  execution_id: Type.String(),
  product: Type.String(),
  decision: enumeration("APPROVE", "CONDITIONAL"),
  /** The company: its number in the UK, its strongest checked identifier in the US. */
  subject: Type.String(),
  payee_fingerprint: Digest,
  decided_at: DateTime,
  /**
   * US: true if it is about the request's supplier and named one of the anchors that the request names (rulings 89). Absent in the UK and in
   * facts of v1: the subjects decide.
   */
  vouches: Type.Optional(Type.Boolean()),
})
export type PriorAuthorization = Static<typeof PriorAuthorization>

/** The service's own records about a change of payee, as read in the transaction that reserved its payment. */
export const ChangeFacts = closed({
  /** Null if the reference names no such answer. */
  prior_authorization: Type.Union([PriorAuthorization, Type.Null()]),
  /** True if an earlier answer to this payer was delivered on a challenge with this reference. */
  challenge_reused: Type.Boolean(),
})
export type ChangeFacts = Static<typeof ChangeFacts>

/** The result of a change of payee in one word. */
export const ChangeState = enumeration("AUTHORIZED", "AUTHORIZED_WITH_CONDITIONS", "REVIEW_REQUIRED", "DENIED")
export type ChangeState = Static<typeof ChangeState>
