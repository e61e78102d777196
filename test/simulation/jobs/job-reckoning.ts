/**
 * The checks of jobs after the faults: every job ends, what was funded in time is delivered, what the chain shows of money is stored, every
 * delivery is recovered, and each server still serves a job.
 */
import { ESCROW_STATUS } from "../../sandbox/chain/parts/escrow-state.ts"
import type { JobRow } from "../database/changes.ts"
import { recoveryBody } from "../purchase.ts"
import type { Simulation } from "../simulation.ts"
import { lastJob } from "./job-plan.ts"
import type { JobSide } from "./job-side.ts"
import { NET, PRICE } from "./job-terms.ts"

/** The longest job, blocks until its refund is safe, and looks of the worker at an ended job. */
const CALM_MS = 900_000 + 240_000
const POLL_EVERY_MS = 4_000
/** What a server needs after the last fault: the longest freeze, a restart, a safe block, a few rounds. */
const CATCH_UP_SECONDS = 200
/** From the funding's block to the acquisition without a fault: twelve blocks until it is safe, and a few rounds. */
const DELIVERY_SECONDS = 60
const ACQUIRE_SECONDS = 60
const LAST_MS = 400_000

/** `calmAt`: when the faults ended, seconds of the chain. */
export function reckonJobs(simulation: Simulation, jobSide: JobSide, calmAt: number): void {
  awaitEnds(simulation, jobSide)
  for (const job of jobSide.books.jobs.values()) {
    requireDelivered(simulation, jobSide, job, calmAt)
    requireFacts(simulation, jobSide, job)
  }
  simulation.requireSound()
  recoverAll(simulation, jobSide)
  serveAgain(simulation, jobSide)
  awaitEnds(simulation, jobSide)
  requireMoney(simulation, jobSide)
  simulation.requireSound()
}

function awaitEnds(simulation: Simulation, jobSide: JobSide): void {
  const { scheduler } = simulation
  const until = scheduler.time + CALM_MS
  let nextPollAt = scheduler.time
  const isQuiet = simulation.runUntil(() => {
    if (scheduler.time < nextPollAt) return false
    nextPollAt = scheduler.time + POLL_EVERY_MS
    jobSide.claimRefunds()
    return simulation.openJobs() === 0 && simulation.servers.areOpen
  }, until)
  if (isQuiet) return
  for (const { id, jobId, state, reason } of jobSide.books.jobs.values()) {
    if (!ENDS.has(state)) simulation.violate("job_never_ends", `job ${jobId} is ${state} (${reason})`, [id])
  }
  simulation.violate("job_never_ends", `${simulation.openJobs()} jobs are still looked at`, [])
  simulation.requireSound()
}

const ENDS: ReadonlySet<JobRow["state"]> = new Set([
  "COMPLETED",
  "REJECTED",
  "EXPIRED",
  "REFUSED",
  "WITHDRAWN",
  "DEADLINE_MISSED",
  "UNPAID_AFTER_DELIVERY",
])

/** Nothing but faults, sources and its client keep a job that was funded in time from its delivery. */
function requireDelivered(simulation: Simulation, jobSide: JobSide, job: JobRow, calmAt: number): void {
  const { id, jobId, state, expiredAt, replacedAt } = job
  // The chain's job of this number is another one.
  if (replacedAt !== null) return
  const found = jobSide.jobAtHead(jobId)
  const funding = jobSide.log.find(jobId, "JobFunded")
  const submission = jobSide.log.find(jobId, "JobSubmitted")
  const say = (text: string) => simulation.violate("job_not_delivered", `job ${jobId} is ${state}: ${text}`, [id])
  const isCompleted = found?.status === ESCROW_STATUS.completed
  if (isCompleted !== (state === "COMPLETED") || isCompleted !== (submission !== null)) {
    say(`the contract has status ${found?.status} and ${submission ? "a" : "no"} submission`)
  }
  if (isCompleted) {
    const text = jobSide.books.deliverables.get(id)?.text
    if (text === undefined || !jobSide.hub.deliverables(jobId).includes(text)) say("the hub has no such text")
    return
  }
  if (funding?.amount !== PRICE || found?.status === ESCROW_STATUS.rejected) return
  const isFaultless = calmAt === 0
  const ready = isFaultless
    ? funding.timestamp + DELIVERY_SECONDS
    : Math.max(funding.timestamp + DELIVERY_SECONDS, calmAt + CATCH_UP_SECONDS)
  // The worker judges the time left by the later of its own clock and the chain's.
  const last = expiredAt - ACQUIRE_SECONDS - simulation.chain.secondsBehind
  if (ready <= last) say(`it was funded ${expiredAt - funding.timestamp} s before its deadline`)
}

