/**
 * The checks of a payment that need neither a node nor a database. They come before the official verifier, which throws
 * on malformed input and reports any changed field as a bad signature; ours name the field.
 */
import { isDeepStrictEqual } from "node:util"
import { type Address, getAddress, type Hex } from "viem"
import type { PaymentPayload, PaymentRequirements } from "../../schemas/x402.ts"
import { isPaymentPayload } from "./payload-shape.ts"

/** A payer's signed permission to move exactly one amount once. `signature` is a bearer instrument until `validBefore`. */
export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  /** Seconds since the epoch. */
  readonly validAfter: number
  readonly validBefore: number
  /** Lower-case. */
  readonly nonce: Hex
  readonly signature: Hex
}

/** x402's reason strings where one exists; `decision_fee_payer_mismatch` is ours. */
export type AuthorizationReason =
  | "invalid_payload"
  | "invalid_payment_requirements"
  | "invalid_exact_evm_recipient_mismatch"
  | "invalid_exact_evm_payload_authorization_value_mismatch"
  | "invalid_exact_evm_payload_authorization_valid_after"
  | "invalid_exact_evm_payload_authorization_valid_before"
  | "invalid_exact_evm_payload_undeployed_smart_wallet"
  | "decision_fee_payer_mismatch"

export type AuthorizationCheck =
  | { readonly ok: true; readonly authorization: Authorization }
  | { readonly ok: false; readonly reason: AuthorizationReason }

/** Time to decide, settle and be mined, asked of every authorization. */
export const VALIDITY_SECONDS_MIN = 60
/** How far a client's clock may run ahead of ours. */
export const CLIENT_SKEW_SECONDS = 30
/** ERC-6492: a wrapper for wallets not deployed yet. Settling it would mean calling a factory of the payer's choosing. */
const ERC6492_SUFFIX = "6492".repeat(16)

/**
 * `payload` is the decoded header, anything at all; `terms` are rebuilt from the request, never taken from the payload.
 * `expectedPayer` is the signed request's `decision_fee_payer`, or null where the request names none.
 */
export function checkAuthorization(
  payload: unknown,
  terms: PaymentRequirements,
  nowSeconds: number,
  expectedPayer: string | null,
): AuthorizationCheck {
  if (!isPaymentPayload(payload)) return refused("invalid_payload")
  if (!acceptsTerms(payload.accepted, terms)) return refused("invalid_payment_requirements")
  const { authorization: signed, signature } = payload.payload
  if (expectedPayer !== null && !sameAddress(signed.from, expectedPayer)) return refused("decision_fee_payer_mismatch")
  if (!sameAddress(signed.to, terms.payTo)) return refused("invalid_exact_evm_recipient_mismatch")
  if (signed.value !== terms.amount) return refused("invalid_exact_evm_payload_authorization_value_mismatch")

  const validAfter = BigInt(signed.validAfter)
  const validBefore = BigInt(signed.validBefore)
  const now = BigInt(nowSeconds)
  if (validAfter > now) return refused("invalid_exact_evm_payload_authorization_valid_after")
  const latest = now + BigInt(terms.maxTimeoutSeconds + CLIENT_SKEW_SECONDS)
  if (validBefore < now + BigInt(VALIDITY_SECONDS_MIN) || validBefore > latest) {
    return refused("invalid_exact_evm_payload_authorization_valid_before")
  }
  if (signature.toLowerCase().endsWith(ERC6492_SUFFIX)) {
    return refused("invalid_exact_evm_payload_undeployed_smart_wallet")
  }
  return { ok: true, authorization: authorizationOf(payload.payload) }
}

/** The signed members of a payload whose shape was checked, normalized. */
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

/** Every term equal and every member of our `extra` echoed; clients may add members (x402 server matching rule). */
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
