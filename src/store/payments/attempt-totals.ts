/** Consequences of every state change of an attempt: its event, its counts, the payer's unsettled value and the state of its purchase. */

import type { Tables, Unit } from "../engine/unit.ts"
import { claimEnded, movePurchase } from "../sales/purchase-moves.ts"
import type { PurchaseState } from "../sales/purchases.ts"
import { countMove } from "./attempt-counts.ts"
import { type Attempt, type AttemptMove, type AttemptState, noteEvent } from "./attempts.ts"
import { changeUnsettledValue } from "./unsettled-value.ts"

type MovedAttempt = Pick<Attempt, "id" | "chainId" | "asset" | "payer" | "value" | "settledTx">

/** Columns that a state change returns for {@link followMove}. */
export const movedColumns = ({ paymentAttempt: t }: Tables) => ({
  id: t.id,
  chainId: t.chainId,
  asset: t.asset,
  payer: t.payer,
  value: t.value,
  settledTx: t.settledTx,
})

/** The state of an attempt's purchase. While the chain shows the authorization of an ended attempt as used, it is OWED in place of ENDED. */
const PURCHASE = {
  RESERVED: "LIVE",
  VERIFIED: "LIVE",
  SETTLING: "LIVE",
  SETTLED: "ACQUIRED",
  FAILED: "ENDED",
  RELEASED: "ENDED",
  PAID_OWED: "OWED",
} as const satisfies Record<AttemptState, PurchaseState>

/** States from which money may still be taken from the payer. */
const UNSETTLED: ReadonlySet<AttemptState | null> = new Set(["RESERVED", "VERIFIED", "SETTLING"] as const)

export const isUnsettled = (state: AttemptState | null): boolean => UNSETTLED.has(state)

/** What paid, as an answer names it: the transaction on its chain. */
export function transferReference({ chainId, tx }: { readonly chainId: number; readonly tx: string }): string {
  return `eip155:${chainId}/tx/${tx}`
}

/**
 * INVARIANT: runs in the unit of every state change, so that each stored sum equals the sum over the rows. `from` null: the attempt is new,
 * and its purchase was opened with it.
 */
export function* followMove(attempt: MovedAttempt, move: AttemptMove<AttemptState | null>): Unit<void> {
  const { from, to } = move
  yield* noteEvent(attempt.id, move)
  yield* countMove(from, to)
  if (isUnsettled(from) !== isUnsettled(to)) {
    const value = BigInt(attempt.value)
    yield* changeUnsettledValue(attempt, isUnsettled(to) ? value : -value)
  }
  if (from === null || PURCHASE[from] === PURCHASE[to]) return
  if (PURCHASE[from] === "ENDED") yield* claimEnded(attempt.id, false)
  const { chainId, settledTx } = attempt
  const reference = to === "SETTLED" ? transferReference({ chainId, tx: settledTx ?? "" }) : null
  yield* movePurchase(attempt.id, PURCHASE[from], PURCHASE[to], reference)
}
