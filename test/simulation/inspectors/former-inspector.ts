/**
 * After a change of the relayer's key, every process sends the stored bytes of the former key again, as long as they may pay, and books the
 * nonces of the former key that the chain has used. Judged for each process from the moment it works without a fault.
 */
import type { Address, Hex } from "viem"
import type { Block } from "../../../src/sandbox/chain/block.ts"
import type { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import { type Books, nonceName } from "../books.ts"
import type { NonceRow } from "../database/changes.ts"
import type { ServerProcess } from "../server-process.ts"
import type { Report } from "./row-inspector.ts"

/** A round of the reconciler with its looks, and the pause after it. */
const ROUND_MS = 6_000

export interface FormerParts {
  readonly books: Books
  readonly report: Report
  readonly model: () => ModelChain
  readonly time: () => number
  readonly processes: () => readonly ServerProcess[]
  /** Since when the process works without a fault of its own, its machine, its nodes or its database; virtual ms. */
  readonly worksSince: (process: ServerProcess) => number
  /** Beyond {@link ROUND_MS}: how long the database may delay a round, virtual ms. */
  readonly databaseMs: number
}

export class FormerInspector {
  /** How many transactions of a former key were sent again. */
  sentAgain = 0
  /** When a process last sent a transaction of a former key, or could first have sent it, by process, life and hash; virtual ms. */
  private readonly sentAt = new Map<string, number>()
  /** When a safe block was first seen that used a nonce of a former key, by relayer and nonce; virtual ms. */
  private readonly usedAt = new Map<string, number>()

  constructor(private readonly parts: FormerParts) {}

  /** A process sends a transaction of another key than its own. */
  sent(process: ServerProcess, hash: Hex): void {
    this.sentAgain++
    this.sentAt.set(nameOf(process, hash), this.parts.time())
  }

  /** A block joined the chain. */
  mined(head: Block): void {
    for (const nonce of this.parts.books.nonces.values()) {
      const hash = this.waiting(nonce, head)
      const isUsed = this.isUsed(nonce)
      if (hash === null && !isUsed) continue
      for (const process of this.parts.processes()) {
        if (process.relayer === null || process.relayer === nonce.relayer) continue
        if (hash !== null) this.requireSent(process, nonce, hash)
        if (isUsed) this.requireBooked(process, nonce)
      }
    }
  }

  private requireBooked(process: ServerProcess, nonce: NonceRow): void {
    const { time, worksSince, report } = this.parts
    const name = nonceName(nonce)
    const since = this.usedAt.get(name) ?? time()
    this.usedAt.set(name, since)
    const waited = time() - Math.max(since, worksSince(process))
    if (waited <= ROUND_MS + this.parts.databaseMs) return
    const about = nonce.attemptId === null ? [] : [nonce.attemptId]
    report("nonce_gap", `${process.name} left nonce ${nonce.nonce} of ${nonce.relayer} open for ${waited} ms`, about)
  }

  /** An open nonce that a safe block has used, while its authorization lasts. */
  private isUsed({ state, attemptId, relayer, nonce }: NonceRow): boolean {
    if (state === "MINED" || attemptId === null) return false
    const { books, model } = this.parts
    const { ledger, safe } = model()
    const attempt = books.attempts.get(attemptId)
    if (!attempt || safe.timestamp >= attempt.validBefore) return false
    return nonce < ledger.nonce(relayer.toLowerCase() as Address, safe.number)
  }

  private requireSent(process: ServerProcess, { nonce, relayer }: NonceRow, hash: Hex): void {
    const { time, worksSince, report } = this.parts
    const name = nameOf(process, hash)
    const last = this.sentAt.get(name) ?? time()
    this.sentAt.set(name, last)
    const waited = time() - Math.max(last, worksSince(process))
    if (waited <= ROUND_MS + this.parts.databaseMs) return
    report("not_sent", `${process.name} did not send nonce ${nonce} of ${relayer} again for ${waited} ms`, [hash])
  }

  /** The newest transaction of a nonce whose payment may still come; null when there is none, or it is in the chain. */
  private waiting(nonce: NonceRow, head: Block): Hex | null {
    if (nonce.state !== "STORED" || nonce.attemptId === null) return null
    const { books, model } = this.parts
    const attempt = books.attempts.get(nonce.attemptId)
    if (attempt?.state !== "SETTLING" || head.timestamp >= attempt.validBefore) return null
    if (nonce.nonce < model().ledger.nonce(nonce.relayer.toLowerCase() as Address, head.number)) return null
    const hash = books.newestOf(nonce)
    return hash === null || model().receipt(hash) !== null ? null : hash
  }
}

const nameOf = ({ name, lives }: ServerProcess, hash: Hex) => `${name} ${lives} ${hash}`
