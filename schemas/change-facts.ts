import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "./common.ts"

/** An earlier answer to the same payer on which it could go on, as far as a change of payee looks at it. */
export const PriorAuthorization = closed({
  execution_id: Type.String(),
  product: Type.String(),
  decision: enumeration("APPROVE", "CONDITIONAL"),
  /** The company: its number in the UK, its strongest checked identifier in the US. */
  subject: Type.String(),
  payee_fingerprint: Digest,
  decided_at: DateTime,
})
export type PriorAuthorization = Static<typeof PriorAuthorization>

/** What our own records said of a change of payee in the unit that reserved its payment. */
export const ChangeFacts = closed({
  /** Null where the reference names no such answer. */
  prior_authorization: Type.Union([PriorAuthorization, Type.Null()]),
  /** Whether an answer to this payer was delivered on a challenge of this reference before. */
  challenge_reused: Type.Boolean(),
})
export type ChangeFacts = Static<typeof ChangeFacts>

/** What a change of payee came to, in one word. */
export const ChangeState = enumeration("AUTHORIZED", "AUTHORIZED_WITH_CONDITIONS", "REVIEW_REQUIRED", "DENIED")
export type ChangeState = Static<typeof ChangeState>
