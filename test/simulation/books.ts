/** Facts known outside the code under test: every row as it is committed, every signed authorization, every transfer. */
import type { Hex } from "viem"
import type { Block } from "../../src/sandbox/chain/block.ts"
import { PAY_TO } from "./accounts.ts"
import type { Signed } from "./buyer.ts"
import type { AttemptRow, Change, DeliveryRow, HoldRow, NonceRow, PurchaseRow, RequestRow } from "./database/changes.ts"

/** A transfer to the service's account with the use of an authorization. */
export interface Transfer {
  readonly key: string
  readonly tx: Hex
  /** Who sent the transaction, lower case. */
  readonly sender: string
  readonly logIndex: number
  readonly block: number
  readonly value: bigint
}

export interface Account {
  readonly signed: Signed
  /** The transfer that is in the chain now. */
  moved: (Transfer & { readonly at: number }) | null
  /** When a response to its header said that nothing was charged although a transaction of the service was stored; virtual ms. */
  refusedWhileSent: number | null
  /** A transaction with its signature left a process. */
  isPublic: boolean
}

const lower = (text: string) => text.toLowerCase()
const USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const payToTopic = `0x${"0".repeat(24)}${lower(PAY_TO).slice(2)}`

export class Books {
  readonly purchases = new Map<string, PurchaseRow>()
  readonly attempts = new Map<string, AttemptRow>()
  /** When an attempt was first committed, and when it last claimed its request anew, by id; virtual ms. */
  readonly attemptSince = new Map<string, { readonly first: number; readonly claimed: number }>()
  readonly attemptByKey = new Map<string, string>()
  readonly attemptsOfRequest = new Map<string, Set<string>>()
  readonly requests = new Map<string, RequestRow>()
  private readonly requestByKey = new Map<string, string>()
  readonly deliveries = new Map<string, DeliveryRow>()
  /** By relayer and nonce, see {@link nonceName}. */
  readonly nonces = new Map<string, NonceRow>()
  private readonly nonceOfAttempt = new Map<string, Set<string>>()
  private readonly nonceOfTransaction = new Map<string, string>()
  private readonly transactionsOfNonce = new Map<string, Set<Hex>>()
  readonly holds = new Map<string, HoldRow>()
  readonly accounts = new Map<string, Account>()
  readonly accountsOfPurchase = new Map<number, Account[]>()
  /** Transfers that were in any block, replaced ones too. */
  readonly everMoved = new Map<string, Transfer>()

  /** `time`: virtual ms. */
  constructor(private readonly time: () => number) {}

  apply(change: Change): void {
    const { table, before, after } = change
    switch (table) {
      case "purchase":
        if (after) this.purchases.set(after.id, after)
        else if (before) this.purchases.delete(before.id)
        break
      case "payment_attempt":
        if (after === null) break
        this.attempts.set(after.id, after)
        this.noteSince(before, after)
        this.attemptByKey.set(`${lower(after.payer)}:${lower(after.nonce)}`, after.id)
        added(this.attemptsOfRequest, after.requestId).add(after.id)
        break
      case "decision_request":
        if (after) {
          this.requests.set(after.id, after)
          this.requestByKey.set(`${after.scope}|${after.idempotencyKey}`, after.id)
        } else if (before) this.requests.delete(before.id)
        break
      case "delivery":
        if (after) this.deliveries.set(after.requestId, after)
        else if (before) this.deliveries.delete(before.requestId)
        break
      case "relayer_nonce":
        if (before?.attemptId) this.nonceOfAttempt.get(before.attemptId)?.delete(nonceName(before))
        if (after) this.nonces.set(nonceName(after), after)
        if (after?.attemptId) added(this.nonceOfAttempt, after.attemptId).add(nonceName(after))
        break
      case "relayer_transaction":
        if (after) this.nonceOfTransaction.set(after.txHash, nonceName(after))
        if (after) added(this.transactionsOfNonce, nonceName(after)).add(after.txHash as Hex)
        break
      case "authority_hold": {
        const row = after ?? before
        if (!row) break
        const name = `${row.organizationId}|${row.kind}|${row.value}`
        if (after) this.holds.set(name, after)
        else this.holds.delete(name)
        break
      }
      case "payment_event":
        break
    }
  }

  private noteSince(before: AttemptRow | null, { id, state }: AttemptRow): void {
    const at = this.time()
    const known = this.attemptSince.get(id) ?? { first: at, claimed: at }
    const isRevived = before?.state === "RELEASED" && state !== "RELEASED"
    this.attemptSince.set(id, isRevived ? { ...known, claimed: at } : known)
  }

  sign(signed: Signed): void {
    const account: Account = { signed, moved: null, refusedWhileSent: null, isPublic: false }
    this.accounts.set(signed.key, account)
    const ofPurchase = this.accountsOfPurchase.get(signed.purchase.index)
    if (ofPurchase) ofPurchase.push(account)
    else this.accountsOfPurchase.set(signed.purchase.index, [account])
  }

  requestOf(scope: string, idempotencyKey: string): RequestRow | null {
    const id = this.requestByKey.get(`${scope}|${idempotencyKey}`)
    return id === undefined ? null : (this.requests.get(id) ?? null)
  }

  attemptOf(key: string): AttemptRow | null {
    const id = this.attemptByKey.get(key)
    return id === undefined ? null : (this.attempts.get(id) ?? null)
  }

  /** Every transaction that was stored for a nonce of the attempt, fills included. */
  *transactionsOfAttempt(attemptId: string): Generator<Hex> {
    for (const nonce of this.nonceOfAttempt.get(attemptId) ?? []) yield* this.transactionsOfNonce.get(nonce) ?? []
  }

  /** The nonce of a stored transaction. */
  nonceOf(txHash: string): NonceRow | null {
    return this.nonces.get(this.nonceOfTransaction.get(txHash) ?? "") ?? null
  }

  /** The last transaction that was stored for a nonce. */
  newestOf(nonce: NonceRow): Hex | null {
    return [...(this.transactionsOfNonce.get(nonceName(nonce)) ?? [])].at(-1) ?? null
  }

  /** Whether a transaction was ever stored for the attempt. */
  isSent(attemptId: string): boolean {
    for (const nonce of this.nonceOfAttempt.get(attemptId) ?? [])
      if (this.nonces.get(nonce)?.state !== "ALLOCATED") return true
    return false
  }
}

export function nonceName({ relayer, nonce }: Pick<NonceRow, "relayer" | "nonce">): string {
  return `${lower(relayer)} ${nonce}`
}

function added<Key, Item>(sets: Map<Key, Set<Item>>, key: Key): Set<Item> {
  const known = sets.get(key)
  if (known) return known
  const made = new Set<Item>()
  sets.set(key, made)
  return made
}

/** The payments to the service's account in a block: the use of an authorization and, at the next log index, the transfer. */
export function transfersIn(block: Block): Transfer[] {
  const found: Transfer[] = []
  for (const { transaction, logs } of block.receipts) {
    for (const [at, log] of logs.entries()) {
      const next = logs[at + 1]
      const [name, payer = "0x", nonce = "0x"] = log.topics
      if (name !== USED || !next || next.index !== log.index + 1) continue
      if (next.topics[0] !== TRANSFER || next.topics[2] !== payToTopic) continue
      found.push({
        key: `0x${payer.slice(26)}:${nonce}`,
        tx: transaction.hash,
        sender: transaction.from,
        logIndex: next.index,
        block: block.number,
        value: BigInt(next.data),
      })
    }
  }
  return found
}
