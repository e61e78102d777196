/** Invariants of jobs, checked for each row as it is committed and for each text and transaction as it leaves a process. */
import { keccak256, stringToHex } from "viem"
import type { Transaction } from "../../../src/sandbox/chain/transaction.ts"
import { readEscrowCall } from "../../sandbox/chain/parts/escrow-call.ts"
import { ESCROW_STATUS, type ModelJob } from "../../sandbox/chain/parts/escrow-state.ts"
import type { Books } from "../books.ts"
import type {
  Change,
  DeliverableRow,
  JobEventRow,
  JobFactRow,
  JobRow,
  JobTransactionRow,
  PurchaseRow,
} from "../database/changes.ts"
import type { Report } from "../inspectors/row-inspector.ts"
import { moveName } from "../rules.ts"
import type { EscrowEvent, EscrowEventName, EscrowLog } from "./escrow-log.ts"
import type { JobBooks } from "./job-books.ts"
import { isEnded, isOver } from "./job-over.ts"
import { JOB_MOVES } from "./job-rules.ts"
import { PRICE, PROVIDER_LOWER } from "./job-terms.ts"

export interface JobParts {
  readonly books: Books
  readonly jobs: JobBooks
  readonly log: EscrowLog
  readonly report: Report
  /** Virtual ms. */
  readonly time: () => number
  readonly head: () => { readonly number: number; readonly timestamp: number }
  readonly safe: () => { readonly number: number; readonly timestamp: number }
  /** The job in the state of the safe block. */
  readonly jobWhenSafe: (jobId: string) => ModelJob | null
  /** Whether a process may have been frozen, or a node untrue, since this many virtual ms. */
  readonly wasDelayed: (ms: number) => boolean
}

/** The event that proves a fact. */
const EVENT_OF: Readonly<Record<JobFactRow["fact"], EscrowEventName>> = {
  FUNDING: "JobFunded",
  SUBMISSION: "JobSubmitted",
  COMPLETION: "JobCompleted",
  PAYOUT: "PaymentReleased",
  REFUND: "Refunded",
  REJECTION: "JobRejected",
  EXPIRY: "JobExpired",
}
const MONEY: ReadonlySet<JobFactRow["fact"]> = new Set(["FUNDING", "PAYOUT", "REFUND"])
/** A submission is signed at most this long after its process asked for the time, without a freeze. */
const SIGNING_MS = 15_000
const ACQUIRE_SECONDS = 60
/** From a node's false word about a nonce to the block of the transaction that follows from it. */
const UNTRUE_MS = 60_000

export class JobInspector {
  /** Moves without a seen event, by job, in order. */
  private readonly untold = new Map<string, string[]>()
  /** When a purchase of a job began to be live or acquired, virtual ms, by request. */
  private readonly soldSince = new Map<string, number>()

  constructor(private readonly parts: JobParts) {}

  /** `changes` are of whole transactions; the books contain them. */
  inspect(changes: readonly Change[]): void {
    for (const change of changes) this.one(change)
    for (const [job, moves] of this.untold) {
      if (moves.length > 0) this.violate("move_against_rules", `no event tells that ${job} went ${moves[0]}`, job)
    }
    this.untold.clear()
    for (const { table, after } of changes) {
      if (table !== "purchase" || after === null) continue
      this.requireSoldOnce(after)
      if (after.rail !== "acp") continue
      if (after.state === "ENDED") this.soldSince.delete(after.requestId)
      else if (!this.soldSince.has(after.requestId)) this.soldSince.set(after.requestId, this.parts.time())
    }
  }

  private one(change: Change): void {
    switch (change.table) {
      case "acp_job":
        if (change.after === null) this.violate("move_against_rules", "a job was removed", change.before?.id ?? "")
        else if (change.before?.state !== change.after.state) this.moved(change.before, change.after)
        break
      case "acp_event":
        if (change.after && change.before === null) this.told(change.after)
        else this.violate("move_against_rules", "an event was changed or removed", change.before?.job ?? "")
        break
      case "acp_deliverable":
        if (change.before !== null || change.after === null)
          this.violate("submission_differs", "a frozen text was changed", change.before?.job ?? "")
        else this.frozen(change.after)
        break
      case "acp_transaction":
        if (change.after) this.signed(change.after)
        break
      case "acp_fact":
        if (change.before !== null || change.after === null)
          this.violate("fact_without_event", "a fact was changed or removed", change.before?.job ?? "")
        else this.fact(change.after)
    }
  }

