/** Pays a quote once: the payment is stored before it is sent, and a stored one is sent again in place of a new one. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { PaymentPayload } from "../../../schemas/x402.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { jsonOrUndefined, memberOf } from "../../core/strict-json.ts"
import { SECOND } from "../../core/time.ts"
import { requireOwnAnswer, unchargedIn } from "../answer-in.ts"
import type { QuoteFile } from "../forms/quote-file.ts"
import { headerJson } from "../header-json.ts"
import { requireOwnPayment } from "../own-payment.ts"
import { presentPayment } from "../present-payment.ts"
import { type QuoteTerms, readQuote, termsOf } from "../quote-file.ts"
import type { ProductRequest } from "../request-bytes.ts"
import type { Send } from "../service-call.ts"
import { signPayment } from "../sign-payment.ts"
import { answerOf, unchargedOf } from "./answer.ts"
import type { Answer, Payment, Store, Uncharged } from "./client.d.ts"
import { ENGINE } from "./engine.ts"

const checkPayment = TypeCompiler.Compile(PaymentPayload)

export interface PaymentDeps {
  readonly server: string
  readonly send: Send
  readonly store: Store
}

const REPEAT = "call pay or repeat again with the same request: it sends this payment again and signs nothing new"
const WAIT_SECONDS_DEFAULT = 300

/** One name for each request, so that one request has one payment. */
function nameOf({ bodyDigest }: ProductRequest): string {
  return `payment-${bodyDigest.slice("sha256:".length)}`
}

interface StoredPayment {
  readonly quote: QuoteFile
  readonly payment_signature: string
}

/** Throws CommandError: 2 no limit or a duty that is not met, 3 refused or above the limit, 4 no answer yet. */
export async function payQuote(
  deps: PaymentDeps,
  request: ProductRequest,
  payment: Payment,
): Promise<Answer | Uncharged> {
  requireLimit(payment)
  const name = nameOf(request)
  const stored = await storedPayment(deps.store, name)
  if (stored) return present(deps, request, stored, payment.waitSeconds)
  const quote = readQuote(payment.quote.terms)
  const terms = termsOf(quote, request)
  if (quote.server !== deps.server)
    throw new CommandError(EXIT.USAGE, `nothing was signed: the quote is of ${quote.server}`)
  requireAllowed(payment, { quote, terms, payer: request.payer })
  const header = await signPayment(quote.payment_required, terms, payment.wallet, ENGINE)
  const kept = await keptFirst(deps.store, name, { quote, payment_signature: header })
  return present(deps, request, kept, payment.waitSeconds)
}

/** Keeps the payment. If another call was first, that one's payment is the one to send. */
async function keptFirst(store: Store, name: string, signed: StoredPayment): Promise<StoredPayment> {
  try {
    await store.add(name, JSON.stringify(signed))
    return signed
  } catch (error) {
    const other = await storedPayment(store, name)
    if (!other) throw error
    return other
  }
}

/** Throws CommandError (5) if no payment for the request is stored. */
export async function repeatPayment(
  deps: PaymentDeps,
  request: ProductRequest,
  waitSeconds: number | undefined,
): Promise<Answer | Uncharged> {
  const stored = await storedPayment(deps.store, nameOf(request))
  if (!stored) throw new CommandError(EXIT.NOT_FOUND, "no payment for this request is stored, so nothing was sent")
  return present(deps, request, stored, waitSeconds)
}

/** Throws CommandError (4) for a text that is no payment of this version: nothing new is signed while it is there. */
async function storedPayment(store: Store, name: string): Promise<StoredPayment | null> {
  const text = await store.get(name)
  if (text === null) return null
  const value = jsonOrUndefined(new TextEncoder().encode(text))
  const header = memberOf(value, "payment_signature")
  if (typeof header === "string") return { quote: readQuote(memberOf(value, "quote")), payment_signature: header }
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `${name} is not a payment of this version; nothing new is signed while it is there`,
  )
}

/** Throws CommandError (4): nothing new is signed while something unreadable is stored. */
function readStoredPayment(header: string): PaymentPayload {
  const payment = headerJson(header)
  if (checkPayment.Check(payment)) return payment
  throw new CommandError(EXIT.NOT_CHECKED, "the stored payment cannot be read; nothing new is signed while it is there")
}

async function present(
  { server, send }: PaymentDeps,
  request: ProductRequest,
  { quote, payment_signature: header }: StoredPayment,
  waitSeconds = WAIT_SECONDS_DEFAULT,
): Promise<Answer | Uncharged> {
  if (quote.server !== server) throw new CommandError(EXIT.USAGE, `the stored payment is for ${quote.server}`)
  requireOwnPayment(readStoredPayment(header), termsOf(quote, request), request.payer)
  const reply = await presentPayment({
    send,
    url: server + quote.path,
    body: request.text,
    header,
    headers: request.headers,
    waitSeconds,
    machine: ENGINE,
    sleep: ENGINE.sleep,
    repeat: REPEAT,
  })
  const uncharged = unchargedIn(reply, request)
  if (uncharged) return unchargedOf(uncharged)
  requireOwnAnswer(reply, request, REPEAT)
  return answerOf(reply, request)
}

function requireLimit({ limitAtomic }: Payment): void {
  if (typeof limitAtomic === "bigint" && limitAtomic > 0n) return
  throw new CommandError(
    EXIT.USAGE,
    "nothing was signed: limitAtomic is missing; give the most that you pay, a BigInt of millionths of a USDC",
  )
}

interface UnpaidQuote {
  readonly quote: QuoteFile
  readonly terms: QuoteTerms
  /** The wallet that the request names; null if it names none. */
  readonly payer: string | null
}

function requireAllowed(payment: Payment, { quote, terms, payer }: UnpaidQuote): void {
  const { limitAtomic, payTo, wallet, reviewedByPerson } = payment
  const refusal = (why: string) => new CommandError(EXIT.INVALID, `nothing was signed: ${why}`)
  if (terms.amountAtomic > limitAtomic) {
    throw refusal(`the quote asks for ${terms.amountAtomic}, above limitAtomic ${limitAtomic}`)
  }
  if (payTo !== undefined && payTo.toLowerCase() !== terms.requirements.payTo.toLowerCase()) {
    throw refusal(`the quote pays ${terms.requirements.payTo}, not payTo`)
  }
  if (payer !== null && wallet.address.toLowerCase() !== payer.toLowerCase()) {
    throw refusal("the request's decision_fee_payer is another wallet")
  }
  if (terms.expiresAt * SECOND <= ENGINE.now()) throw refusal("the quote has expired; ask for another")
  if (quote.review_duty === "HUMAN_REVIEW_BEFORE_PAYMENT" && reviewedByPerson !== true) {
    throw refusal("a person must review this quote first; then set reviewedByPerson")
  }
}
