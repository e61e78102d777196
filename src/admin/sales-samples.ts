/** What was sold and settled, from the database: one read of a few rows, whatever was sold before. */
import { formatInstant, SECOND } from "../core/time.ts"
import { STUCK_MS } from "../delivery/settlement-check.ts"
import type { UnchargedCounts } from "../http/process-counts.ts"
import type { Store } from "../store/engine/unit.ts"
import { capsulesWaitSince } from "../store/log/sequenced-log.ts"
import { readTreeHead } from "../store/log/transparency-log.ts"
import { attemptCounts } from "../store/payments/attempt-counts.ts"
import { lowestOpenNonce, oldestSettling, settlingSince } from "../store/payments/settling-age.ts"
import { decisionCounts } from "../store/sales/decision-counts.ts"
import { type Sample, sample, waitSeconds } from "./exposition.ts"
import { DELIVERED_PAIRS, UNCHARGED_PAIRS } from "./label-values.ts"

interface SalesParts {
  readonly store: Store
  readonly machine: { now(): number }
  readonly uncharged: UnchargedCounts
  readonly logSize: { lagMs(size: number): number }
}

export async function salesSamples({ store, machine, uncharged, logSize }: SalesParts): Promise<readonly Sample[]> {
  const now = machine.now()
  const read = await store.read(function* () {
    return {
      decisions: yield* decisionCounts(),
      attempts: yield* attemptCounts(),
      settling: yield* oldestSettling(),
      nonce: yield* lowestOpenNonce(),
      stuck: yield* settlingSince(formatInstant(now - STUCK_MS)),
      treeSize: (yield* readTreeHead()).size,
      unlogged: yield* capsulesWaitSince(),
    }
  })
  const owed = read.attempts.find(({ state }) => state === "PAID_OWED")?.present ?? 0
  return [
    // A pair that did not happen yet is printed as zero, so that its first increase is visible.
    ...DELIVERED_PAIRS.map(([product, decision]) => sample("bizauth_decisions_total", { product, decision }, 0)),
    ...read.decisions.map(({ product, decision, answers }) =>
      sample("bizauth_decisions_total", { product, decision }, answers),
    ),
    ...UNCHARGED_PAIRS.map(([product, decision]) =>
      sample(
        "bizauth_uncharged_answers_total",
        { product, decision },
        uncharged.byProduct.get(product)?.get(decision) ?? 0,
      ),
    ),
    ...read.attempts.flatMap(({ state, entered, present }) => [
      sample("bizauth_settlements_total", { state }, entered),
      sample("bizauth_payment_attempts", { state }, present),
    ]),
    sample("bizauth_payments_owed", {}, owed),
    sample("bizauth_attempts_stuck", {}, read.stuck),
    sample("bizauth_settlement_wait_seconds", {}, waitSeconds(read.settling?.since ?? null, now)),
    sample("bizauth_relayer_nonce_wait_seconds", {}, waitSeconds(read.nonce?.since ?? null, now)),
    sample("bizauth_log_tree_size", {}, read.treeSize),
    sample("bizauth_log_wait_seconds", {}, waitSeconds(read.unlogged, now)),
    sample("bizauth_log_lag_seconds", {}, logSize.lagMs(read.treeSize) / SECOND),
  ]
}
