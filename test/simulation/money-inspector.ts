/** Invariants between what moved on the chain, what was sent to it and what buyers were told. */
import { type Hex, keccak256 } from "viem"
import type { Block } from "../../src/chain-model/block.ts"
import { RELAYER } from "./accounts.ts"
import { type Account, type Books, type Transfer, transfersIn } from "./books.ts"
import { isDelivered, type Reply, type Signed } from "./buyer.ts"
import type { AttemptRow } from "./changes.ts"
import type { Purchase } from "./purchase.ts"
import type { Report } from "./row-inspector.ts"
import { MAYBE_PAID } from "./rules.ts"

/**
 * A process may send bytes that it read before another process ended their attempt. This long after the end nothing excuses it but a
 * freeze of the sender.
 */
const STALE_READ_MS = 15_000

interface Sent {
  readonly raw: Hex
  /** Calldata. */
  readonly data: Hex
  readonly isFill: boolean
  readonly process: string
  readonly thawedAt: number
}

/** What the server asks to be left of an authorization. */
const WINDOW_SECONDS = 60

/** One call and its answer. Times are virtual ms. */
export interface Told {
  readonly purchase: Purchase
  readonly path: string
  /** Null for a call without a payment. Another buyer's header is no payment for this body. */
  readonly signed: Signed | null
  /** The body is not the one that the purchase is about: a thief's, under the same key. */
  readonly isForeign: boolean
  readonly startedAt: number
  readonly reply: Reply
}

export interface MoneyParts {
  readonly books: Books
  readonly report: Report
  readonly time: () => number
  /** The chain's time. */
  readonly seconds: () => number
  /** When a node last said what was not true of the chain at that time. */
  readonly lastUntrueAt: () => number
}

const relayer = RELAYER.toLowerCase()

export class MoneyInspector {
  /** When and from which state an attempt last went to an end. */
  private readonly ended = new Map<string, { readonly at: number; readonly fromSettling: boolean }>()
  private readonly delivered = new Map<number, string>()
  private readonly hashes = new Map<string, Hex>()

  constructor(private readonly parts: MoneyParts) {}

  /** An attempt changed its state. */
  moved(before: AttemptRow | null, after: AttemptRow): void {
    if (before?.state === after.state) return
    const isEnd = after.state === "FAILED" || after.state === "RELEASED"
    if (!isEnd) {
      this.ended.delete(after.id)
      return
    }
    const fromSettling = before?.state === "SETTLING"
    this.ended.set(after.id, { at: this.parts.time(), fromSettling })
    const account = this.parts.books.accounts.get(keyOf(after))
    if (account && fromSettling && after.state === "FAILED") this.requireUnpaid(account, after)
  }

  /** A block joined the chain. */
  mined(block: Block): void {
    const { books, time } = this.parts
    for (const transfer of transfersIn(block)) {
      books.everMoved.set(`${transfer.tx}:${transfer.logIndex}`, transfer)
      const account = books.accounts.get(transfer.key)
      if (!account) continue
      account.moved = { ...transfer, at: time() }
      this.paid(account, transfer)
    }
  }

  /** A block left the chain. */
  dropped(block: Block): void {
    for (const { key, tx } of transfersIn(block)) {
      const account = this.parts.books.accounts.get(key)
      if (account?.moved?.tx === tx) account.moved = null
    }
  }

  private paid(account: Account, transfer: Transfer): void {
    const { books, report } = this.parts
    const { signed } = account
    if (transfer.value !== signed.value) {
      report("transfer_and_delivery_differ", `${signed.key} moved ${transfer.value}, not ${signed.value}`, [signed.key])
    }
    const attempt = books.attemptOf(signed.key)
    if (attempt) this.requireUnpaid(account, attempt)
    if (account.refusedWhileSent !== null) {
      const text = `${signed.key} moved the money after its header was answered 402, at ${account.refusedWhileSent} ms`
      report("charged_after_told_uncharged", text, [signed.key, signed.purchase.name])
    }
    if (transfer.sender !== relayer) return
    const others = books.accountsOfPurchase.get(signed.purchase.index) ?? []
    const twice = others.find((other) => other !== account && other.moved?.sender === relayer)
    if (!twice) return
    const text = `${signed.purchase.name} was paid by ${twice.signed.key} and ${signed.key}, both sent by us`
    report("charged_twice", text, [signed.purchase.name])
  }

  /** Invariant 3, second half. */
  private requireUnpaid({ signed, moved }: Account, attempt: AttemptRow): void {
    if (attempt.state !== "FAILED" || !this.ended.get(attempt.id)?.fromSettling || moved === null) return
    this.parts.report("paid_after_failed", `${attempt.id} is FAILED and ${moved.tx} paid it`, [attempt.id, signed.key])
  }

