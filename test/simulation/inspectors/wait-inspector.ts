/**
 * Progress of accepted payments by the chain's clock: what the chain shows ends an attempt soon, and an authorization that can be settled is
 * sent soon. The time counts from the moment when a process could work on it, after the last fault that kept it away.
 */
import type { Block } from "../../../src/sandbox/chain/block.ts"
import type { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import type { Books } from "../books.ts"
import type { AttemptRow } from "../database/changes.ts"
import type { Report } from "./row-inspector.ts"

/** Two blocks of Base. */
const WAIT_MS = 4_000
/** A use earlier than this before the end of an authorization cannot pay for a quote, so nobody looks for it before that end. */
const SEARCHED_SECONDS = 900
/** An authorization with less is not sent. */
const LEFT_SECONDS = 21

/** Virtual ms. */
interface Wait {
  readonly since: number
  /** Since when a process could work on it without a fault; null while none can. */
  servedSince: number | null
}

export interface WaitParts {
  readonly books: Books
  readonly report: Report
  readonly model: () => ModelChain
  readonly time: () => number
  /** Since when a process could work on the attempt without a fault, virtual ms; Infinity while none can. */
  readonly servedSince: (attemptId: string) => number
  readonly isGasDear: () => boolean
  /** Beyond {@link WAIT_MS}: how long the database may delay a round of work, virtual ms. */
  readonly databaseMs: number
}

export class WaitInspector {
  /** Outcomes that a safe block showed before the attempt ended. */
  outcomes = 0
  /**
   * How many of them ended while a process could work on them, and the longest time from the safe block, or from the end of the last fault
   * after it; virtual ms.
   */
  served = 0
  longestServedMs = 0
  /** The longest time from the safe block that showed an outcome to the end of its attempt, faults included; virtual ms. */
  longestMs = 0
  private readonly open = new Set<string>()
  /** Attempts whose outcome a safe block shows. */
  private readonly shown = new Map<string, Wait>()
  /** Attempts that can be settled, and for which no transaction was sent. */
  private readonly unsent = new Map<string, Wait>()

  constructor(private readonly parts: WaitParts) {}

  /** An attempt was written. */
  changed(before: AttemptRow | null, { id, state }: AttemptRow): void {
    if (before?.state === state) return
    if (state === "SETTLING") {
      this.open.add(id)
      return
    }
    const wait = this.shown.get(id)
    if (wait) this.ended(id, wait)
    this.open.delete(id)
    this.shown.delete(id)
    this.unsent.delete(id)
  }

  private ended(id: string, { since, servedSince }: Wait): void {
    const now = this.parts.time()
    this.longestMs = Math.max(this.longestMs, now - since)
    const from = servedFrom(servedSince, this.parts.servedSince(id), now)
    if (from === null) return
    this.served++
    this.longestServedMs = Math.max(this.longestServedMs, now - from)
  }

  /** A block joined the chain. */
  mined(head: Block): void {
    for (const id of this.open) {
      const attempt = this.parts.books.attempts.get(id)
      if (!attempt) continue
      this.requireEnd(attempt)
      this.requireSent(attempt, head)
    }
  }

  private requireEnd({ id, payer, nonce, validBefore }: AttemptRow): void {
    const { model, report } = this.parts
    const { safe } = model()
    const isShown = safe.timestamp >= validBefore || this.isUsed(`${payer}:${nonce}`.toLowerCase(), validBefore)
    if (!isShown) return
    if (!this.shown.has(id)) this.outcomes++
    const waited = this.waited(this.shown, id)
    if (waited === null) return
    report("outcome_late", `${id} is SETTLING ${waited} ms after a safe block showed its outcome`, [id])
  }

  /** In a safe block that the service searches. */
  private isUsed(key: string, validBefore: number): boolean {
    const model = this.parts.model()
    const { ledger, safe } = model
    if (!ledger.isSpent(key, safe.number)) return false
    let { number } = safe
    while (number > 0 && ledger.isSpent(key, number - 1)) number--
    return (model.block(number)?.timestamp ?? 0) >= validBefore - SEARCHED_SECONDS
  }

  private requireSent(attempt: AttemptRow, head: Block): void {
    const { report, isGasDear } = this.parts
    const { id } = attempt
    if (isGasDear() || !this.isUnsent(attempt, head)) {
      this.unsent.delete(id)
      return
    }
    const waited = this.waited(this.unsent, id)
    if (waited === null) return
    report("not_sent", `${id} can be settled for ${waited} ms, and no transaction was sent for it`, [id])
  }

  /** Looks at a wait once for each block. Returns how long it lasts, if a process could have ended it; else null. */
  private waited(waits: Map<string, Wait>, id: string): number | null {
    const now = this.parts.time()
    const wait = waits.get(id) ?? { since: now, servedSince: null }
    waits.set(id, wait)
    wait.servedSince = servedFrom(wait.servedSince, this.parts.servedSince(id), now)
    return wait.servedSince !== null && now - wait.servedSince > WAIT_MS + this.parts.databaseMs
      ? now - wait.since
      : null
  }

  /** In its window, unused and with money, and each of its transactions was mined before its window. */
  private isUnsent({ id, payer, nonce, value, validAfter, validBefore }: AttemptRow, head: Block): boolean {
    const { books, model } = this.parts
    const { ledger } = model()
    const { timestamp } = head
    if (timestamp <= validAfter || timestamp > validBefore - LEFT_SECONDS) return false
    const account = payer.toLowerCase() as `0x${string}`
    if (ledger.isSpent(`${account}:${nonce.toLowerCase()}`, head.number) || ledger.usdc(account) < BigInt(value))
      return false
    for (const hash of books.transactionsOfAttempt(id)) {
      const receipt = model().receipt(hash)
      if (receipt === null || receipt.block.timestamp > validAfter) return false
    }
    return true
  }
}

/** Since when an attempt is served, looked at `now` again; null while it is not. `before`: at the look before. */
function servedFrom(before: number | null, since: number, now: number): number | null {
  return since > now ? null : Math.max(before ?? now, since)
}