  private moved(before: JobRow | null, after: JobRow): void {
    const { id, jobId, state } = after
    const told = moveName(before?.state ?? null, state)
    if (!JOB_MOVES.has(told)) this.violate("move_against_rules", `the job ${jobId} went ${told}`, id)
    this.untold.set(id, [...(this.untold.get(id) ?? []), told])
    const { safe, jobWhenSafe, log } = this.parts
    const { timestamp } = safe()
    const found = jobWhenSafe(jobId)
    const unproved = (why: string) => this.violate("not_final", `job ${jobId} is ${state}: ${why}`, id)
    switch (state) {
      case "FUNDING_SAFE":
        this.requireFunded(id, "counted as safely funded")
        break
      case "SUBMITTED_SAFE":
        if (found?.status !== ESCROW_STATUS.completed) unproved("no safe block shows the submission")
        break
      case "COMPLETED":
        if (found?.status !== ESCROW_STATUS.completed) unproved("it is not completed in the safe block")
        break
      case "REJECTED":
        if (found?.status !== ESCROW_STATUS.rejected) unproved("it is not rejected in the safe block")
        break
      case "EXPIRED":
        if (found?.status !== ESCROW_STATUS.expired) unproved("it is not expired in the safe block")
        break
      case "DEADLINE_MISSED":
        if (timestamp < after.expiredAt - ACQUIRE_SECONDS) unproved(`${after.expiredAt - timestamp} s are left`)
        break
      case "WITHDRAWN":
        if (found !== null && !isOver(found, timestamp, after)) unproved(`it is ${found.status} in the safe block`)
        break
      case "UNPAID_AFTER_DELIVERY": {
        const isPast = found?.status === ESCROW_STATUS.funded && timestamp >= after.expiredAt
        if (found && !isPast && !isEnded(found)) unproved("a submission may still come")
        if (log.find(jobId, "JobSubmitted")) unproved("the submission is in the chain")
        break
      }
      case "FUNDING_MISMATCH":
      case "SUBMIT_MISMATCH":
        unproved("no funding and no submission of this world is false")
        break
      default:
    }
  }

  private told({ job, fromState, toState }: JobEventRow): void {
    const told = moveName(fromState, toState)
    // An event may tell a change within one state, as other terms of a job.
    if (fromState === toState) return
    const moves = this.untold.get(job) ?? []
    const at = moves.indexOf(told)
    if (at >= 0) moves.splice(at, 1)
    else this.violate("move_against_rules", `an event of ${job} tells ${told}, which did not happen`, job)
  }

  /** One sale for each request over both rails. */
  private requireSoldOnce(after: PurchaseRow): void {
    if (after.state !== "LIVE" && after.state !== "ACQUIRED") return
    for (const other of this.parts.books.purchases.values()) {
      if (other.requestId !== after.requestId || other.id === after.id) continue
      if (other.state !== "LIVE" && other.state !== "ACQUIRED") continue
      this.violate(
        "sold_twice",
        `${other.id} (${other.rail}) and ${after.id} (${after.rail}) sell one request`,
        after.id,
      )
    }
  }

  /** A quote was given for the request of a job. `startedAt`: when it was asked for. */
  quoted(requestId: string, startedAt: number): void {
    const since = this.soldSince.get(requestId)
    if (since === undefined || since >= startedAt) return
    this.violate("sold_twice", `${requestId} got a quote, and a job buys it since ${since} ms`, requestId)
  }

  private frozen({ job, text, keccak256: stored }: DeliverableRow): void {
    this.requireFunded(job, "acquired")
    if (keccak256(stringToHex(text)) !== stored)
      this.violate("submission_differs", `the stored hash of ${job} is not that of its text`, job)
  }

  /** Nothing is released before one event of the exact price is in a safe block. */
  private requireFunded(id: string, what: string): void {
    const { jobs, log, safe, jobWhenSafe } = this.parts
    const jobId = jobs.jobs.get(id)?.jobId ?? ""
    const fundings = log.of(jobId).filter(({ name }) => name === "JobFunded")
    const [funding] = fundings
    const isSafe = fundings.length === 1 && funding?.amount === PRICE && funding.block <= safe().number
    const status = jobWhenSafe(jobId)?.status ?? ESCROW_STATUS.open
    if (isSafe && status >= ESCROW_STATUS.funded) return
    const found = funding ? `${funding.amount} in block ${funding.block}` : "nothing"
    const text = `job ${jobId} was ${what}; block ${safe().number} is safe, and the chain has ${found}`
    this.violate("released_before_safe", text, id)
  }

  /** The text of a delivery leaves a process. */
  posted(jobId: string, text: string): void {
    const job = this.parts.jobs.ofNumber(jobId)
    const frozen = job && this.parts.jobs.deliverables.get(job.id)
    if (!job || !frozen) {
      this.violate("released_before_safe", `a text was posted for job ${jobId}, which has no frozen one`, job?.id ?? "")
      return
    }
    this.requireFunded(job.id, "posted")
    if (frozen.text !== text) this.violate("submission_differs", `another text was posted for job ${jobId}`, job.id)
  }

  /** A message to the buyer. None asks to fund, because the buyer may have funded already. */
  said(jobId: string, content: string): void {
    const { detail } = JSON.parse(content) as { detail: string }
    if (!/\bfund\b/i.test(detail.replace(/(do not|cannot|can not|never) fund/gi, ""))) return
    this.violate("budget_differs", `job ${jobId} was told: ${detail}`, this.parts.jobs.ofNumber(jobId)?.id ?? "")
  }

