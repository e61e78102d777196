/** All jobs of a simulated world: their buyers, their hub, their rows and their events. */

import type { Block } from "../../../src/sandbox/chain/block.ts"
import type { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import { ESCROW_STATUS, type ModelJob } from "../../sandbox/chain/parts/escrow-state.ts"
import { PAYERS } from "../accounts.ts"
import type { Change } from "../database/changes.ts"
import type { Report } from "../inspectors/row-inspector.ts"
import type { Simulation } from "../simulation.ts"
import { ClientWallets } from "./client-wallets.ts"
import { EscrowLog } from "./escrow-log.ts"
import { JobBooks } from "./job-books.ts"
import { JobBuyer, type JobTold } from "./job-buyer.ts"
import { JobInspector } from "./job-inspector.ts"
import { type JobHabits, type JobPlan, jobPlans } from "./job-plan.ts"
import { ESCROW, PROVIDER_LOWER, REMARKS, TOKEN } from "./job-terms.ts"
import { approveCall, refundCall } from "./requirement.ts"
import { SimulatedHub } from "./simulated-hub.ts"

export interface JobOptions {
  readonly jobs: number
  /** Between two jobs on average. */
  readonly jobArrivalMeanMs?: number
  readonly jobHabits?: JobHabits
}

export class JobSide {
  readonly hub: SimulatedHub
  readonly log = new EscrowLog()
  readonly books = new JobBooks()
  readonly wallets: ClientWallets
  readonly inspector: JobInspector
  readonly ended: { readonly buyer: JobBuyer; readonly told: JobTold }[] = []
  /** The number of messages that refused a job, by `job CODE`. */
  readonly refusals = new Map<string, number>()
  private readonly buyers: JobBuyer[] = []

  constructor(
    readonly simulation: Simulation,
    private readonly options: JobOptions,
    report: Report,
  ) {
    this.hub = new SimulatedHub(() => simulation.now())
    this.wallets = new ClientWallets(simulation.chain, simulation.scheduler)
    this.inspector = new JobInspector({
      books: simulation.books,
      jobs: this.books,
      log: this.log,
      report,
      time: () => simulation.scheduler.time,
      head: () => this.model.head,
      safe: () => this.model.safe,
      jobWhenSafe: (jobId) => this.jobAt(jobId, this.model.safe.number),
      wasDelayed: (ms) => simulation.wasDelayed(ms),
    })
  }

  get model(): ModelChain {
    return this.simulation.chain.model
  }

  get begun(): number {
    return this.buyers.length
  }

  get isEmpty(): boolean {
    return this.ended.length === this.options.jobs
  }

  /** As the purchases of a run: each begin schedules the next one. */
  open(): void {
    const { scheduler, random } = this.simulation
    const { jobs, jobArrivalMeanMs, jobHabits } = this.options
    this.wallets.start()
    for (const { address } of PAYERS) this.wallets.send(address, TOKEN, approveCall(10n ** 12n))
    const coming = jobPlans(random.stream("jobs"), jobs + 1, jobArrivalMeanMs, jobHabits)
    const next = () => {
      const { value: plan } = coming.next()
      if (!plan) return
      scheduler.after(plan.arrivesAt - scheduler.time, `${plan.name} begins`, null, () => {
        if (plan.index >= jobs) return
        next()
        void this.begin(plan).then((told) => this.ended.push({ buyer: this.buyers[plan.index] as JobBuyer, told }))
      })
    }
    next()
  }

  async begin(plan: JobPlan): Promise<JobTold> {
    const buyer = new JobBuyer(this, plan)
    this.buyers[plan.index] = buyer
    this.simulation.note(`${plan.name}: ${plan.habit}`, [plan.name])
    const told = await buyer.run()
    this.simulation.note(`${plan.name} ends: ${told}`, [plan.name])
    return told
  }

  buyerOf(index: number): JobBuyer | null {
    return this.buyers[index] ?? null
  }

  jobAtHead(jobId: string): ModelJob | null {
    return this.simulation.chain.escrow.job(this.model.ledger, jobId)
  }

  private jobAt(jobId: string, block: number): ModelJob | null {
    return this.simulation.chain.escrow.job(this.model.ledger, jobId, block)
  }

  /** The provider says something to a buyer. */
  said(jobId: string, content: string): void {
    this.inspector.said(jobId, content)
    const { code } = JSON.parse(content) as { code: string }
    if (REMARKS.has(code)) return
    const name = `job ${code}`
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1)
  }

  /** A block joined the chain; the rows are read. */
  mined(block: Block): void {
    for (const event of this.log.mined(block)) {
      const job = this.books.ofNumber(event.jobId)
      this.simulation.note(`${event.name} of job ${event.jobId} in block ${block.number}`, job ? [job.id] : [])
      this.hub.observe(event)
      this.inspector.happened(event)
    }
  }

  dropped(block: Block): void {
    this.log.dropped(block)
  }

  /** Rows were committed; the other books contain them. */
  changed(changes: readonly Change[]): void {
    for (const change of changes) {
      this.books.apply(change)
      if (change.table !== "acp_job" || change.after === null) continue
      const { id, jobId, state, reason, requestId } = change.after
      if (requestId !== null) this.simulation.trace.same(id, requestId)
      const from = change.before?.state ?? "nothing"
      const buyer = this.buyers.findLast((one) => one.jobId === jobId)
      if (buyer) this.simulation.trace.same(id, buyer.plan.name)
      if (from !== state) this.simulation.note(`job ${jobId} ${from} to ${state} ${reason ?? ""}`, [id])
    }
    this.inspector.inspect(changes)
  }

  /** USDC of the contract and of the provider at the head. */
  balances(): { readonly escrow: bigint; readonly provider: bigint } {
    const { ledger } = this.model
    return { escrow: ledger.usdc(ESCROW), provider: ledger.usdc(PROVIDER_LOWER) }
  }

  /** Anyone claims what the contract would return to the clients of expired jobs. */
  claimRefunds(): void {
    const now = this.model.head.timestamp
    for (const { jobId } of this.books.jobs.values()) {
      const job = this.jobAtHead(jobId)
      const isOpen = job?.status === ESCROW_STATUS.open || job?.status === ESCROW_STATUS.funded
      if (job && isOpen && now >= Number(job.expiredAt)) this.wallets.send(job.client, ESCROW, refundCall(jobId))
    }
  }
}
