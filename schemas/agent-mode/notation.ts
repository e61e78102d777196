/** The members that all requests and answers of agent mode share, and its texts. No text has a space, so none can carry a sentence. */
import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"

/** The first members of every request and answer. */
export const contractMembers = {
  schema_version: Type.Literal("1.0.0"),
  contract_version: Type.Literal("1.0.0"),
} as const

/** A name in capitals, for example a reason code. */
export const Word = Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,63}$" })
/** An id that the caller chooses (Interface: `consentId`, `offerCapsuleId`). */
export const CallerId = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{7,159}$" })
export const MessageKey = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{7,119}$",
  description: "Idempotency key, 8 to 120 characters",
})
export const ProductId = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}$" })
export const AtomicUnits = Type.String({
  pattern: "^(0|[1-9][0-9]{0,77})$",
  description: "Smallest units",
})
export const Origin = Type.String({ pattern: "^https?://[A-Za-z0-9.:\\[\\]-]{1,260}$" })
export const Uri = Type.String({ pattern: "^https?://[!-~]{1,2000}$" })

const False = Type.Literal(false)

/** What a call of agent mode never does. */
export const Effects = closed({
  external_source_calls: Type.Literal(0),
  charged: False,
  decision_created: False,
  delivery_created: False,
  reservation_created: False,
})
export type Effects = Static<typeof Effects>

/** The last members of every answer. */
export const endMembers = {
  effects: Effects,
  limitations: Type.Array(Word, { maxItems: 32, uniqueItems: true }),
  next_machine_action: Word,
} as const

/** Headers of every response of the routes that no setting switches off. */
export const ACTIVE_HEADERS = { "x-contract-version": "1.0.0", "x-agent-mode-lifecycle": "ACTIVE" } as const

/** Whether the setting of a route is on, beside the lifecycle that the interface fixes: `true` or `false`. */
export const ENABLED_HEADER = "x-agent-mode-enabled"