  private signed({ job: id, action, txHash }: JobTransactionRow): void {
    const { jobs, head, wasDelayed } = this.parts
    const job = jobs.jobs.get(id)
    if (!job || action !== "SUBMIT") return
    if (!jobs.deliverables.has(id)) this.violate("released_before_safe", `${txHash} submits nothing frozen`, id)
    const isFirst = [...jobs.transactions.values()].every(
      (other) => other.job !== id || other.action !== action || other.txHash === txHash,
    )
    if (!isFirst || head().timestamp < job.expiredAt || wasDelayed(SIGNING_MS)) return
    this.violate("submitted_late", `${txHash} submits job ${job.jobId} ${head().timestamp - job.expiredAt} s late`, id)
  }

  /** Bytes of the provider's wallet leave a process. */
  sent({ hash, to, data }: Transaction, process: string): void {
    const { jobs } = this.parts
    // A transfer of nothing that fills a nonce.
    if (to === PROVIDER_LOWER && data === "0x") return
    const stored = jobs.transactions.get(hash)
    const call = readEscrowCall(data)
    if (!stored || !call) {
      this.violate("sent_before_stored", `${process} sent ${hash}, which is not stored`, hash)
      return
    }
    const job = jobs.jobs.get(stored.job)
    if (!job || !("jobId" in call) || String(call.jobId) !== job.jobId) {
      this.violate("sent_before_stored", `${process} sent ${hash} for another job than its row`, stored.job)
    } else if (call.kind === "set_budget") {
      if (call.amount !== PRICE) this.violate("budget_differs", `${hash} proposes ${call.amount}`, job.id)
    } else if (call.kind === "submit") {
      const text = jobs.deliverables.get(job.id)?.text
      if (text === undefined || keccak256(stringToHex(text)) !== call.deliverable) {
        this.violate("submission_differs", `${hash} submits another hash for job ${job.jobId}`, job.id)
      }
      if (text !== undefined) this.requireFunded(job.id, "submitted")
    } else this.violate("budget_differs", `${hash} calls ${call.kind}`, job.id)
  }

  /** An event joined the chain. */
  happened(event: EscrowEvent): void {
    const { log, jobs } = this.parts
    if (event.name !== "BudgetSet" && event.name !== "JobSubmitted") return
    // After a reorganization the transaction of a lost job may reach the job that has its number now.
    const rowOf = ({ tx }: EscrowEvent) => jobs.transactions.get(tx)?.job
    const row = rowOf(event)
    const times = log.of(event.jobId).filter((one) => one.name === event.name && rowOf(one) === row).length
    const job = jobs.ofNumber(event.jobId)
    const about = job?.id ?? ""
    // A lone node that is behind and wrong about the wallet's nonce makes the worker set the same budget again, which changes nothing.
    const isRepeated = event.name === "BudgetSet" && this.parts.wasDelayed(UNTRUE_MS)
    if (times > 1 && !isRepeated)
      this.violate("budget_differs", `job ${event.jobId} has ${times} events ${event.name}`, about)
    if (event.name === "BudgetSet" && event.amount !== PRICE)
      this.violate("budget_differs", `job ${event.jobId} has the budget ${event.amount}`, about)
    const text = job && jobs.deliverables.get(job.id)?.text
    if (event.name === "JobSubmitted" && (!text || keccak256(stringToHex(text)) !== event.data))
      this.violate("submission_differs", `the chain has ${event.data} for job ${event.jobId}`, about)
  }

  private fact({ job: id, fact, level, txHash, blockHash, amountAtomic, deliverableHash }: JobFactRow): void {
    const { log, safe, jobs } = this.parts
    const jobId = jobs.jobs.get(id)?.jobId ?? ""
    const event = log.everSeen(EVENT_OF[fact], txHash, blockHash)
    const wrong = (why: string) => this.violate("fact_without_event", `${level} ${fact} of job ${jobId}: ${why}`, id)
    if (!event || event.jobId !== jobId) {
      wrong(`${txHash} in ${blockHash} is no such event`)
      return
    }
    if (MONEY.has(fact) && (event.amount === null || String(event.amount) !== amountAtomic))
      wrong(`it tells ${amountAtomic} of ${event.amount}`)
    if (fact === "SUBMISSION" && deliverableHash !== event.data) wrong(`it tells ${deliverableHash} of ${event.data}`)
    const isInChain = log.of(jobId).some((one) => one.name === event.name && one.blockHash === blockHash)
    const isSafe = isInChain && event.block <= safe().number
    if ((level === "SAFE" || level === "FINALIZED") && !isSafe) wrong("its block is not safe")
    if (level === "ORPHANED" && isSafe) wrong("its block is safe")
  }

  private violate(kind: Parameters<Report>[0], text: string, about: string): void {
    this.parts.report(kind, text, about === "" ? [] : [about])
  }
}
