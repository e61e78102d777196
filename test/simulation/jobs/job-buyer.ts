/** The actions of one buyer of a job, by its habit. It trusts the chain alone, and reads the hub without faults. */
import type { Address, Hex } from "viem"
import { ESCROW_TOPICS } from "../../sandbox/chain/parts/escrow-contract.ts"
import { ESCROW_STATUS, type ModelJob } from "../../sandbox/chain/parts/escrow-state.ts"
import { THIEF } from "../accounts.ts"
import { buy, type Ended } from "../buyer.ts"
import { type Body, bodyOf, type Purchase, recoveryBody } from "../purchase.ts"
import type { Random } from "../random.ts"
import type { Sent } from "./client-wallets.ts"
import type { JobPlan } from "./job-plan.ts"
import type { JobSide } from "./job-side.ts"
import { ESCROW, FUND_SECONDS_MIN, PRICE, REMARKS, TOKEN } from "./job-terms.ts"
import { approveCall, createCall, draftOf, finalOf, fundCall, refundCall, rejectCall } from "./requirement.ts"

/** How a job ended for its buyer. */
export type JobTold = "completed" | "refused" | "left" | "refunded" | "rejected" | "gave up"

const LOOK_MS = 2_500
/** Far more than any transaction of a buyer needs. */
const MINED_MS_MAX = 180_000
export class JobBuyer {
  readonly purchase: Purchase
  private readonly client: Address
  private readonly resold: JobBuyer | null
  private readonly random: Random
  private created: Sent | null = null
  private body: Body | null = null
  /** What the buyer did over x402. */
  private paid: Ended | null = null

  constructor(
    private readonly jobSide: JobSide,
    readonly plan: JobPlan,
  ) {
    const earlier = plan.habit === "resold" ? jobSide.buyerOf(plan.resells) : null
    this.resold = earlier?.request ? earlier : null
    this.purchase = this.resold?.purchase ?? plan.purchase
    this.client = this.purchase.payer.address.toLowerCase() as Address
    this.random = plan.random.stream("buyer")
  }

  /** The job's number as the chain has it now; null while its creation is in no block. */
  get jobId(): string | null {
    const receipt = this.created && this.jobSide.model.receipt(this.created.hash)
    const log = receipt?.logs.find(({ topics }) => topics[0] === ESCROW_TOPICS.JobCreated)
    return log ? String(BigInt(log.topics[1] ?? "0x0")) : null
  }

  get request(): Body | null {
    return this.body
  }

  get overX402(): Ended | null {
    return this.paid
  }

  async run(): Promise<JobTold> {
    const { plan } = this
    if (!(await this.create())) return "gave up"
    this.body = this.bodyToSign()
    if (plan.habit === "refused") return this.awaitRefusal()
    if (plan.habit === "leaving" && plan.departure === "silent") return "left"
    if (plan.habit === "careless") await this.makeMistake()
    if (plan.habit === "both") void this.payOverX402(this.random.chance(0.5) ? 0 : this.random.fraction() * 40_000)
    if (plan.habit === "both") await this.sleep(this.random.fraction() * (this.random.chance(0.7) ? 300 : 8_000))
    await this.sendRequirement()
    if (plan.habit === "impatient") void this.repeatRequirement()
    if (plan.habit === "leaving" && plan.departure === "rejects_open")
      return this.reject(this.random.fraction() * 20_000)
    const proposed = await this.awaitBudget()
    if (proposed !== null) return proposed
    if (plan.habit === "leaving" && plan.departure === "unfunded") return "left"
    await this.fund()
    if (plan.habit === "leaving" && plan.departure === "rejects_funded")
      return this.reject(this.random.fraction() * 25_000)
    if (plan.habit === "leaving") return this.reject(5_000 + this.random.fraction() * 120_000)
    return this.awaitDelivery()
  }

  private async payOverX402(afterMs: number): Promise<void> {
    await this.sleep(afterMs)
    if (this.body) this.paid = await buy(this.jobSide.simulation.network, this.purchase, this.body)
  }

  private bodyToSign(): Body {
    return this.resold?.request ?? bodyOf(this.purchase, this.jobSide.simulation.now())
  }

