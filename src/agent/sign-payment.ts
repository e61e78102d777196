import { x402Client, x402HTTPClient } from "@x402/core/client"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { QuoteFile } from "./forms/quote-file.ts"
import { ownerOnlyBytes } from "./key-file.ts"
import { checkedPayment } from "./payment-file.ts"
import type { QuoteTerms } from "./quote-file.ts"

/** Reads a file with 0x and 64 hex digits. Throws CommandError: 5 missing, 6 readable by others, 3 not a key. */
export function readWallet(path: string): PrivateKeyAccount {
  const key = new TextDecoder().decode(ownerOnlyBytes(path)).trim()
  const fault = new CommandError(EXIT.INVALID, `${path} does not hold one private key, 0x and 64 hex digits`)
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw fault
  try {
    return privateKeyToAccount(key as `0x${string}`)
  } catch {
    // Zero, or not below the curve's order. The library's message may quote the key, so do not pass it on.
    throw fault
  }
}

/**
 * Returns the payment header for a quote. The official x402 client makes it from the stored offer, without network access. The client's own
 * default limit is off, because the mandate's fee limit and a typed yes or --max-atomic have already limited the amount.
 */
export async function signPayment(quote: QuoteFile, terms: QuoteTerms, wallet: PrivateKeyAccount): Promise<string> {
  const client = x402Client.fromConfig({
    schemes: [{ network: terms.asset.network, client: new ExactEvmScheme(wallet) }],
    spendControls: false,
  })
  const http = new x402HTTPClient(client)
  const offered = quote.payment_required as Parameters<typeof http.createPaymentPayload>[0]
  const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(offered))
  return checkedPayment(new Headers(headers).get("payment-signature") ?? "", terms, wallet.address)
}
