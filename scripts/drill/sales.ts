/** Buyers of Payment Decisions and company checks, each of which repeats its one payment until it has its answer. */
import { checkCompany } from "../../schemas/us/company-check.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { type Purchase, signedFor, usBody } from "../../test/fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { postTo } from "../../test/fixtures/product-operator.ts"
import { PAYERS, type Pair } from "./pair.ts"

interface Sale {
  readonly isDecision: boolean
  readonly purchase: Purchase
  readonly payment: Record<string, string>
}

/** What a buyer holds. */
interface Answered extends Sale {
  readonly text: string
  /** By `performance.now()`. */
  readonly at: number
}

const SIGNED_TOGETHER = 8
const DECISION_EVERY = 10
/** The buyers begin within this time, so that a kill meets purchases in every stage. */
const BEGIN_WITHIN_MS = 2_000
const AGAIN_MS = 250
const QUOTE_TRIES = 40
const BOUGHT_MS = 90_000
/** Under way, or nobody could take it now. Everything else is a fault of the service. */
const ASKS_AGAIN = new Set([202, 502, 503])

/** Quotes and signatures for new purchases; nothing is paid yet. */
export async function signSales({ balancer: { origin }, operator }: Pair, count: number): Promise<Sale[]> {
  const sales: Sale[] = []
  const post = (body: unknown, headers?: Record<string, string>, path = "") =>
    postTo(origin, { path, body: body as object, ...(headers && { headers }) })
  const signer = async () => {
    while (sales.length < count) {
      const at = sales.length
      const isDecision = at % DECISION_EVERY === 0
      const slot = { isDecision, purchase: { path: checkCompany.path, body: usBody() } as Purchase, payment: {} }
      sales.push(slot)
      if (isDecision) slot.purchase = { path: PAYMENT_DECISION_PATH, body: (await operator.sign()).request }
      // The request of a Payment Decision names its payer.
      const payer = isDecision ? DEV_ACCOUNTS.payer : PAYERS[at % PAYERS.length]
      Object.assign(slot.payment, await signed(() => signedFor({ post }, slot.purchase, payer)))
    }
  }
  await Promise.all(Array.from({ length: SIGNED_TOGETHER }, signer))
  return sales
}

/** A busy instance may not be ready for a moment. Nothing is paid yet, so a buyer asks for its quote again. */
async function signed<T>(sign: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await sign()
    } catch (error) {
      if (n === QUOTE_TRIES) throw error
      await Bun.sleep(AGAIN_MS)
    }
  }
}

/** Purchases under way. */
export class Crowd {
  readonly answered: Answered[] = []
  /** How often each status came, with 0 for a broken connection. */
  readonly statuses = new Map<number, number>()
  private readonly buyers: Promise<unknown>

  constructor(
    private readonly origin: string,
    readonly sales: readonly Sale[],
    { beginWithinMs = BEGIN_WITHIN_MS } = {},
  ) {
    const waitOf = (at: number) => (beginWithinMs * at) / sales.length
    this.buyers = Promise.all(sales.map((sale, at) => Bun.sleep(waitOf(at)).then(() => this.buy(sale))))
    // `all` rejects with it.
    this.buyers.catch(() => {})
  }

  /** Resolves when each buyer has its answer. */
  async all(): Promise<void> {
    await this.buyers
  }

  private async buy(sale: Sale): Promise<void> {
    const until = performance.now() + BOUGHT_MS
    for (;;) {
      const { status, text } = await ask(this.origin, sale)
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (status === 200) {
        this.answered.push({ ...sale, text, at: performance.now() })
        return
      }
      if (status !== 0 && !ASKS_AGAIN.has(status)) throw new Error(`answered ${status}: ${text}`)
      if (performance.now() > until) throw new Error(`no answer in ${BOUGHT_MS} ms; the last was ${status}: ${text}`)
      await Bun.sleep(AGAIN_MS * (1 + Math.random()))
    }
  }
}

async function ask(origin: string, { purchase, payment }: Sale): Promise<{ status: number; text: string }> {
  try {
    const answer = await postTo(origin, purchase, payment)
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 0, text: "" }
  }
}

/** An answer without the member that says whether it was given out before. */
const withoutReplayed = (text: string) => text.replace(/"replayed":(true|false)/, "")

const READY_WITHIN_MS = 10_000

/** Asks until an instance is ready: one whose look at the database began during a kill is not, until its next look. */
async function askReady(origin: string, sale: Sale): Promise<{ status: number; text: string }> {
  const end = performance.now() + READY_WITHIN_MS
  for (;;) {
    const answer = await ask(origin, sale)
    if (answer.status !== 503 || performance.now() > end) return answer
    await Bun.sleep(AGAIN_MS)
  }
}

/** The answers of these buyers that the service does not give out again byte for byte. */
export async function missingAgain(origin: string, answered: readonly Answered[]): Promise<string[]> {
  const missing: string[] = []
  const rest = [...answered]
  const asker = async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      const { status, text } = await askReady(origin, one)
      const isSame = withoutReplayed(text) === withoutReplayed(one.text)
      if (status !== 200 || !isSame) missing.push(`${status}: ${text} instead of ${one.text}`)
    }
  }
  await Promise.all(Array.from({ length: SIGNED_TOGETHER }, asker))
  return missing
}