  /** Bytes leave a process. `thawedAt`: when it was last thawed, virtual ms. */
  sent({ raw, data, isFill, process, thawedAt }: Sent): void {
    const { books, report, time } = this.parts
    const hash = this.hashOf(raw)
    const nonce = books.nonceOfTransaction.get(hash)
    if (nonce === undefined) return report("sent_before_stored", `${process} sent ${hash}, which is not stored`, [hash])
    // A zero transfer of the relayer to itself pays nobody.
    if (isFill) return
    const attemptId = books.nonces.get(nonce)?.attemptId ?? null
    const attempt = attemptId === null ? null : books.attempts.get(attemptId)
    if (attempt?.nonce.toLowerCase() !== authorizationNonce(data)) {
      report("sent_before_stored", `${process} sent ${hash} under nonce ${nonce}, which belongs to ${attemptId}`, [
        hash,
      ])
    }
    if (!attempt || attempt.state === "SETTLING" || attempt.state === "SETTLED") return
    const end = this.ended.get(attempt.id)
    if (end && Math.max(end.at, thawedAt) > time() - STALE_READ_MS) return
    report("sent_after_end", `${process} sent ${hash} for ${attempt.id}, which is ${attempt.state}`, [attempt.id, hash])
  }

  private hashOf(raw: Hex): Hex {
    const known = this.hashes.get(raw)
    if (known) return known
    const hash = keccak256(raw)
    this.hashes.set(raw, hash)
    return hash
  }

  /** Invariants 2 and 4. */
  told(told: Told): void {
    const { purchase, reply } = told
    if (reply.status === 0) return
    if (reply.status === 500)
      return this.parts.report("internal_error", `an answer was 500: ${reply.text}`, [purchase.name])
    if (isDelivered(reply)) {
      if (!told.isForeign) return this.toldDelivered(purchase, reply)
      return this.parts.report("answers_differ", `another body got the answer to ${purchase.name}`, [purchase.name])
    }
    if (told.path !== purchase.path || told.isForeign) return
    const said = saysUncharged(reply)
    if (said === null) return
    if (told.signed?.purchase === purchase) this.toldUncharged(told, told.signed, said)
    if (told.signed === null && purchase.product === "decision") this.toldNothingToOwner(told, said)
  }

  private toldUncharged({ purchase, startedAt }: Told, signed: Signed, said: string): void {
    const { books, report, time, lastUntrueAt } = this.parts
    const account = books.accounts.get(signed.key)
    if (!account) return
    const attempt = books.attemptOf(signed.key)
    const { moved } = account
    if (attempt && books.isSent(attempt.id)) {
      if (said === "402") account.refusedWhileSent ??= time()
      else if (attempt.state === "SETTLING" && moved === null) {
        const text = `${purchase.name} heard "${said}" while a transaction for ${signed.key} was under way`
        report("told_uncharged_while_sent", text, [purchase.name, signed.key])
      }
    }
    if (moved === null || moved.at >= startedAt) return
    // What we gave up or never took is known from the chain alone: while no node says the truth, nobody can know.
    const isKnown = attempt !== null && MAYBE_PAID.has(attempt.state)
    if (!isKnown && lastUntrueAt() >= startedAt) return
    // Of an authorization that we never took nothing is known before a node is asked, and none is asked about one that is too old.
    const isAsked = said === "402" && signed.validBefore >= this.parts.seconds() + WINDOW_SECONDS
    if (attempt === null && !isAsked) return
    if (!isKnown && said === "503 CHAIN_UNAVAILABLE") return
    const text = `${purchase.name} heard "${said}" ${time() - moved.at} ms after ${signed.key} moved the money; its attempt is ${attempt?.state ?? "none"}`
    report("told_uncharged_after_payment", text, [purchase.name, signed.key])
  }

  /** A signed request without a payment: its owner is told of what he paid as well. */
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
    // Only this member says whether an answer was given before.
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

/** The sixth word of a transferWithAuthorization call. */
const authorizationNonce = (data: Hex) => `0x${data.slice(10 + 5 * 64, 10 + 6 * 64)}`

const keyOf = ({ payer, nonce }: AttemptRow) => `${payer}:${nonce}`.toLowerCase()

/** Codes that say nothing about a charge: what was bought is bought, or the question was not answered. */
const NEUTRAL: ReadonlySet<string> = new Set([
  "STORE_UNAVAILABLE",
  "RATE_LIMITED",
  "ALREADY_ACQUIRED",
  "REQUEST_ALREADY_SOLD",
  "PAYMENT_NONCE_REUSED",
])

/** What an answer says when it says that nothing was charged; null when it does not. */
function saysUncharged({ status, text }: Reply): string | null {
  if (status === 402) return "402"
  if (status === 202) return null
  if (status === 200) return "200 not charged"
  const code = /"code":"([A-Z_0-9]+)"/.exec(text)?.[1] ?? ""
  return NEUTRAL.has(code) ? null : `${status} ${code}`
}
