/**
 * Payment checks that need neither node nor database. They run before the official verifier, which throws on malformed input and reports
 * any changed field as a bad signature. These checks name the field.
 */
import { isDeepStrictEqual } from "node:util"
import { type Address, getAddress, type Hex } from "viem"
import type { PaymentPayload, PaymentRequirements } from "../../schemas/x402.ts"
import { isPaymentPayload } from "./payload-shape.ts"
import { plainSignature } from "./plain-signature.ts"

/** A payer's signed permission to transfer an exact amount once. `signature` is a bearer instrument until `validBefore`. */
export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  /** Seconds since the epoch. */
  readonly validAfter: number
  readonly validBefore: number
  /** In lower case. */
  readonly nonce: Hex
  readonly signature: Hex
}

/** The reason strings of x402 where one exists. Only `decision_fee_payer_mismatch` belongs to this service. */
type AuthorizationReason =
  | "invalid_payload"
  | "invalid_payment_requirements"
  | "invalid_exact_evm_recipient_mismatch"
  | "invalid_exact_evm_payload_authorization_value_mismatch"
  | "invalid_exact_evm_payload_authorization_valid_after"
  | "invalid_exact_evm_payload_authorization_valid_before"
  | "invalid_exact_evm_payload_undeployed_smart_wallet"
  | "decision_fee_payer_mismatch"

type AuthorizationCheck =
  | { readonly ok: true; readonly authorization: Authorization }
  | { readonly ok: false; readonly reason: AuthorizationReason }

/** Minimum remaining validity of an authorization from its first possible block, in seconds: time to decide, settle and be mined. */
export const VALIDITY_SECONDS_MIN = 60
/** How far a client's clock may run ahead of the chain's clock, in seconds. */
export const CLIENT_SKEW_SECONDS = 600
/** How long a payment waits for the first block past `validAfter`, in seconds of the chain's clock. */
export const VALID_AFTER_AHEAD_SECONDS_MAX = 60
/**
 * ERC-6492: a signature wrapper of wallets that are not deployed yet. To settle it, the service would call a factory that the payer chose.
 */
const ERC6492_SUFFIX = "6492".repeat(16)

/**
 * `payload`: the decoded header, unchecked. `terms`: rebuilt from the request, never copied from the payload. `expectedPayer`: the signed
 * request's `decision_fee_payer`, or null without one.
 */
export function checkAuthorization(
  payload: unknown,
  terms: PaymentRequirements,
  expectedPayer: string | null,
): AuthorizationCheck {
  if (!isPaymentPayload(payload)) return refused("invalid_payload")
  if (!acceptsTerms(payload.accepted, terms)) return refused("invalid_payment_requirements")
  const { authorization: signed, signature } = payload.payload
  if (expectedPayer !== null && !sameAddress(signed.from, expectedPayer)) return refused("decision_fee_payer_mismatch")
  if (!sameAddress(signed.to, terms.payTo)) return refused("invalid_exact_evm_recipient_mismatch")
  if (signed.value !== terms.amount) return refused("invalid_exact_evm_payload_authorization_value_mismatch")

  const quoteExpiresAt = Number(terms.extra?.["quoteExpiresAt"])
  if (BigInt(signed.validBefore) > BigInt(quoteExpiresAt + CLIENT_SKEW_SECONDS)) {
    return refused("invalid_exact_evm_payload_authorization_valid_before")
  }
  if (signature.toLowerCase().endsWith(ERC6492_SUFFIX)) {
    return refused("invalid_exact_evm_payload_undeployed_smart_wallet")
  }
  return { ok: true, authorization: authorizationOf(payload.payload) }
}

type WindowReason = Extract<AuthorizationReason, `${string}_valid_${string}`>

export function isWindowReason(reason: string): reason is WindowReason {
  return /_valid_(after|before)$/.test(reason)
}

/** The part of an authorization that says when it pays. Seconds since the epoch. */
export type Window = Pick<Authorization, "validAfter" | "validBefore">

/** Whether a block of this time (seconds) is past `validAfter`: USDC requires a later time, so an equal one is too early. */
export function hasBegun({ validAfter }: Pick<Window, "validAfter">, blockSeconds: number): boolean {
  return blockSeconds > validAfter
}

/**
 * Judges the window by the chain's clock, because the chain decides whether the transfer pays (rulings 93). `headSeconds`: time of the
 * newest block. Null when the authorization can be settled now, or after a short wait for its first block.
 */
export function checkWindow(
  { validAfter, validBefore }: Window,
  { maxTimeoutSeconds }: Pick<PaymentRequirements, "maxTimeoutSeconds">,
  headSeconds: number,
): WindowReason | null {
  if (validAfter > headSeconds + VALID_AFTER_AHEAD_SECONDS_MAX) {
    return "invalid_exact_evm_payload_authorization_valid_after"
  }
  const earliest = Math.max(validAfter, headSeconds) + VALIDITY_SECONDS_MIN
  const latest = headSeconds + maxTimeoutSeconds + CLIENT_SKEW_SECONDS
  const isPayable = validBefore >= earliest && validBefore <= latest
  return isPayable ? null : "invalid_exact_evm_payload_authorization_valid_before"
}

/**
 * The authorization as it goes to the chain. The signature of a payer without code gets the form that USDC accepts. A wallet gets its
 * signature unchanged. `payerHasCode`: as verified.
 */
export function settlingForm(authorization: Authorization, payerHasCode: boolean): Authorization {
  const signature = payerHasCode ? null : plainSignature(authorization.signature)
  return signature === null ? authorization : { ...authorization, signature }
}

/** The signed members of a payload with a checked shape, normalized. The signature keeps the form in which it was signed. */
export function authorizationOf({ authorization: signed, signature }: PaymentPayload["payload"]): Authorization {
  return {
    from: getAddress(signed.from),
    to: getAddress(signed.to),
    value: BigInt(signed.value),
    validAfter: Number(signed.validAfter),
    validBefore: Number(signed.validBefore),
    nonce: signed.nonce.toLowerCase() as Hex,
    signature: signature.toLowerCase() as Hex,
  }
}

/**
 * Requires every term to be equal and every member of the quoted `extra` to be echoed. Clients may add members (x402 server matching rule).
 */
function acceptsTerms(accepted: PaymentRequirements, terms: PaymentRequirements): boolean {
  const sameTerms =
    accepted.scheme === terms.scheme &&
    accepted.network === terms.network &&
    accepted.amount === terms.amount &&
    accepted.maxTimeoutSeconds === terms.maxTimeoutSeconds &&
    sameAddress(accepted.asset, terms.asset) &&
    sameAddress(accepted.payTo, terms.payTo)
  const echoed = accepted.extra ?? {}
  return sameTerms && Object.entries(terms.extra ?? {}).every(([name, value]) => isDeepStrictEqual(echoed[name], value))
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function refused(reason: AuthorizationReason): AuthorizationCheck {
  return { ok: false, reason }
}
