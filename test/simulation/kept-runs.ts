/**
 * Runs that `check` repeats. The run of a fixed defect must violate nothing, and the run of a mutant must find it. Each is cut into worlds
 * with their own seeds, at most 300 purchases in all, and ends with the first violation. The faults that a mutant needs are so frequent
 * that about every second world finds it, so that no run depends on one lucky seed.
 */
import { CAUGHT_JOB_MUTANTS } from "./jobs/kept-job-runs.ts"
import type { CaughtMutant, KeptRun } from "./kept-run.ts"

/** `found` describes the behaviour before the fix. */
export interface MendedDefect extends KeptRun {
  readonly found: string
}

const DISK = { busy: 0, full: 0, io: 0, kill: 0 }

export const MENDED_DEFECTS: readonly MendedDefect[] = [
  {
    found: "a node that lied for seconds about an authorization ended its attempt, and its buyer paid twice",
    ...{ size: 40, count: 3, rates: { nodeLie: 0.15 } },
  },
  {
    found: "a foreign transaction of the relayer's key that was lost stopped every later sale",
    ...{ size: 30, count: 3, rates: { foreignNonce: 0.15 } },
  },
  {
    found: "a lease that was taken while the clock was ahead kept its attempt after the clock was right",
    ...{ size: 30, count: 3, rates: { clockJump: 0.2, kill: 0.1 } },
  },
  {
    found:
      "a busy database left leases with a process that did not work on their attempts, and the outcomes came too late",
    ...{ size: 30, count: 3, processes: 2, rates: { database: { ...DISK, busy: 0.03 }, clockJump: 0.05 } },
  },
]

const kept = (mutant: string, run: KeptRun): CaughtMutant => ({ mutant, ...run })

const NODES = {
  slow: 0,
  lost: 0,
  unanswered: 0,
  error: 0,
  brokenBatch: 0,
  brokenAnswer: 0,
  refusedBroadcast: 0,
  forgottenBroadcast: 0,
}
/** Nothing is sent for a while, so that attempts are released, and the holder of an authorization brings it to the chain. */
const GIVEN_UP = { gasSpike: 0.5, robbery: 1 }
/** The chain's clock is behind or ahead, and so are those of the signers. */
const OTHER_CLOCKS = { chainClock: 0.05, oddWindow: 1 }
/** A clock that is often wrong by hours. */
const WRONG_CLOCK = { clockJump: 0.1, farJump: 1 }

