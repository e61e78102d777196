/** Invariants about responses: none says that nothing was charged when it was, and equal requests get equal bytes. */
import type { Books } from "../books.ts"
import { isDelivered, type Reply, type Signed } from "../buyer.ts"
import type { AttemptRow, AttemptState } from "../database/changes.ts"
import type { Purchase } from "../purchase.ts"
import { MAYBE_PAID } from "../rules.ts"
import type { Report } from "./row-inspector.ts"

/** By the head's time, in seconds: what an authorization must have left, what it may have left, and how far it may begin later. */
const LEFT_MIN = 60
const LEFT_MAX = 900
const AHEAD_MAX = 60
/** Seconds by which it may end after its quote. */
const PAST_QUOTE_MAX = 600

/** One call and its response. Times are virtual ms. */
export interface Told {
  readonly purchase: Purchase
  readonly path: string
  /** Null for a call without a payment. Another buyer's header is no payment for this body. */
  readonly signed: Signed | null
  /** The body differs from the purchase's: a thief sent it with the same key. */
  readonly isForeign: boolean
  readonly startedAt: number
  /** Time of the newest block when the call left the buyer, in seconds. */
  readonly headAtStart: number
  /** A call with the same authorization was open at the same time. */
  readonly hasCompany: boolean
  readonly reply: Reply
}

export interface AnswerParts {
  readonly books: Books
  readonly report: Report
  readonly time: () => number
  /** Time of the newest block, in seconds. */
  readonly headSeconds: () => number
  /** The last time when a node's response differed from the chain at that time. */
  readonly lastUntrueAt: () => number
  /** Rows of a server may be as old as the call when its answer is made. Those of a file are not. */
  readonly readsTakeTime: boolean
}

export class AnswerInspector {
  private readonly delivered = new Map<number, string>()

  constructor(private readonly parts: AnswerParts) {}

  /** Invariants 2 and 4. */
  told(told: Told): void {
    const { purchase, reply, signed } = told
    const { report } = this.parts
    if (reply.status === 0) return
    if (reply.status === 500) report("internal_error", `an answer was 500: ${reply.text}`, [purchase.name])
    else if (isDelivered(reply)) {
      if (told.isForeign) report("answers_differ", `another body got the answer to ${purchase.name}`, [purchase.name])
      else this.toldDelivered(purchase, reply)
    } else if (told.path === purchase.path && !told.isForeign) {
      if (signed?.purchase === purchase) {
        this.requireOwnPayment(signed, reply)
        this.requireWindow(told, signed)
      }
      const said = saysUncharged(reply)
      if (said === null) return
      if (signed?.purchase === purchase) this.toldUncharged(told, signed, said)
      if (signed === null && purchase.product === "decision") this.toldNothingToOwner(told, said)
    }
  }

  /** A caller that repeats the header that paid for its request never hears that it is used up. */
  private requireOwnPayment({ key, purchase }: Signed, { text }: Reply): void {
    const { books, report } = this.parts
    const attempt = books.attemptOf(key)
    if (!text.includes('"PAYMENT_NONCE_REUSED"') || !attempt || !MAYBE_PAID.has(attempt.state)) return
    report("answers_differ", `${purchase.name} heard that its own payment ${key} is used up`, [purchase.name, key])
  }