  private get job(): ModelJob | null {
    const { jobId } = this
    return jobId === null ? null : this.jobSide.jobAtHead(jobId)
  }

  /** Seconds of the chain until the deadline. */
  private get left(): number {
    return Number(this.job?.expiredAt ?? 0n) - this.jobSide.model.head.timestamp
  }

  private sleep(ms: number): Promise<void> {
    return this.jobSide.simulation.scheduler.sleep(ms, "job buyer")
  }

  private note(text: string): void {
    this.jobSide.simulation.note(`${this.plan.name} ${text}`, [this.plan.name])
  }

  private send(to: Address, data: Hex): Sent {
    return this.jobSide.wallets.send(this.client, to, data)
  }

  private async mined(sent: Sent, depth = 1): Promise<boolean> {
    const { model, simulation } = this.jobSide
    const until = simulation.scheduler.time + MINED_MS_MAX
    while (simulation.scheduler.time < until) {
      const receipt = model.receipt(sent.hash)
      if (receipt && model.head.number - receipt.block.number + 1 >= depth) return receipt.isSuccess
      await this.sleep(800 + this.random.fraction() * 600)
    }
    return false
  }

  private async create(): Promise<boolean> {
    const { plan, jobSide } = this
    const isRefused = plan.habit === "refused"
    const fault = this.random.pick(["evaluator", "description", "deadline"] as const)
    const seconds = isRefused && fault === "deadline" ? this.random.between(320, 350) : plan.seconds
    this.created = this.send(
      ESCROW,
      createCall({
        expiredAt: jobSide.model.head.timestamp + seconds,
        ...(isRefused && fault === "evaluator" && { evaluator: this.client }),
        ...(isRefused && fault === "description" && { description: "Another offering" }),
      }),
    )
    const isCreated = await this.mined(this.created, this.random.pick([1, 2, 4, 9]))
    this.note(`${plan.habit}: job ${this.jobId} of ${this.client}, ${isCreated ? "" : "not "}created`)
    return isCreated
  }

  private async sendRequirement(jobId = this.jobId): Promise<void> {
    const { body } = this
    if (jobId === null || !body?.request) return
    const final = finalOf(body.request, jobId, this.client, this.purchase.organization.agent)
    if (this.random.chance(0.2)) await this.write(JSON.stringify(draftOf(body.request)))
    await this.write(JSON.stringify(final))
    this.note(`sends its requirement for job ${jobId}`)
  }

  /** Waits while the hub is away. */
  private async write(content: string, author = this.client): Promise<void> {
    const { hub, simulation } = this.jobSide
    while (simulation.scheduler.time < hub.health.awayUntil && this.left > 0) await this.sleep(LOOK_MS)
    const { jobId } = this
    if (jobId !== null && simulation.scheduler.time >= hub.health.awayUntil) {
      hub.write(jobId, author, "requirement", content)
    }
  }

  private async repeatRequirement(): Promise<void> {
    for (let times = this.random.between(1, 7); times > 0; times--) {
      await this.sleep(this.random.fraction() * (this.random.chance(0.7) ? 2_000 : 60_000))
      await this.sendRequirement()
    }
  }

