/**
 * Runs that `check` repeats. A defect that was found is a run that must break nothing; a mutant is a run that must find it. Each is cut
 * into worlds of `world` purchases with seeds of their own, 300 purchases in all at most.
 */
import type { FaultLevel, FaultRates } from "./faults.ts"

interface KeptRun {
  readonly seed: string
  readonly purchases: number
  /** Purchases in one world. */
  readonly world: number
  readonly faults: FaultLevel
  /** Rates that differ from the level's. */
  readonly rates: Partial<FaultRates>
}

/** `found` says what the code did before it was mended. */
export interface MendedDefect extends KeptRun {
  readonly found: string
}

/** Names one of `mutants.ts`. */
export interface CaughtMutant extends KeptRun {
  readonly mutant: string
  readonly isSlow: boolean
}

const run = (world: number, worlds: number, rates: Partial<FaultRates> = {}, faults: FaultLevel = "none"): KeptRun => ({
  seed: "kept",
  purchases: world * worlds,
  world,
  faults,
  rates,
})

export const MENDED_DEFECTS: readonly MendedDefect[] = [
  {
    ...run(40, 3, { nodeLie: 0.15 }),
    found: "a node that lied for seconds about an authorization ended its attempt, and its buyer paid twice",
  },
  {
    ...run(30, 3, { foreignNonce: 0.15 }),
    found: "a foreign transaction of the relayer's key that was lost stopped every later sale",
  },
  {
    ...run(30, 3, { clockJump: 0.2, kill: 0.1 }),
    found: "a lease that was taken while the clock was ahead kept its attempt after the clock was right",
  },
]

const kept = (mutant: string, ...given: Parameters<typeof run>): CaughtMutant => ({
  mutant,
  isSlow: false,
  ...run(...given),
})
/** Run with BIZAUTH_LONG=1 only. */
const slow = (mutant: string, ...given: Parameters<typeof run>): CaughtMutant => ({
  mutant,
  isSlow: true,
  ...run(...given),
})

const BUSY_DISK = { busy: 0.02, full: 0.002, io: 0, kill: 0 }

export const CAUGHT_MUTANTS: readonly CaughtMutant[] = [
  kept("broadcast_before_commit", 20, 3),
  slow("failed_without_log", 40, 7, { nodeLie: 0.15 }),
  kept("safe_when_included", 20, 6, { reorganization: 0.3 }),
  slow("watch_ended_too_early", 50, 6, { gasSpike: 0.3, robbery: 0.9 }),
  kept("released_unwatched", 50, 6, { gasSpike: 0.3, robbery: 0.9 }),
  kept("settling_given_up", 20, 5, { kill: 0.2 }),
  kept("nonce_reused", 40, 6),
  slow("gap_not_filled", 20, 15, { foreignNonce: 0.05 }),
  slow("allocated_not_filled", 20, 10, { database: { busy: 0, full: 0, io: 0, kill: 0.01 } }),
  slow("waiting_not_sent_again", 10, 10, { evictions: 0.5 }),
  slow("reorganized_not_reopened", 20, 10, { reorganization: 0.3, evictions: 0.5 }),
  kept("ended_attempt_sent", 40, 7, { gasSpike: 0.1 }),
  kept("quote_not_bound", 40, 7, { robbery: 0.9, kill: 0.1 }),
  kept("used_is_refused", 40, 7, { robbery: 0.9, kill: 0.1 }),
  kept("unknown_is_402", 40, 7, { gasSpike: 0.2 }),
  kept("hold_not_released", 20, 7, { sourceStale: 0.3 }),
  kept("hold_not_spent", 2, 5),
  kept("computed_core_survives", 40, 7, { gasSpike: 0.3 }),
  kept("challenge_not_held", 2, 5),
  kept("event_not_noted", 2, 5),
  kept("use_not_counted", 5, 5),
  kept("unsettled_never_falls", 2, 5),
  slow("lease_of_a_wrong_clock", 40, 7, { clockJump: 0.4, kill: 0.4, nodeOutage: 0.2 }),
  kept("look_of_a_wrong_clock", 40, 7, { clockJump: 0.2 }),
  kept("told_before_commit", 40, 7, { database: BUSY_DISK }),
  kept("answer_before_settled", 5, 5),
  kept("never_safe", 2, 5),
  slow("loss_not_noted", 30, 10, { reorganization: 0.5 }),
  kept("abandoned_not_taken", 20, 5, { kill: 0.2 }),
]
