/** Faults that a change might bring into the job rail. See {@link Mutant}. */
import { type Mutant, mutant } from "../mutant.ts"

const ACTIONS = "src/jobs/provider-actions.ts"
const FUNDING = "src/jobs/chain/funding.ts"
const FACTS = "src/jobs/chain/facts.ts"
const END = "src/jobs/end-of-job.ts"
const DECIDE = "src/jobs/decide-job.ts"
const SUBMIT = "src/jobs/submit-deliverable.ts"
const POST = "src/jobs/post-deliverable.ts"
const BUDGET = "src/jobs/propose-budget.ts"
const WITHDRAW = "src/jobs/withdraw-purchase.ts"

export const JOB_MUTANTS: readonly Mutant[] = [
  mutant("job_funded_at_head", FUNDING, "a funding in a block that can be replaced releases the decision", [
    'const [head, safe] = await Promise.all([node.block("latest"), node.block("safe")])',
    'const [head, safe] = await Promise.all([node.block("latest"), node.block("latest")])',
  ]),
  mutant("job_sent_before_stored", ACTIONS, "bytes of the wallet are on their way before they are stored", [
    "    const row = { job: job.id, action, wallet: walletOf(deps), nonce }\n",
    "    const row = { job: job.id, action, wallet: walletOf(deps), nonce }\n    await broadcast(deps.chain.primary, signed.raw)\n",
  ]),
  mutant("job_action_not_sent_again", ACTIONS, "a transaction that the pool lost is never sent again", [
    "else await sendAgain(deps, action, newest, sent.filter(({ nonce }) => nonce === action.nonce).length)",
    "",
  ]),
  mutant("job_withdrawn_at_head", END, "a state that can be replaced ends a purchase", [
    '  const safe = await node.block("safe")\n  // A safe block before the job was made says nothing about it.',
    '  const safe = await node.block("latest")\n  // A safe block before the job was made says nothing about it.',
  ]),
  mutant("job_purchase_left_live", WITHDRAW, "a withdrawn job keeps its request for ever", [
    '  const also = (at: string) => endPurchaseOfJob(job, at)\n  return change(deps, job, { to: "WITHDRAWN", detail: end, reason: end, also })',
    '  return change(deps, job, { to: "WITHDRAWN", detail: end, reason: end })',
  ]),
  mutant("job_fact_safe_at_once", FACTS, "what is in a block that can be replaced is told as safe", [
    'return blockNumber <= safe.number ? "SAFE" : "LATEST"',
    'return "SAFE"',
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
]
