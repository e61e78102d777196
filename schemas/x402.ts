/**
 * The x402 v2 objects that this service writes and reads (scheme `exact`, EIP-3009). Objects that it writes are closed. Objects from
 * clients are closed where they decide about money, and open where the protocol allows clients and extensions to add members. The caller
 * limits the size of the whole header.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, EvmAddress } from "./common.ts"
import { text } from "./text.ts"

const open = { additionalProperties: true } as const
const Members = Type.Record(Type.String(), Type.Unknown())

/** Canonical decimal without sign or leading zero, so equal amounts are equal texts. 78 digits hold any uint256. */
export const DecimalString = Type.String({ pattern: "^(0|[1-9][0-9]{0,77})$" })
/** Maximum length of a signature: 8 KB of hex, enough for every ERC-1271 wallet seen in use. */
export const SIGNATURE_HEX_CHARACTERS_MAX = 8192

export const PaymentRequirements = Type.Object(
  {
    scheme: text(1, 64),
    network: Type.String({ pattern: "^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$", description: "CAIP-2 chain id" }),
    amount: DecimalString,
    asset: EvmAddress,
    payTo: EvmAddress,
    maxTimeoutSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
    extra: Type.Optional(Type.Union([Members, Type.Null()])),
  },
  open,
)
export type PaymentRequirements = Static<typeof PaymentRequirements>

const ResourceInfo = Type.Object(
  {
    url: text(1, 2048),
    description: Type.Optional(Type.Union([text(0, 1024), Type.Null()])),
    mimeType: Type.Optional(Type.Union([text(0, 128), Type.Null()])),
  },
  open,
)

/** Open: the 402 body is this object plus `svc` (Interface, 402 "body-bound quote"). */
export const PaymentRequired = Type.Object(
  {
    x402Version: Type.Literal(2),
    error: Type.Optional(Type.String()),
    resource: ResourceInfo,
    accepts: Type.Array(PaymentRequirements, { minItems: 1, maxItems: 8 }),
    extensions: Type.Optional(Members),
  },
  open,
)
export type PaymentRequired = Static<typeof PaymentRequired>

const Eip3009Authorization = closed({
  from: EvmAddress,
  to: EvmAddress,
  value: DecimalString,
  validAfter: DecimalString,
  validBefore: DecimalString,
  nonce: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }),
})

/** Closed: with one more member (`permit2Authorization`) the official verifier would take another path. */
const Eip3009Payload = closed({
  signature: text(4, SIGNATURE_HEX_CHARACTERS_MAX + 2, {
    pattern: "^0x([0-9a-fA-F]{2})+$",
    description: "EIP-712 signature of the payer over the EIP-3009 authorization; 0x and hex digits",
  }),
  authorization: Eip3009Authorization,
})

export const PaymentPayload = Type.Object(
  {
    x402Version: Type.Literal(2),
    resource: Type.Optional(Type.Union([ResourceInfo, Type.Null()])),
    accepted: PaymentRequirements,
    payload: Eip3009Payload,
    extensions: Type.Optional(Type.Union([Members, Type.Null()])),
  },
  open,
)
export type PaymentPayload = Static<typeof PaymentPayload>

export const SettleResponse = Type.Object(
  {
    success: Type.Boolean(),
    transaction: text(0, 128),
    network: text(0, 64),
    errorReason: Type.Optional(text(0, 512)),
    errorMessage: Type.Optional(text(0, 4096)),
    payer: Type.Optional(text(0, 128)),
    amount: Type.Optional(DecimalString),
    extensions: Type.Optional(Members),
    extra: Type.Optional(Members),
  },
  open,
)
export type SettleResponse = Static<typeof SettleResponse>
