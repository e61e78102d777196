/** Invariants about rows, checked for each change as it is committed: moves, events, one live attempt, one transfer, one body. */
import type { Books } from "../books.ts"
import type { AttemptRow, Change, DeliveryRow, EventRow, RequestRow, TransactionRow } from "../database/changes.ts"
import type { JobBooks } from "../jobs/job-books.ts"
import { PURCHASE_OF_JOB } from "../jobs/job-rules.ts"
import { ATTEMPT_MOVES, LIVE, moveName, NONCE_MOVES, purchasesOf, REQUEST_MOVES } from "../rules.ts"
import type { ViolationKind } from "../violation.ts"

export type Report = (kind: ViolationKind, text: string, about: readonly string[]) => void

export class RowInspector {
  /** Moves without a seen event, by attempt, in order. */
  private readonly untold = new Map<string, string[]>()
  private readonly spentTransfers = new Map<string, string>()
  /** The request that was last seen with a key. */
  private readonly keys = new Map<string, string>()

  constructor(
    private readonly books: Books,
    private readonly report: Report,
    /** Null in a world without jobs. */
    private readonly jobs: () => JobBooks | null = () => null,
  ) {}

  /** `changes` are of whole transactions; `books` already contains them. */
  inspect(changes: readonly Change[]): void {
    for (const change of changes) this.one(change)
    for (const change of changes) {
      if (change.table !== "purchase" && change.table !== "payment_attempt" && change.table !== "acp_job") continue
      const { before, after } = change
      this.requirePurchase((after ?? before)?.id ?? "")
    }
    for (const [attemptId, [move]] of this.untold) {
      if (move !== undefined)
        this.report("move_against_rules", `no event tells that ${attemptId} went ${move}`, [attemptId])
    }
    this.untold.clear()
  }

  private one(change: Change): void {
    const { table, before, after } = change
    switch (table) {
      case "purchase":
        if (after && before?.state === "ACQUIRED" && after.state !== "ACQUIRED") {
          this.report("move_against_rules", `the purchase ${after.id} went from ACQUIRED to ${after.state}`, [after.id])
        }
        break
      case "payment_attempt":
        if (after) this.attempt(before, after)
        else this.reject("payment_attempt", "removed", before?.id)
        break
      case "payment_event":
        if (after && !before) this.event(after)
        else this.reject("payment_event", "changed or removed", before?.attemptId)
        break
      case "decision_request":
        if (after) {
          this.move(REQUEST_MOVES, "request", after.id, before?.state ?? null, after.state)
          this.requireOwnKey(after)
        } else if (before?.state !== "NEW") this.reject("decision_request", "removed", before?.id)
        break
      case "relayer_nonce":
        if (after) this.move(NONCE_MOVES, "nonce", `nonce ${after.nonce}`, before?.state ?? null, after.state)
        else this.reject("relayer_nonce", "removed", `nonce ${before?.nonce}`)
        break
      case "relayer_transaction":
        if (before && !this.isErased(before, after)) {
          this.reject("relayer_transaction", "changed or removed", before.txHash)
        }
        break
      case "delivery":
        this.delivery(before, after)
        break
      case "authority_hold": {
        const isFreed = before?.spent === 1 && before.kind !== "OBLIGATION" && after === null
        if (isFreed) this.report("counted_wrongly", `a spent ${before.kind} was given back`, [before.requestId])
      }
    }
  }

  /** Only the bytes of a transaction are erased, once it paid in a safe block and its nonce is mined. */
  private isErased(before: TransactionRow, after: TransactionRow | null): boolean {
    const nonce = this.books.nonceOf(before.txHash)
    const attempt = this.books.attempts.get(nonce?.attemptId ?? "")
    const isPaid = attempt?.finality === "SAFE" && attempt.settledTx === before.txHash
    return Bun.deepEquals(after, { ...before, raw: "" }) && isPaid && nonce?.state === "MINED"
  }

  /** Bytes given to a buyer never change. */
  private delivery(before: DeliveryRow | null, after: DeliveryRow | null): void {
    if (before === null || before.body === null || before.body === after?.body) return
    if (after === null) this.reject("delivery", "removed when it was finished", before.purchaseId)
    else this.report("answers_differ", `the stored answer of ${after.requestId} was written again`, [after.purchaseId])
  }

