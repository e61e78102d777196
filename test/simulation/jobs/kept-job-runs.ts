/** Runs of job mutants that `check` repeats. See `kept-runs.ts`. */
import type { CaughtMutant } from "../kept-run.ts"

const kept = (mutant: string, run: Omit<CaughtMutant, "mutant" | "byJobs">): CaughtMutant => ({
  mutant,
  byJobs: true,
  ...run,
})

/** Blocks are often replaced. */
const REPLACED = { reorganization: 0.3 }
/** The buyer goes its way, and nothing but the chain makes trouble. */
const HONEST = { jobHabits: { honest: 1 } } as const

export const CAUGHT_JOB_MUTANTS: readonly CaughtMutant[] = [
  kept("job_funded_at_head", { size: 2, count: 10, ...HONEST }),
  kept("job_sent_before_stored", { size: 2, count: 10 }),
  kept("job_action_not_sent_again", { size: 5, count: 12, ...HONEST, rates: { evictions: 2 } }),
  kept("job_withdrawn_at_head", { size: 10, count: 20, rates: REPLACED }),
  kept("job_purchase_left_live", { size: 10, count: 15, jobHabits: { leaving: 1 } }),
  kept("job_fact_safe_at_once", { size: 2, count: 10 }),
  kept("job_submitted_without_look", { size: 5, count: 20, ...HONEST, rates: REPLACED }),
  kept("job_missed_early", { size: 10, count: 15, jobHabits: { late: 1 } }),
  kept("job_posted_unfrozen", { size: 2, count: 10, ...HONEST }),
  kept("job_budget_of_other_job", { size: 3, count: 10 }),
]
