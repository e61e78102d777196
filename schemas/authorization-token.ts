/** Redeeming, revoking and querying authorization tokens. The interface names the tokens and does not define these routes (rulings 58). */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "./common.ts"
import { type Operation, operation } from "./operation.ts"
import { problem } from "./problem.ts"
import { text } from "./text.ts"
import { GbRepeatedBinding, UsRepeatedBinding } from "./token-binding.ts"

const version = { schema_version: Type.Literal("1.0.0") }
const held = {
  token: Type.String({
    pattern: "^svc_at_[A-Za-z0-9_-]{43}$",
    description: "The authorization token of a paid answer; whoever holds it may use it",
  }),
}
const once = { idempotency_key: text(8, 120) }

/** CHOICE: the reason for revoking a change is one of five words, because free text would invite bank details. */
export const TokenRevocationReason = enumeration(
  "CHANGE_WITHDRAWN",
  "FRAUD_SUSPECTED",
  "TOKEN_EXPOSED",
  "SUPERSEDED",
  "UNSPECIFIED",
)

const GbRedemption = closed({ ...version, ...held, ...once, binding: GbRepeatedBinding }, { $id: "GbRedemption" })
const UsRedemption = closed({ ...version, ...held, ...once, binding: UsRepeatedBinding }, { $id: "UsRedemption" })
export type Redemption = Static<typeof GbRedemption> | Static<typeof UsRedemption>

const Revocation = closed({ ...version, ...held, ...once, reason: TokenRevocationReason }, { $id: "TokenRevocation" })
export type Revocation = Static<typeof Revocation>

const StatusRequest = closed({ ...version, ...held }, { $id: "TokenStatusRequest" })
export type StatusRequest = Static<typeof StatusRequest>

const ends = { limitations: Type.Array(Type.String()), next_machine_action: Type.String() }
const TokenKind = enumeration("PAYMENT", "VENDOR_CHANGE")

/** A repetition differs from the first reply only in `replayed`. */
export const RedemptionAnswer = closed(
  {
    ...version,
    token_state: Type.Literal("SPENT"),
    kind: TokenKind,
    product: Type.String(),
    redeemed_at: DateTime,
    expires_at: DateTime,
    replayed: Type.Boolean(),
    ...ends,
  },
  { $id: "RedemptionAnswer" },
)
export type RedemptionAnswer = Static<typeof RedemptionAnswer>

/** The first revocation remains valid: every later one gets its time and its reason. */
export const TokenRevocationAnswer = closed(
  {
    ...version,
    token_state: Type.Literal("REVOKED"),
    kind: Type.Literal("VENDOR_CHANGE"),
    product: Type.String(),
    revoked_at: DateTime,
    reason: TokenRevocationReason,
    expires_at: DateTime,
    replayed: Type.Boolean(),
    ...ends,
  },
  { $id: "TokenRevocationAnswer" },
)
export type TokenRevocationAnswer = Static<typeof TokenRevocationAnswer>

/** `in_use`: a Payment Decision that is being bought relies on the token and may use it up. */
export const TokenStatusAnswer = closed(
  {
    ...version,
    token_state: enumeration("ISSUED", "SPENT", "REVOKED", "EXPIRED"),
    kind: TokenKind,
    product: Type.String(),
    single_use: Type.Literal(true),
    revocable: Type.Boolean(),
    in_use: Type.Boolean(),
    issued_at: DateTime,
    expires_at: DateTime,
    spent_at: Type.Union([DateTime, Type.Null()]),
    revoked_at: Type.Union([DateTime, Type.Null()]),
    valid_as_of: DateTime,
    ...ends,
  },
  { $id: "TokenStatusAnswer" },
)
export type TokenStatusAnswer = Static<typeof TokenStatusAnswer>

type Country = "gb" | "us"

function tokenOperation<const Body extends TSchema>(
  country: Country,
  verb: "redeem" | "revoke" | "status",
  row: Pick<Operation<Body>, "summary" | "body" | "exampleBody" | "responses" | "intent">,
): Operation<Body> {
  return operation({
    ...row,
    id: `${verb}_${country}_authorization_token`,
    method: "POST",
    path: `/v1/${country}/authorization-tokens/${verb}`,
    responses: {
      ...row.responses,
      404: problem("No such token in this country"),
      422: problem("Body does not match the closed schema"),
    },
    authentication: "TOKEN",
    lifecycle: "ACTIVE",
    price: null,
    cors: "NONE",
    bankData: "REFUSED",
    rateLimit: { group: "redeem", perMinute: 60 },
  })
}

/** No answer has this token. */
const heldExample = { schema_version: "1.0.0", token: `svc_at_${"A".repeat(43)}` } as const
const onceExample = { ...heldExample, idempotency_key: "redeem-0001" } as const
const paymentExample = {
  wallet: `0x${"Ab".repeat(20)}`,
  payee_fingerprint: `sha256:${"0".repeat(64)}`,
  amount: "1250.00",
} as const
const gbBindingExample = { company_number: "01234567", ...paymentExample, currency: "GBP" } as const
const usBindingExample = { supplier_key: "uei:ZQGGHJH74DW7", ...paymentExample, currency: "USD" } as const

function redeem<const Body extends TSchema>(country: Country, body: Body, binding: object): Operation<Body> {
  return tokenOperation(country, "redeem", {
    summary: "Spend an authorization token once, repeating every value it is bound to",
    intent: {
      name: country === "gb" ? "REDEEM_GB_TOKEN" : "REDEEM_US_TOKEN",
      notFor: ["MOVING_MONEY", "OTHER_VALUES"],
    },
    body,
    exampleBody: { ...onceExample, binding },
    responses: {
      200: { description: "Spent now, or by this same request before", schema: RedemptionAnswer },
      409: problem("Bound to other values, spent, revoked, expired, in use, or the key was used with another body"),
    },
  })
}

function revoke(country: Country) {
  return tokenOperation(country, "revoke", {
    summary: "Revoke the authorization of a changed payment destination",
    intent: { name: country === "gb" ? "REVOKE_GB_TOKEN" : "REVOKE_US_TOKEN", notFor: ["PAYMENT_TOKENS", "REFUND"] },
    body: Revocation,
    exampleBody: { ...onceExample, reason: "CHANGE_WITHDRAWN" },
    responses: {
      200: { description: "Revoked now or before", schema: TokenRevocationAnswer },
      409: problem("Not revocable, spent, expired, in use, or the key was used with another body"),
    },
  })
}

function status(country: Country) {
  return tokenOperation(country, "status", {
    summary: "Read the state of an authorization token",
    intent: { name: country === "gb" ? "READ_GB_TOKEN_STATUS" : "READ_US_TOKEN_STATUS", notFor: ["REDEMPTION"] },
    body: StatusRequest,
    exampleBody: heldExample,
    responses: { 200: { description: "Current state", schema: TokenStatusAnswer } },
  })
}

export const redeemGbToken = redeem("gb", GbRedemption, gbBindingExample)
export const revokeGbToken = revoke("gb")
export const getGbTokenStatus = status("gb")
export const redeemUsToken = redeem("us", UsRedemption, usBindingExample)
export const revokeUsToken = revoke("us")
export const getUsTokenStatus = status("us")