  private attempt(before: AttemptRow | null, after: AttemptRow): void {
    const { id, state } = after
    const isMove = before?.state !== state || before.finality !== after.finality || before.settledTx !== after.settledTx
    if (isMove) {
      const told = moveName(before?.state ?? null, state)
      if (!ATTEMPT_MOVES.has(told)) this.report("move_against_rules", `the attempt ${id} went ${told}`, [id])
      this.untold.set(id, [...(this.untold.get(id) ?? []), told])
    }
    if (LIVE.has(state)) this.requireAlone(after)
    if (after.settledTx !== null && (state === "SETTLED" || state === "PAID_OWED")) this.requireOwnTransfer(after)
  }

  /** Invariant 1: the purchase of one key is sold once. */
  private requireOwnKey({ id, product, scope, idempotencyKey }: RequestRow): void {
    const name = `${product}|${scope}|${idempotencyKey}`
    const holder = this.keys.get(name)
    this.keys.set(name, id)
    if (holder === undefined || holder === id || !this.books.requests.has(holder)) return
    this.report("move_against_rules", `the requests ${holder} and ${id} have one idempotency key`, [holder, id])
  }

  /** A purchase has the state that follows from its attempt, and names the transaction that paid for it. */
  private requirePurchase(id: string): void {
    if (this.requireJobPurchase(id)) return
    const [purchase, attempt] = [this.books.purchases.get(id), this.books.attempts.get(id)]
    const expected = attempt ? purchasesOf(attempt) : []
    const isNamed = purchase?.state !== "ACQUIRED" || purchase.reference?.endsWith(`/tx/${attempt?.settledTx}`) === true
    if (purchase && expected.includes(purchase.state) && isNamed) return
    const told = `${purchase?.state ?? "missing"} by ${purchase?.reference ?? "nothing"}`
    this.report("move_against_rules", `the purchase ${id} is ${told}, its attempt ${attempt?.state ?? "missing"}`, [id])
  }

  /** The same for a job. False when the purchase is of another rail. */
  private requireJobPurchase(id: string): boolean {
    const job = this.jobs()?.jobs.get(id)
    if (!job) return false
    const purchase = this.books.purchases.get(id)
    const expected = job.requestId === null ? undefined : (PURCHASE_OF_JOB[job.state] ?? undefined)
    if (purchase?.state === expected && (purchase === undefined || purchase.rail === "acp")) return true
    const text = `the purchase ${id} is ${purchase?.state ?? "missing"}, its job ${job.jobId} ${job.state}`
    this.report("move_against_rules", text, [id])
    return true
  }

  private requireAlone({ id, requestId }: AttemptRow): void {
    for (const other of this.books.attemptsOfRequest.get(requestId) ?? []) {
      const row = this.books.attempts.get(other)
      if (other !== id && row && LIVE.has(row.state)) {
        this.report("move_against_rules", `${id} and ${other} of one request are both live`, [id, other])
      }
    }
  }

  /** Invariant 1: a transfer pays for one delivery, has exactly its price, and was in the chain. */
  private requireOwnTransfer({ id, payer, nonce, value, settledTx, settledLogIndex }: AttemptRow): void {
    const name = `${settledTx}:${settledLogIndex}`
    const holder = this.spentTransfers.get(name) ?? id
    this.spentTransfers.set(name, id)
    if (holder !== id) {
      this.report("transfer_and_delivery_differ", `the transfer ${name} pays for ${holder} and ${id}`, [holder, id])
    }
    const transfer = this.books.everMoved.get(name)
    const key = `${payer}:${nonce}`.toLowerCase()
    if (transfer?.key === key && transfer.value === BigInt(value)) return
    const found = transfer ? `${transfer.key} of ${transfer.value}` : "no transfer"
    this.report("transfer_and_delivery_differ", `${id} counts as paid by ${name}, which is ${found}`, [id])
  }

  private event({ attemptId, fromState, toState }: EventRow): void {
    const told = moveName(fromState, toState)
    const untold = this.untold.get(attemptId) ?? []
    // An event may report a change within the same state, as a new block of the same transfer.
    const at = untold.indexOf(told)
    if (at >= 0) untold.splice(at, 1)
    else if (fromState !== toState)
      this.report("move_against_rules", `an event of ${attemptId} tells ${told}, which did not happen`, [attemptId])
    if (untold.length === 0) this.untold.delete(attemptId)
  }

  private move(allowed: ReadonlySet<string>, what: string, name: string, from: string | null, to: string): void {
    if (from === to) return
    const told = moveName(from, to)
    if (!allowed.has(told)) this.report("move_against_rules", `the ${what} ${name} went ${told}`, [name])
  }

  private reject(table: string, what: string, name = "nothing"): void {
    this.report("move_against_rules", `a row of ${table} was ${what}: ${name}`, [name])
  }
}