const OF_PAID_PATH: readonly CaughtMutant[] = [
  kept("broadcast_before_commit", { size: 5, count: 4 }),
  kept("failed_without_log", {
    ...{ size: 10, count: 12, nodes: 1 },
    rates: { nodeLie: 0.5, lies: ["authorizationState"] },
  }),
  kept("safe_when_included", { size: 3, count: 10 }),
  kept("cancelled_before_safe", { size: 15, count: 10, habits: { canceller: 1 } }),
  kept("watch_ended_too_early", { size: 10, count: 12, rates: GIVEN_UP }),
  kept("released_unwatched", { size: 10, count: 12, rates: GIVEN_UP }),
  kept("abandoned_unwatched", {
    ...{ size: 10, count: 12, processes: 2 },
    rates: { kill: 0.2, rpc: { ...NODES, slow: 0.4 } },
  }),
  kept("owed_when_included", { size: 10, count: 15, rates: GIVEN_UP }),
  kept("settling_given_up", { size: 10, count: 12, rates: { kill: 0.2 } }),
  kept("nonce_reused", { size: 20, count: 10, processes: 2, arrivalMeanMs: 50 }),
  kept("gap_not_filled", {
    ...{ size: 6, count: 20, processes: 1, nodes: 1, arrivalMeanMs: 1_000, patienceMs: 15_000 },
    rates: { nodeLie: 0.8, lies: ["transactionCount"] },
  }),
  kept("allocated_not_filled", {
    ...{ size: 15, count: 20, processes: 1, arrivalMeanMs: 1_000, patienceMs: 30_000 },
    rates: { database: { ...DISK, kill: 0.01 } },
  }),
  kept("waiting_not_sent_again", {
    ...{ size: 6, count: 12, processes: 1, patienceMs: 30_000 },
    rates: { evictions: 4 },
  }),
  kept("reorganized_not_reopened", {
    ...{ size: 5, count: 20, processes: 1, patienceMs: 30_000 },
    rates: { reorganization: 1, evictions: 2 },
  }),
  kept("ended_attempt_sent", {
    ...{ size: 10, count: 12, habits: { canceller: 1 } },
    rates: { rpc: { ...NODES, forgottenBroadcast: 0.95 } },
  }),
  kept("quote_not_bound", { size: 20, count: 12, rates: { robbery: 1 } }),
  kept("used_is_refused", { size: 20, count: 12, rates: { robbery: 1, rpc: { ...NODES, slow: 0.5 } } }),
  kept("unknown_is_402", { size: 10, count: 12, rates: GIVEN_UP }),
  kept("hold_not_released", { size: 5, count: 12, rates: GIVEN_UP }),
  kept("hold_not_spent", { size: 2, count: 10 }),
  kept("computed_core_survives", { size: 20, count: 12, rates: { gasSpike: 0.5 } }),
  kept("challenge_not_held", { size: 2, count: 10 }),
  kept("key_not_unique", { size: 10, count: 10, habits: { impatient: 1 } }),
  kept("event_not_noted", { size: 2, count: 10 }),
  kept("use_not_counted", { size: 5, count: 10 }),
  kept("purchase_left_live", { size: 10, count: 10 }),
  kept("unsettled_never_falls", { size: 2, count: 10 }),
  kept("lease_of_a_wrong_clock", {
    ...{ size: 10, count: 20, processes: 2, arrivalMeanMs: 100, patienceMs: 120_000 },
    rates: { ...WRONG_CLOCK, clockJump: 0.05, kill: 0.01, rpc: { ...NODES, slow: 0.1, forgottenBroadcast: 1 } },
  }),
  kept("look_of_a_wrong_clock", {
    ...{ size: 8, count: 15, processes: 1, arrivalMeanMs: 100, patienceMs: 60_000, habits: { canceller: 1 } },
    rates: WRONG_CLOCK,
  }),
  kept("told_before_commit", { size: 20, count: 10, rates: { database: { ...DISK, busy: 0.05, full: 0.01 } } }),
  kept("batch_forgotten", {
    ...{ size: 15, count: 15, processes: 1, arrivalMeanMs: 20, patienceMs: 30_000, habits: { impatient: 1 } },
    rates: { database: { ...DISK, full: 0.05 } },
  }),
  kept("answer_before_settled", { size: 10, count: 10 }),
  kept("never_safe", { size: 2, count: 10, processes: 1 }),
  kept("loss_not_noted", {
    ...{ size: 12, count: 15, processes: 1, arrivalMeanMs: 200, patienceMs: 30_000, habits: { canceller: 1 } },
    rates: { reorganization: 1, evictions: 0.5 },
  }),
  kept("abandoned_not_taken", { size: 8, count: 15, processes: 1, patienceMs: 20_000, rates: { kill: 0.3 } }),
  kept("stray_lease_kept", { size: 20, count: 12, processes: 2, rates: { database: { ...DISK, busy: 0.03 } } }),
  kept("begins_by_our_clock", { size: 10, count: 12, rates: OTHER_CLOCKS }),
  kept("window_by_our_clock", { size: 15, count: 20, rates: { ...OTHER_CLOCKS, clockJump: 0.2, farJump: 0 } }),
  kept("early_not_sent_again", {
    ...{ size: 10, count: 15, nodes: 1 },
    rates: { ...OTHER_CLOCKS, nodeLie: 0.5, lies: ["headSeconds"] },
  }),
  kept("waiting_never_sent", { size: 10, count: 12, rates: OTHER_CLOCKS }),
  kept("outcome_late", { size: 5, count: 15, processes: 1, patienceMs: 30_000, habits: { poor: 1 } }),
  kept("search_too_short", { size: 10, count: 12, rates: { oddWindow: 1, robbery: 1 } }),
  kept("kept_over_turns", { size: 10, count: 12, habits: { canceller: 1 } }),
  kept("answers_by_position", { size: 5, count: 4 }),
  kept("former_not_sent", { size: 30, count: 10, arrivalMeanMs: 700, rates: { relayerKey: 0.1, gasSpike: 0.2 } }),
  kept("former_not_booked", {
    ...{ size: 30, count: 10, processes: 1, arrivalMeanMs: 1_500 },
    rates: { relayerKey: 0.05, gasSpike: 0.05 },
  }),
  kept("expired_never_fails", { size: 5, count: 15, processes: 1, patienceMs: 30_000, habits: { poor: 1 } }),
]

export const CAUGHT_MUTANTS: readonly CaughtMutant[] = [...OF_PAID_PATH, ...CAUGHT_JOB_MUTANTS]
