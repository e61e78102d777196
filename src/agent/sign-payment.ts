/** Signs an EIP-3009 payment (x402 version 2, scheme exact) as the official client does. It needs no network. */
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from "../../schemas/x402.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64 } from "../core/bytes.ts"
import { SECOND } from "../core/time.ts"
import { type Asset, eip712Domain, TRANSFER_TYPES } from "../payments/networks/network.ts"
import type { QuoteTerms } from "./quote-file.ts"

/** What signs. An account of viem fits. */
export interface Wallet {
  readonly address: string
  signTypedData(typed: {
    readonly domain: ReturnType<typeof eip712Domain>
    readonly types: typeof TRANSFER_TYPES
    readonly primaryType: "TransferWithAuthorization"
    readonly message: Readonly<Record<"value" | "validAfter" | "validBefore", bigint>> &
      Readonly<Record<"from" | "to" | "nonce", `0x${string}`>>
  }): Promise<string>
}

type Clock = Pick<Machine, "now" | "random">

/** Returns the text of the payment header for a quote's offer. */
export async function signPayment(
  { resource, extensions }: PaymentRequired,
  { requirements, asset }: Pick<QuoteTerms, "requirements" | "asset">,
  wallet: Wallet,
  machine: Clock,
): Promise<string> {
  const payload = await signAuthorization(requirements, asset, wallet, machine)
  // The protocol wants the extensions of the quote back.
  const payment = { x402Version: 2, payload, extensions, resource, accepted: requirements }
  return encodeBase64(new TextEncoder().encode(JSON.stringify(payment)))
}

/** Permits exactly the amount of the terms, from any time until the quote's window ends. */
export async function signAuthorization(
  terms: PaymentRequirements,
  asset: Asset,
  wallet: Wallet,
  machine: Clock,
): Promise<PaymentPayload["payload"]> {
  const message = {
    from: wallet.address as `0x${string}`,
    to: terms.payTo as `0x${string}`,
    value: BigInt(terms.amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(machine.now() / SECOND) + terms.maxTimeoutSeconds),
    nonce: hexOf(machine.random(32)),
  }
  const signature = await wallet.signTypedData({
    domain: eip712Domain(asset),
    types: TRANSFER_TYPES,
    primaryType: "TransferWithAuthorization",
    message,
  })
  const authorization = {
    ...message,
    value: String(message.value),
    validAfter: String(message.validAfter),
    validBefore: String(message.validBefore),
  }
  return { authorization, signature }
}

function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