  private async makeMistake(): Promise<void> {
    const { plan, body, jobId } = this
    if (jobId === null || !body?.request) return
    this.note(`makes a mistake: ${plan.mistake}`)
    const { agent } = this.purchase.organization
    const final = (of: string) => finalOf(body.request as NonNullable<Body["request"]>, of, this.client, agent)
    switch (plan.mistake) {
      case "funds_early":
        this.send(TOKEN, approveCall(10n ** 12n))
        await this.mined(this.send(ESCROW, fundCall(jobId, PRICE)))
        break
      case "funds_nothing":
        // Only some: such a job can never be delivered.
        if (this.random.chance(0.3)) await this.mined(this.send(ESCROW, fundCall(jobId, 0n)))
        break
      case "other_wallet":
        await this.write(JSON.stringify(final(jobId)), THIEF.toLowerCase() as Address)
        break
      case "tampered": {
        const text = JSON.stringify(final(jobId))
        await this.write(
          this.random.chance(0.5) ? text.replace("12500.00", "12500.01") : text.replace(/.{9}"}}$/, 'AAAAAAAAA"}}'),
        )
        break
      }
      case "other_job":
        await this.write(JSON.stringify(final(String(BigInt(jobId) + 1n))))
        break
      case "unsigned":
        await this.write(JSON.stringify(draftOf(body.request)))
        break
      case "funds_twice":
      case "other_budget":
        break
    }
    await this.sleep(this.random.fraction() * 12_000)
  }

  /** Null when the budget is proposed and there is time to fund; otherwise how the job ends. */
  private async awaitBudget(): Promise<JobTold | null> {
    const { jobSide, plan } = this
    let boundTo = this.jobId
    for (;;) {
      const { job, jobId } = this
      if (job === null || this.left <= 0) return "gave up"
      // A reorganization gave the job another number, so the binding names another job.
      if (jobId !== boundTo) {
        boundTo = jobId
        await this.sendRequirement()
      }
      if (job.status !== ESCROW_STATUS.open) return this.awaitDelivery()
      if (job.budget === PRICE && plan.habit === "late") {
        await this.sleep((this.left - this.random.between(-2, 120)) * 1_000)
        return null
      }
      if (job.budget === PRICE) return this.left >= FUND_SECONDS_MIN ? null : "left"
      const told = jobId === null ? [] : jobSide.hub.toldCodes(jobId)
      if (told.some((code) => !REMARKS.has(code))) return "refused"
      await this.sleep(LOOK_MS * (0.5 + this.random.fraction()))
    }
  }

  private async fund(): Promise<void> {
    const { plan, jobId } = this
    if (jobId === null) return
    const isCareless = plan.habit === "careless"
    this.send(TOKEN, approveCall(10n ** 12n))
    if (isCareless && plan.mistake === "other_budget") await this.mined(this.send(ESCROW, fundCall(jobId, PRICE - 1n)))
    const funding = this.send(ESCROW, fundCall(jobId, PRICE))
    if ((isCareless && plan.mistake === "funds_twice") || plan.habit === "impatient") {
      this.send(ESCROW, fundCall(jobId, PRICE))
    }
    const isFunded = await this.mined(funding)
    this.note(`${isFunded ? "funds" : "could not fund"} job ${jobId}`)
  }

  /** Until the job is over for its buyer: completed, or refunded after the deadline. */
  private async awaitDelivery(): Promise<JobTold> {
    for (;;) {
      const { job, jobId } = this
      if (job === null || jobId === null) return "gave up"
      switch (job.status) {
        case ESCROW_STATUS.completed:
          await this.recover()
          if (this.plan.habit === "impatient" && this.random.chance(0.5)) await this.sendRequirement()
          return "completed"
        case ESCROW_STATUS.rejected:
          return "rejected"
        case ESCROW_STATUS.expired:
          return "refunded"
        case ESCROW_STATUS.open:
          if (this.left <= -5) return "gave up"
          break
        default:
          if (this.left <= -2) await this.mined(this.send(ESCROW, refundCall(jobId)))
      }
      if (this.random.chance(0.05)) await this.recover()
      await this.sleep(LOOK_MS * (0.5 + this.random.fraction()))
    }
  }

  private async reject(afterMs: number): Promise<JobTold> {
    await this.sleep(afterMs)
    const { jobId } = this
    if (jobId !== null) await this.mined(this.send(ESCROW, rejectCall(jobId)))
    return this.job?.status === ESCROW_STATUS.rejected ? "rejected" : "left"
  }

  private async awaitRefusal(): Promise<JobTold> {
    const { hub } = this.jobSide
    while (this.left > 0) {
      const { jobId } = this
      if (jobId !== null && hub.toldCodes(jobId).length > 0) return "refused"
      await this.sleep(LOOK_MS * 2)
    }
    return "gave up"
  }

  /** Asks for the delivery over HTTP, without a payment. */
  async recover(): Promise<void> {
    const { purchase, body, jobSide } = this
    if (!body?.request) return
    const nonce = `recovery-${purchase.index}-${this.random.bits()}`
    const text = recoveryBody(purchase, body.request, jobSide.simulation.now(), nonce)
    await jobSide.simulation.network.post(purchase, `${purchase.path}/recover`, { ...body, text }, null)
  }
}