/** What the chain shows of the money of a job is stored, and its newest row does not say that a block is gone that is there. */
function requireFacts(simulation: Simulation, jobSide: JobSide, { id, jobId, state, replacedAt }: JobRow): void {
  if (replacedAt !== null || state === "REFUSED" || state === "WITHDRAWN") return
  const facts = jobSide.books.facts.get(id) ?? []
  const wanted = { PAYOUT: "PaymentReleased", REFUND: "Refunded", FUNDING: "JobFunded" } as const
  for (const [fact, name] of Object.entries(wanted)) {
    const event = jobSide.log.find(jobId, name)
    if (event === null || event.amount === 0n) continue
    const rows = facts.filter(
      (row) => row.fact === fact && row.txHash === event.tx && row.blockHash === event.blockHash,
    )
    const last = rows.at(-1)?.level ?? "missing"
    if (last === "SAFE" || last === "FINALIZED") continue
    simulation.violate("fact_without_event", `${fact} of job ${jobId} is ${last}, and the chain has ${event.tx}`, [id])
  }
}

/** Every delivery comes again, without a payment; what was not delivered does not. */
function recoverAll(simulation: Simulation, jobSide: JobSide): void {
  let open = 0
  const ask = (call: Promise<unknown>) => {
    open++
    void call.then(() => open--)
  }
  const { network } = simulation
  for (const { buyer } of jobSide.ended) {
    const { purchase, request, overX402 } = buyer
    if (!request?.request) continue
    for (const one of overX402?.signed ?? []) ask(network.post(purchase, purchase.path, request, one))
    ask(network.post(purchase, purchase.path, request, null))
    const text = recoveryBody(purchase, request.request, simulation.now(), `recovery-last-job-${buyer.plan.index}-`)
    const isDelivered = simulation.books.requestOf(purchase.scope, purchase.idempotencyKey)?.state === "DELIVERED"
    ask(
      network
        .post(purchase, `${purchase.path}/recover`, { ...request, text }, null)
        .then(({ status, text: answer }) => {
          if ((status === 200) === isDelivered) return
          const told = `${buyer.plan.name} is ${isDelivered ? "" : "not "}delivered, and recovery answers ${status} ${answer.slice(0, 200)}`
          simulation.violate("job_not_delivered", told, [buyer.plan.name])
        }),
    )
  }
  const isDone = simulation.runUntil(() => open === 0, simulation.scheduler.time + 120_000)
  if (!isDone) simulation.violate("does_not_sell", `${open} calls got no answer`, [])
  simulation.requireSound()
}

function serveAgain(simulation: Simulation, jobSide: JobSide): void {
  const plan = lastJob(simulation.random.stream("jobs"), simulation.options.jobs)
  let told = "nothing"
  void jobSide.begin(plan).then((how) => {
    told = how
  })
  simulation.runUntil(() => told !== "nothing", simulation.scheduler.time + LAST_MS)
  if (told !== "completed") simulation.violate("does_not_sell", `the last job was ${told}`, [plan.name])
  simulation.requireSound()
}

/** The contract holds nothing, and the provider has its share of each completed job. */
function requireMoney(simulation: Simulation, jobSide: JobSide): void {
  const completed = [...jobSide.books.jobs.values()].filter(({ state }) => state === "COMPLETED").length
  const { escrow, provider } = jobSide.balances()
  if (escrow === 0n && provider === NET * BigInt(completed)) return
  const text = `${completed} jobs are completed; the provider has ${provider}, and the contract holds ${escrow}`
  simulation.violate("transfer_and_delivery_differ", text, [])
}
