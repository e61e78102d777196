import { type BoughtAnswer, boughtIn, capsuleBytesIn, requireOwnAnswer, unchargedIn } from "../../agent/answer-in.ts"
import { boughtDecisionIn } from "../../agent/delivery-in.ts"
import type { QuoteFile } from "../../agent/forms/quote-file.ts"
import { checkedPayment, paymentPath, readPaymentFile } from "../../agent/payment-file.ts"
import { presentPayment, settledTransaction } from "../../agent/present-payment.ts"
import { recognisedRequest } from "../../agent/product-request.ts"
import { type QuoteTerms, readQuote, termsOf } from "../../agent/quote-file.ts"
import { readWallet } from "../../agent/read-wallet.ts"
import type { ProductRequest } from "../../agent/request-bytes.ts"
import { type Send, type ServiceReply, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { signPayment } from "../../agent/sign-payment.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { ratioDecimal } from "../../core/money.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { requireNewFile, writeNewFile } from "../documents/write-output.ts"
import { DUTY } from "./quote.ts"
import { typedAnswer } from "./typed-yes.ts"
import { tellUncharged } from "./uncharged.ts"

const required = true
const WAIT_SECONDS_DEFAULT = 300
const WAIT_SECONDS_MAX = 3600
/** What to do after an answer that is lost, late or not for this request. */
const REPEAT = "run the same command again, it repeats this payment and signs nothing new"

export const command: Command = {
  name: "agent pay",
  summary: "pay exactly one stored quote after a typed yes and save the answer (3 payment rejected, 4 outcome unknown)",
  operands: "",
  flags: {
    quote: {
      help: "quote file of agent quote; the signed payment is written next to it as QUOTE.payment",
      value: "QUOTE",
      required,
    },
    request: { help: "the request the quote is for", value: "FILE", required },
    "wallet-key": { help: "file with the paying wallet's private key, 0x hex", value: "FILE", required },
    "pay-to": { help: "reject a quote that pays another address", value: "ADDRESS" },
    yes: { help: "do not ask; only with --max-atomic" },
    "max-atomic": { help: "reject a quote above this many millionths of a USDC", value: "N" },
    "wait-seconds": { help: `how long to wait for settlement (default ${WAIT_SECONDS_DEFAULT})`, value: "N" },
    out: {
      help: "new file for the delivered bytes; the capsule of an answer goes into FILE.capsule next to it",
      value: "FILE",
      required,
    },
    ...JSON_FLAG,
  },
  examples: [
    "agent pay --quote ./quote.json --request ./request.json --wallet-key ./wallet.key --out ./delivery.json --yes --max-atomic 790000",
  ],
  run: (input) =>
    runPay(input, { send: sendOverNetwork, machine: realMachine, sleep: (ms) => Bun.sleep(ms), ask: typedAnswer }),
}

export interface PayMeans {
  readonly send: Send
  readonly machine: Machine
  readonly sleep: (ms: number) => Promise<unknown>
  /** Returns null if there is no terminal to ask on. */
  readonly ask: (question: string) => Promise<string | null>
}

export async function runPay(input: Input, means: PayMeans): Promise<ExitCode> {
  const quote = readQuote(await readDocumentJson(input.need("quote")))
  const request = recognisedRequest(await readDocumentJson(input.need("request")), quote.product)
  const terms = termsOf(quote, request)
  const server = serverOrigin(quote.server)
  const waitSeconds = wholeNumber(input, "wait-seconds", WAIT_SECONDS_MAX) ?? WAIT_SECONDS_DEFAULT
  const out = input.need("out")
  for (const file of request.rules ? [out, capsulePath(out)] : [out]) requireUnpaid(file)
  requireLimits(input, terms)

  const kept = readPaymentFile(paymentPath(input.need("quote")))
  const header = kept
    ? checkedPayment(kept.payment_signature, terms, request.payer)
    : await newPayment(input, means, { quote: { ...quote, server }, terms, payer: request.payer })
  if (kept) input.err("repeating the payment signed before; nothing new is signed\n")
  const { text: body, headers } = request
  const reply = await presentPayment({
    ...means,
    url: server + quote.path,
    body,
    header,
    headers,
    waitSeconds,
    repeat: REPEAT,
    work: input.progress,
  })
  const uncharged = unchargedIn(reply, request)
  if (uncharged) {
    input.err(`the payment signed for this quote was not used; it is in ${paymentPath(input.need("quote"))}\n`)
    return tellUncharged(input, uncharged)
  }
  requireOwnAnswer(reply, request, REPEAT)
  keep(out, reply, request)
  tell(input, out, {
    bought: request.rules ? boughtIn(reply, request.rules) : boughtDecisionIn(reply),
    terms,
    transaction: settledTransaction(reply.headers),
  })
  return EXIT.DONE
}

/** Called before the payment, because a delivery that cannot be written would still be paid for. */
function requireUnpaid(file: string): void {
  try {
    requireNewFile(file)
  } catch (error) {
    throw error instanceof CommandError ? new CommandError(error.exit, `${error.message}; nothing was paid`) : error
  }
}

/** Next to the answer, where `bizauth verify` looks for it. */
function capsulePath(out: string): string {
  return `${out}.capsule`
}

/** Called before any check of what an answer to this request holds, because it was paid for. */
function keep(out: string, { bytes, headers }: ServiceReply, { rules }: ProductRequest): void {
  writeNewFile(out, bytes)
  const capsule = rules && capsuleBytesIn(headers)
  if (capsule) writeNewFile(capsulePath(out), capsule)
}

interface Purchase {
  readonly bought: BoughtAnswer
  readonly terms: QuoteTerms
  /** Null if the service did not name it. */
  readonly transaction: string | null
}

/** Never prints a token: it stays in the file, which only the owner can read. */
function tell(input: Input, out: string, { bought, terms, transaction }: Purchase): void {
  const { decision, machineAction, reference, decisionId, hasToken } = bought
  const told = {
    version: 1,
    file: out,
    decision,
    machine_action: machineAction,
    ...(decisionId === null
      ? { reference, authorization_token_in_file: hasToken }
      : { decision_id: decisionId, response_digest: reference }),
    amount_atomic: terms.requirements.amount,
    transaction,
  }
  input.out(
    input.on("json")
      ? `${JSON.stringify(told)}\n`
      : `delivered    ${out}
decision     ${decision}, ${machineAction}
evidence     ${reference}
${hasToken ? `token        in ${out}: whoever reads it may redeem it\n` : ""}paid         ${priceOf(terms)}
transaction  ${transaction ?? "not named"}
next         bizauth verify ${out} --issuer JWKS: it proves what is printed above
`,
  )
}

function requireLimits(input: Input, terms: QuoteTerms): void {
  const most = wholeNumber(input, "max-atomic", Number.MAX_SAFE_INTEGER)
  if (input.on("yes") && most === null) throw new CommandError(EXIT.USAGE, "--yes needs --max-atomic N")
  if (most !== null && terms.amountAtomic > BigInt(most)) {
    throw new CommandError(EXIT.INVALID, `nothing was signed: the quote asks for ${terms.amountAtomic}, above ${most}`)
  }
  const payTo = input.text("pay-to")
  if (payTo !== undefined && payTo.toLowerCase() !== terms.requirements.payTo.toLowerCase()) {
    throw new CommandError(EXIT.INVALID, `nothing was signed: the quote pays ${terms.requirements.payTo}`)
  }
}

interface UnpaidQuote {
  readonly quote: QuoteFile
  readonly terms: QuoteTerms
  /** The wallet that the request names; null if it names none. */
  readonly payer: string | null
}

/** Checks the wallet, asks for approval, signs, and writes the payment durably before it returns it. */
async function newPayment(
  input: Input,
  { machine, ask }: PayMeans,
  { quote, terms, payer }: UnpaidQuote,
): Promise<string> {
  const wallet = readWallet(input.need("wallet-key"))
  if (payer !== null && wallet.address.toLowerCase() !== payer.toLowerCase()) {
    throw new CommandError(EXIT.INVALID, "nothing was signed: the request's decision_fee_payer is another wallet")
  }
  if (terms.expiresAt * SECOND <= machine.now()) {
    throw new CommandError(EXIT.INVALID, "nothing was signed: the quote has expired; ask for another")
  }
  if (!input.on("yes")) {
    const typed = await ask(
      `Pay ${priceOf(terms)} from ${wallet.address}\nto ${terms.requirements.payTo} at ${quote.server}, quote until ${formatInstant(terms.expiresAt * SECOND)},\nfor one answer of ${quote.product}. ${quote.review_duty}: ${DUTY[quote.review_duty]}.\nType yes to sign: `,
    )
    if (typed === null)
      throw new CommandError(EXIT.USAGE, "standard input is not a terminal; use --yes with --max-atomic N")
    if (typed.trim() !== "yes") throw new CommandError(EXIT.USAGE, "the answer was not yes; nothing was signed")
  }
  const signed = await signPayment(quote.payment_required, terms, wallet, machine)
  const header = checkedPayment(signed, terms, wallet.address)
  const kept = { body_digest: quote.body_digest, payment_signature: header }
  writeNewFile(paymentPath(input.need("quote")), `${JSON.stringify(kept)}\n`)
  return header
}

function priceOf({ amountAtomic, asset }: QuoteTerms): string {
  return `${ratioDecimal(amountAtomic, 1_000_000n, 6)} USDC on ${asset.network}`
}

function wholeNumber(input: Input, flag: string, most: number): number | null {
  const typed = input.text(flag)
  if (typed === undefined) return null
  const count = /^\d{1,16}$/.test(typed) ? Number(typed) : 0
  if (count >= 1 && count <= most) return count
  throw new CommandError(EXIT.USAGE, `--${flag} must be a whole number from 1 to ${most}`)
}