  /** A window is refused only if the chain's clock was outside it for a moment of the call. */
  private requireWindow({ purchase, reply, headAtStart, startedAt }: Told, signed: Signed): void {
    const { report, headSeconds, lastUntrueAt } = this.parts
    if (!/"error":"invalid_exact_evm_payload_authorization_valid_(after|before): /.test(reply.text)) return
    const isInWindow = [headAtStart, headSeconds()].every((head) => isPayable(signed, head))
    if (!isInWindow || lastUntrueAt() >= startedAt) return
    const { validAfter, validBefore, key } = signed
    const head = headSeconds()
    const text = `${purchase.name} heard that ${key} is outside its window: it begins in ${validAfter - head} s and ends in ${validBefore - head} s`
    report("refused_in_window", text, [purchase.name, key])
  }

  private toldUncharged(told: Told, signed: Signed, said: string): void {
    const { purchase, startedAt, reply } = told
    const { books, report, time, headSeconds, lastUntrueAt } = this.parts
    const account = books.accounts.get(signed.key)
    if (!account) return
    const attempt = books.attemptOf(signed.key)
    const { moved } = account
    const seen = this.leastSeen(attempt, told)
    if (attempt && books.isSent(attempt.id)) {
      if (said === "402") account.refusedWhileSent ??= time()
      else if (seen === "SETTLING" && moved === null) {
        const text = `${purchase.name} heard "${said}" while a transaction for ${signed.key} was under way`
        report("told_uncharged_while_sent", text, [purchase.name, signed.key])
      }
    }
    if (moved === null || moved.at >= startedAt) return
    // Only the chain shows the result of a payment that the service released or never took, so nobody can know it while no node tells the
    // truth.
    const isKnown = seen !== null && MAYBE_PAID.has(seen)
    if (!isKnown && lastUntrueAt() >= startedAt) return
    // For an authorization that the service never took it must read its state, but not when its window or its quote has ended.
    const isInTime = isPayable(signed, headSeconds()) && !reply.text.includes('"error":"quote_expired"')
    const isRequested = said === "402" && isInTime
    if (seen === null && !isRequested) return
    if (!isKnown && said === "503 CHAIN_UNAVAILABLE") return
    const text = `${purchase.name} heard "${said}" ${time() - moved.at} ms after ${signed.key} moved the money; its attempt is ${attempt?.state ?? "none"}`
    report("told_uncharged_after_payment", text, [purchase.name, signed.key])
  }

  /** The state of an attempt that claims least, of those that a call may have read since its start; null if there may have been no attempt. */
  private leastSeen(attempt: AttemptRow | null, { startedAt, hasCompany }: Told): AttemptState | null {
    if (attempt === null) return null
    const since = this.parts.books.attemptSince.get(attempt.id)
    // A call knows what it wrote itself.
    if (!this.parts.readsTakeTime || !hasCompany || since === undefined) return attempt.state
    if (since.first >= startedAt) return null
    return since.claimed >= startedAt ? "RELEASED" : attempt.state
  }

  /** A signed request without a payment: its owner also learns about the payment. */
  private toldNothingToOwner({ purchase, startedAt }: Told, said: string): void {
    const { books, report } = this.parts
    for (const { signed, moved } of books.accountsOfPurchase.get(purchase.index) ?? []) {
      const attempt = books.attemptOf(signed.key)
      if (!attempt || !MAYBE_PAID.has(attempt.state) || moved === null || moved.at >= startedAt) continue
      const text = `${purchase.name} heard "${said}" without a header, and ${signed.key} had moved the money`
      report("told_uncharged_after_payment", text, [purchase.name, signed.key])
    }
  }

  private toldDelivered(purchase: Purchase, reply: Reply): void {
    const { report, books } = this.parts
    // Only this member shows whether a response was given before.
    const text = reply.text.replace('"replayed":true', '"replayed":false')
    const answer = `${text}\n${reply.headers?.get("svc-proof-capsule") ?? ""}`
    const first = this.delivered.get(purchase.index) ?? answer
    this.delivered.set(purchase.index, first)
    if (first !== answer) report("answers_differ", `two answers to ${purchase.name} differ`, [purchase.name])
    if (books.requestOf(purchase.scope, purchase.idempotencyKey)?.state !== "DELIVERED") {
      report("transfer_and_delivery_differ", `${purchase.name} was given an answer that is not delivered`, [
        purchase.name,
      ])
    }
  }
}

/** The rule of the window, written again here. */
function isPayable({ validAfter, validBefore, quoteExpiresAt }: Signed, head: number): boolean {
  const left = validBefore - Math.max(head, validAfter)
  const isShortEnough = validBefore - head <= LEFT_MAX && validBefore <= quoteExpiresAt + PAST_QUOTE_MAX
  return left >= LEFT_MIN && isShortEnough && validAfter - head <= AHEAD_MAX
}

/** Codes that make no statement about a charge: the purchase is complete, or the request was not processed. */
const NEUTRAL: ReadonlySet<string> = new Set([
  "STORE_UNAVAILABLE",
  "RATE_LIMITED",
  "ALREADY_ACQUIRED",
  "REQUEST_ALREADY_SOLD",
  "PAYMENT_NONCE_REUSED",
])

/** The statement of a response that nothing was charged, or null. */
function saysUncharged({ status, text }: Reply): string | null {
  if (status === 402) return "402"
  if (status === 202) return null
  if (status === 200) return "200 not charged"
  const code = /"code":"([A-Z_0-9]+)"/.exec(text)?.[1] ?? ""
  return NEUTRAL.has(code) ? null : `${status} ${code}`
}
