/** The state machine of a job, written again here, so that a fault in the program's own tables is found. */
import type { JobState } from "../../../src/store/jobs/jobs.ts"
import type { PurchaseRow } from "../database/changes.ts"
import { moveName } from "../rules.ts"

const MOVES: readonly (readonly [JobState | null, readonly JobState[]])[] = [
  [null, ["SEEN"]],
  ["SEEN", ["AWAITING_REQUIREMENT", "REFUSED", "WITHDRAWN"]],
  ["AWAITING_REQUIREMENT", ["SEEN", "REQUIREMENT_VERIFIED", "REFUSED", "WITHDRAWN"]],
  ["REQUIREMENT_VERIFIED", ["BUDGET_PREPARED", "BUDGET_PROPOSED", "WITHDRAWN"]],
  ["BUDGET_PREPARED", ["BUDGET_PROPOSED", "WITHDRAWN"]],
  ["BUDGET_PROPOSED", ["FUNDING_SEEN", "FUNDING_SAFE", "WITHDRAWN", "DEADLINE_MISSED"]],
  ["FUNDING_SEEN", ["BUDGET_PROPOSED", "FUNDING_SAFE", "WITHDRAWN", "DEADLINE_MISSED"]],
  ["FUNDING_SAFE", ["DECISION_READY", "DEADLINE_MISSED", "WITHDRAWN"]],
  ["DECISION_READY", ["DELIVERABLE_FROZEN", "DEADLINE_MISSED", "WITHDRAWN"]],
  ["DELIVERABLE_FROZEN", ["DELIVERABLE_POSTED", "UNPAID_AFTER_DELIVERY"]],
  ["DELIVERABLE_POSTED", ["SUBMIT_PREPARED", "SUBMITTED", "SUBMITTED_SAFE", "UNPAID_AFTER_DELIVERY"]],
  ["SUBMIT_PREPARED", ["SUBMITTED", "SUBMITTED_SAFE", "UNPAID_AFTER_DELIVERY"]],
  ["SUBMITTED", ["SUBMIT_PREPARED", "SUBMITTED_SAFE"]],
  ["SUBMITTED_SAFE", ["COMPLETED", "REJECTED", "EXPIRED"]],
]

export const JOB_MOVES: ReadonlySet<string> = new Set(
  MOVES.flatMap(([from, all]) => all.map((to) => moveName(from, to))),
)

/**
 * The state of the purchase that follows from the state of its job; null: none. WITHDRAWN has an ended one if its requirement was frozen.
 */
export const PURCHASE_OF_JOB: Readonly<Record<JobState, PurchaseRow["state"] | null>> = {
  SEEN: null,
  AWAITING_REQUIREMENT: null,
  REFUSED: null,
  REQUIREMENT_VERIFIED: "LIVE",
  BUDGET_PREPARED: "LIVE",
  BUDGET_PROPOSED: "LIVE",
  FUNDING_SEEN: "LIVE",
  FUNDING_SAFE: "LIVE",
  DECISION_READY: "LIVE",
  DELIVERABLE_FROZEN: "ACQUIRED",
  DELIVERABLE_POSTED: "ACQUIRED",
  SUBMIT_PREPARED: "ACQUIRED",
  SUBMITTED: "ACQUIRED",
  SUBMITTED_SAFE: "ACQUIRED",
  COMPLETED: "ACQUIRED",
  REJECTED: "ACQUIRED",
  EXPIRED: "ACQUIRED",
  SUBMIT_MISMATCH: "ACQUIRED",
  UNPAID_AFTER_DELIVERY: "ACQUIRED",
  WITHDRAWN: "ENDED",
  DEADLINE_MISSED: "ENDED",
  FUNDING_MISMATCH: "ENDED",
}
