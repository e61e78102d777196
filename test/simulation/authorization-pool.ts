/**
 * Authorizations that are signed once and used by every world of this process: virtual time begins at the same instant in each, and the
 * ends of authorizations lie on a grid. A world that takes the same place of the pool gets the same nonce and signature.
 */
import { type Address, type Hex, keccak256, stringToHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import type { PaymentPayload, PaymentRequirements } from "../../schemas/x402.ts"
import type { Window } from "../../src/payments/authorization.ts"
import { signPayment } from "../fixtures/authorizations.ts"

const GRID_SECONDS = 10

export interface Pooled {
  readonly nonce: Hex
  readonly validBefore: number
  readonly payload: PaymentPayload
}

interface SignedOnce {
  readonly nonce: Hex
  readonly authorization: PaymentPayload["payload"]
}

const signed = new Map<string, SignedOnce>()

/** The places that one world has taken. */
export class AuthorizationPool {
  private readonly taken = new Map<string, number>()

  /** An authorization that is new in this world, which ends at `validBefore` (seconds) or up to ten seconds earlier. */
  async take(
    payer: PrivateKeyAccount,
    terms: PaymentRequirements,
    { validAfter, validBefore }: Window,
  ): Promise<Pooled> {
    const end = Math.floor(validBefore / GRID_SECONDS) * GRID_SECONDS
    const begin = validAfter === 0 ? "" : `:${validAfter}`
    const place = `${payer.address}:${terms.payTo}:${terms.amount}:${end}${begin}`
    const index = this.taken.get(place) ?? 0
    this.taken.set(place, index + 1)
    const window = { validAfter, validBefore: end }
    const { nonce, authorization } = await sign(`${place}:${index}`, payer, terms, window)
    return { nonce, validBefore: end, payload: { x402Version: 2, accepted: terms, payload: authorization } }
  }
}

async function sign(
  name: string,
  payer: PrivateKeyAccount,
  terms: PaymentRequirements,
  window: Window,
): Promise<SignedOnce> {
  const known = signed.get(name)
  if (known) return known
  const nonce = keccak256(stringToHex(name))
  const to = terms.payTo as Address
  const { payload } = await signPayment(payer, terms, 0, { nonce, ...window, to })
  const made = { nonce, authorization: payload }
  signed.set(name, made)
  return made
}
