/**
 * Whole purchases: a quote (402), its payment signed at once, and the paid call (200). Sixteen wallets buy at once, each one answer after the
 * other, so that no purchase waits for the row of a payer that another purchase writes.
 */
import type { Address } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import type { PaymentRequired } from "../../schemas/x402.ts"
import { SECOND } from "../../src/core/time.ts"
import { usBody } from "../../test/fixtures/answers.ts"
import { signPayment } from "../../test/fixtures/authorizations.ts"
import type { Chain } from "../../test/fixtures/chain.ts"
import { decodeHeader, freshRequest, paymentHeader } from "../../test/fixtures/test-server.ts"
import type { Measured } from "./load.ts"

/** Who buys, and on which chain they pay. */
export interface Payers {
  readonly chain: Chain
  /** As many as there are purchases at once. */
  readonly wallets: readonly PrivateKeyAccount[]
}

const WALLETS = 16
/** Enough for a million purchases. */
const BALANCE = 1_000_000_000_000n

/** New keys that nobody keeps: what they sign is also valid on the real network, and there these wallets are empty. */
export async function openPayers(chain: Chain): Promise<Payers> {
  const wallets = Array.from({ length: WALLETS }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { address } of wallets) await chain.mint(address, BALANCE)
  return { chain, wallets }
}

export interface BoughtProduct {
  readonly name: string
  readonly path: string
  /** A new request each time. */
  readonly body: (payer: Address) => object
}

export const COMPANY_CHECK: BoughtProduct = { name: "company check", path: checkCompany.path, body: () => usBody() }
export const PAYMENT_DECISION: BoughtProduct = {
  name: "Payment Decision",
  path: PAYMENT_DECISION_PATH,
  body: (payer) => freshRequest({ request: { decision_fee_payer: payer } }),
}

interface Purchase {
  readonly url: string
  readonly body: string
  readonly wallet: PrivateKeyAccount
  /** The chain's time in seconds. */
  readonly now: number
}

/** Makes `count` requests, divided among the wallets. The purchases begin when the returned function is called. Its times are of the paid calls. */
export function purchases(
  { chain, wallets }: Payers,
  { path, body }: BoughtProduct,
  count: number,
): (origin: string) => Promise<Measured> {
  const orders = wallets.map((wallet, at) => ({
    wallet,
    bodies: Array.from({ length: Math.ceil((count - at) / wallets.length) }, () =>
      JSON.stringify(body(wallet.address)),
    ),
  }))
  return async (origin) => {
    const times: number[] = []
    const since = await chain.now()
    const started = performance.now()
    const buyAll = async ({ wallet, bodies }: (typeof orders)[number]) => {
      for (const one of bodies) {
        // Each sale is mined in a block of its own, and anvil stamps each block at least a second after the one before.
        const now = Math.max(since + times.length, Math.floor(Date.now() / SECOND))
        times.push(await buy({ url: origin + path, body: one, wallet, now }))
      }
    }
    await Promise.all(orders.map(buyAll))
    return { answers: times.length, perSecond: times.length / ((performance.now() - started) / 1000), times }
  }
}

/** Returns the milliseconds from the paid call to its answer. */
async function buy({ url, body, wallet, now }: Purchase): Promise<number> {
  const quote = await answered(402, () => post(url, body))
  const [terms] = decodeHeader<PaymentRequired>(quote.headers.get("payment-required")).accepts
  if (!terms) throw new Error("a quote without terms")
  const payment = paymentHeader(await signPayment(wallet, terms, now))
  const sent = performance.now()
  await answered(200, () => post(url, body, payment))
  return performance.now() - sent
}

const AGAIN_MS = 100
const ANSWERED_MS = 60_000
/** A busy machine settles late, or gives the server no time for its own checks. In both cases the same request gets the answer later. */
const LATER: ReadonlySet<number> = new Set([202, 503])

async function answered(status: number, ask: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + ANSWERED_MS
  let answer = await ask()
  while (LATER.has(answer.status) && performance.now() < end) {
    await Bun.sleep(AGAIN_MS)
    answer = await ask()
  }
  if (answer.status === status) return answer
  throw new Error(`a purchase was answered ${answer.status} instead of ${status}: ${answer.text.slice(0, 2000)}`)
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Reads the whole answer, so that its connection can carry the next request. */
async function post(url: string, body: string, payment: Record<string, string> = {}): Promise<Answer> {
  const headers = { "content-type": "application/json", ...payment }
  const answer = await fetch(url, { method: "POST", headers, body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
