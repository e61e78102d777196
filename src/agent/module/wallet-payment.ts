/** An EIP-3009 payment for a quote (x402 version 2, scheme exact), signed by the caller's wallet. */

import { TypeCompiler } from "@sinclair/typebox/compiler"
import { PaymentPayload } from "../../../schemas/x402.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { encodeBase64 } from "../../core/bytes.ts"
import { SECOND } from "../../core/time.ts"
import type { QuoteFile } from "../forms/quote-file.ts"
import { headerJson } from "../header-json.ts"
import type { QuoteTerms } from "../quote-file.ts"
import type { Wallet } from "./client.d.ts"
import { ENGINE } from "./engine.ts"

const checkPayment = TypeCompiler.Compile(PaymentPayload)

/** Most wallets' clocks are behind the chain's clock by less. The service accepts at most a minute ahead. */
const BACKDATED_SECONDS = 600

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

/** Returns the text of the payment header. */
export async function signWalletPayment(
  { payment_required: required }: QuoteFile,
  { requirements, asset }: QuoteTerms,
  wallet: Wallet,
): Promise<string> {
  const now = Math.floor(ENGINE.now() / SECOND)
  const authorization = {
    from: wallet.address as `0x${string}`,
    to: requirements.payTo as `0x${string}`,
    value: requirements.amount,
    validAfter: String(now - BACKDATED_SECONDS),
    validBefore: String(now + requirements.maxTimeoutSeconds),
    nonce: `0x${[...ENGINE.random(32)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  }
  const signature = await wallet.signTypedData({
    domain: { name: asset.name, version: asset.version, chainId: asset.chainId, verifyingContract: asset.address },
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  })
  const payment = {
    x402Version: 2,
    payload: { authorization, signature },
    resource: required.resource,
    accepted: requirements,
  }
  return encodeBase64(new TextEncoder().encode(JSON.stringify(payment)))
}

/** Reads a stored header. Throws CommandError (4): nothing new is signed while something unreadable is stored. */
export function readStoredPayment(header: string): PaymentPayload {
  const payment = headerJson(header)
  if (checkPayment.Check(payment)) return payment
  throw new CommandError(EXIT.NOT_CHECKED, "the stored payment cannot be read; nothing new is signed while it is there")
}
