/** Faults that a change might bring into the job rail. See {@link Mutant}. */
import { type Mutant, mutant } from "../mutant.ts"

const ACTIONS = "src/acp/provider-actions.ts"
const ACTION_ROWS = "src/store/acp/job-actions.ts"
const FUNDING = "src/acp/chain/funding.ts"
const FACTS = "src/acp/chain/facts.ts"
const OUTCOME = "src/acp/follow-outcome.ts"
const FREEZE = "src/acp/freeze-requirement.ts"
const END = "src/acp/end-of-job.ts"
const DECIDE = "src/acp/decide-job.ts"
const SUBMIT = "src/acp/submit-deliverable.ts"
const POST = "src/acp/post-deliverable.ts"
const BUDGET = "src/acp/propose-budget.ts"
const MOVES = "src/store/acp/job-moves.ts"
const WITHDRAW = "src/acp/withdraw-purchase.ts"
const SETTLED = "src/acp/freeze-deliverable.ts"

export const JOB_MUTANTS: readonly Mutant[] = [
  mutant("job_funded_at_head", FUNDING, "a funding in a block that can be replaced releases the decision", [
    'if (funding.blockNumber > safe.number) return { kind: "seen", txHash: funding.txHash }',
    "",
  ]),
  mutant("job_sent_before_stored", ACTIONS, "bytes of the wallet are on their way before they are stored", [
    "    const row = { job: job.id, action, wallet: walletOf(deps), nonce }\n",
    "    const row = { job: job.id, action, wallet: walletOf(deps), nonce }\n    await broadcast(deps.chain.primary, signed.raw)\n",
  ]),
  mutant("job_action_not_sent_again", ACTIONS, "a transaction that the pool lost is never sent again", [
    "else await sendAgain(deps, action, newest, sent.filter(({ nonce }) => nonce === action.nonce).length)",
    "",
  ]),
  mutant("job_gap_not_filled", ACTIONS, "a nonce that no action has stops every later transaction", [
    "  await fillGaps(deps)\n",
    "\n",
  ]),
  mutant("job_nonce_taken_elsewhere", ACTIONS, "an action whose nonce a foreign transaction took is never sent", [
    "if (isTaken) await renumber(deps, action, newest)",
    "if (isTaken) return",
  ]),
  mutant("job_failed_action_forgotten", ACTION_ROWS, "an action that failed once is never repeated", [
    'eq(t.acpAction.state, "REVERTED")),\n    )\n    .returning',
    'eq(t.acpAction.state, "SAFE")),\n    )\n    .returning',
  ]),
  mutant("job_withdrawn_at_head", END, "a state that can be replaced ends a purchase", [
    '  const safe = await node.block("safe")\n  // A safe block before the job was made says nothing about it.',
    '  const safe = await node.block("latest")\n  // A safe block before the job was made says nothing about it.',
  ]),
  mutant("job_purchase_left_live", WITHDRAW, "a withdrawn job keeps its request for ever", [
    '  const also = (at: string) => endPurchaseOfJob(job, at)\n  return change(deps, job, { to: "WITHDRAWN", detail: end, reason: end, also })',
    '  return change(deps, job, { to: "WITHDRAWN", detail: end, reason: end })',
  ]),
  mutant("job_sells_again", FREEZE, "a request that another purchase claims is sold by a job", [
    "if (yield* findClaimingPurchase(requestId)) return IN_PROGRESS",
    "",
  ]),
  mutant("job_fact_safe_at_once", FACTS, "what is in a block that can be replaced is told as safe", [
    'return blockNumber <= safe.number ? "SAFE" : "LATEST"',
    'return "SAFE"',
  ]),
  mutant("job_orphan_not_told", OUTCOME, "a fact whose block was replaced stays true", [
    'for (const fact of orphaned) yield* recordFact({ ...fact, level: "ORPHANED", observedAt })',
    "",
  ]),
  mutant("job_completed_at_head", OUTCOME, "an outcome in a block that can be replaced ends the job", [
    'const safe = await node.block("safe")',
    'const safe = await node.block("latest")',
  ]),
  mutant("job_submitted_without_look", SUBMIT, "a submission that a reorganization took away is not sent again", [
    "if (submission !== null) return submitted(deps, job, deliverable, submission)",
    "if (submission !== null) return submitted(deps, job, deliverable, { ...submission, isSafe: true })",
  ]),
  mutant(
    "job_missed_early",
    DECIDE,
    "a deadline counts as missed while the decision could be delivered",
    [
      "if (secondsLeft(deps, job, await newestHead(deps)) >= ACQUIRE_SECONDS_MIN) return null",
      "if (secondsLeft(deps, job, await newestHead(deps)) >= 12 * ACQUIRE_SECONDS_MIN) return null",
    ],
    ["timestamp < job.expiredAt - ACQUIRE_SECONDS_MIN", "timestamp < job.expiredAt - 12 * ACQUIRE_SECONDS_MIN"],
  ),
  mutant("job_posted_unfrozen", POST, "another text than the frozen one reaches the buyer", [
    "await hub.postDeliverable(job.jobId, deliverable.text)",
    'await hub.postDeliverable(job.jobId, deliverable.text.replace(/}$/, " }"))',
  ]),
  mutant("job_budget_of_other_job", BUDGET, "the budget is set for the job before", [
    'const args = [BigInt(job.jobId), price, "0x"] as const',
    'const args = [BigInt(job.jobId) - 1n, price, "0x"] as const',
  ]),
  mutant("job_lease_not_checked", MOVES, "a worker moves a job that another one has", [
    'eq(t.acpJob.state, bind("from")), eq(t.acpJob.leaseOwner, bind("owner"))))\n    .returning({ id: t.acpJob.id }),\n)\n\n/** Keeps the lease.',
    'eq(t.acpJob.state, bind("from"))))\n    .returning({ id: t.acpJob.id }),\n)\n\n/** Keeps the lease.',
  ]),
  mutant("job_successor_not_taken", "src/acp/successor.ts", "a job that got the number of a lost one is never served", [
    "if (found === null || found.provider !== offering.provider || isSameJob(found, job)) return null",
    "if (found !== null) return null",
  ]),
  mutant("job_funding_not_read_again", SETTLED, "a funding that is gone since it was safe is delivered", [
    'if (funding.kind !== "safe") return wait(LOOK_MS.chain, "FUNDING_NOT_SAFE")',
    "",
  ]),
]
