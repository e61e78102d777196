/** Invariants between the transfers on the chain and the bytes sent to it. */
import { type Hex, keccak256 } from "viem"
import type { Block } from "../../../src/sandbox/chain/block.ts"
import { RELAYERS } from "../accounts.ts"
import { type Account, type Books, type Transfer, transfersIn } from "../books.ts"
import type { AttemptRow } from "../database/changes.ts"
import type { Report } from "./row-inspector.ts"

/**
 * A process may send bytes that it read before another process ended their attempt. This long after the end only a freeze of the sender
 * excuses it.
 */
const STALE_READ_MS = 15_000

interface Sent {
  readonly raw: Hex
  /** Calldata. */
  readonly data: Hex
  readonly isFill: boolean
  /** The process has another relayer key than the one that signed them. */
  readonly isFormer: boolean
  readonly process: string
  readonly thawedAt: number
}

export interface MoneyParts {
  readonly books: Books
  readonly report: Report
  readonly time: () => number
  /** Time of the newest block, in seconds. */
  readonly headSeconds: () => number
  /** The last time when a node's response differed from the chain at that time. */
  readonly lastUntrueAt: () => number
}

const OWN: ReadonlySet<string> = new Set(RELAYERS.map((address) => address.toLowerCase()))

export class MoneyInspector {
  /** The time and the previous state of an attempt's last end. */
  private readonly ended = new Map<string, { readonly at: number; readonly fromSettling: boolean }>()
  private readonly hashes = new Map<string, Hex>()
  private readonly left = new Set<Hex>()

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
    if (!OWN.has(transfer.sender)) return
    const others = books.accountsOfPurchase.get(signed.purchase.index) ?? []
    const twice = others.find((other) => other !== account && other.moved && OWN.has(other.moved.sender))
    if (!twice) return
    const text = `${signed.purchase.name} was paid by ${twice.signed.key} and ${signed.key}, both sent by us`
    report("charged_twice", text, [signed.purchase.name])
  }

  /** Invariant 3, second half. */
  private requireUnpaid({ signed, moved }: Account, attempt: AttemptRow): void {
    if (attempt.state !== "FAILED" || !this.ended.get(attempt.id)?.fromSettling || moved === null) return
    this.parts.report("paid_after_failed", `${attempt.id} is FAILED and ${moved.tx} paid it`, [attempt.id, signed.key])
  }

  /** Bytes leave a process. `thawedAt`: when it last resumed from a freeze, virtual ms. */
  sent({ raw, data, isFill, isFormer, process, thawedAt }: Sent): void {
    const { books, report, time } = this.parts
    const hash = this.hashOf(raw)
    const nonce = books.nonceOf(hash)
    if (nonce === null) {
      report("sent_before_stored", `${process} sent ${hash}, which is not stored`, [hash])
      return
    }
    // A zero transfer of the relayer to itself pays no one.
    if (isFill) return
    if (!this.left.has(hash)) this.requireBegun(hash, data, process)
    this.left.add(hash)
    const { attemptId } = nonce
    const attempt = attemptId === null ? null : books.attempts.get(attemptId)
    if (attempt?.nonce.toLowerCase() !== authorizationNonce(data)) {
      report(
        "sent_before_stored",
        `${process} sent ${hash} under nonce ${nonce.nonce}, which belongs to ${attemptId}`,
        [hash],
      )
    }
    if (!attempt || attempt.state === "SETTLING" || attempt.state === "SETTLED") return
    // A payment may wait behind it, and only the former key can fill its nonce. It pays nothing: the chain proved why the attempt ended.
    if (isFormer && attempt.state === "FAILED") return
    const end = this.ended.get(attempt.id)
    if (end && Math.max(end.at, thawedAt) > time() - STALE_READ_MS) return
    report("sent_after_end", `${process} sent ${hash} for ${attempt.id}, which is ${attempt.state}`, [attempt.id, hash])
  }

  /** A transfer leaves a process for the first time. A node that showed a false time excuses it for as long as a settlement is signed. */
  private requireBegun(hash: Hex, data: Hex, process: string): void {
    const { report, time, headSeconds, lastUntrueAt } = this.parts
    const begins = Number(BigInt(`0x${wordOf(data, 3)}`))
    if (headSeconds() > begins || lastUntrueAt() > time() - STALE_READ_MS) return
    report("sent_too_early", `${process} sent ${hash} ${begins - headSeconds()} s before its window`, [hash])
  }

  private hashOf(raw: Hex): Hex {
    const known = this.hashes.get(raw)
    if (known) return known
    const hash = keccak256(raw)
    this.hashes.set(raw, hash)
    return hash
  }
}

/** An argument of a call, counted from 0. */
const wordOf = (data: Hex, at: number) => data.slice(10 + at * 64, 10 + (at + 1) * 64)
/** Of a transferWithAuthorization call. */
const authorizationNonce = (data: Hex) => `0x${wordOf(data, 5)}`

const keyOf = ({ payer, nonce }: AttemptRow) => `${payer}:${nonce}`.toLowerCase()
