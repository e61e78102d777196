/** Consequences of every state change of an attempt: its event, the payer's unsettled value and the use of delegations. */

import { countUse } from "../buyers/delegation-use.ts"
import type { Tables, Unit } from "../unit.ts"
import { type Attempt, type AttemptState, LIVE_STATES, noteEvent } from "./attempts.ts"
import { changeUnsettledValue } from "./unsettled-value.ts"

export type MovedAttempt = Pick<Attempt, "id" | "requestId" | "chainId" | "asset" | "payer" | "value" | "createdAt">

/** Columns that a state change returns for {@link followMove}. */
export const movedColumns = ({ paymentAttempt: t }: Tables) => ({
  id: t.id,
  requestId: t.requestId,
  chainId: t.chainId,
  asset: t.asset,
  payer: t.payer,
  value: t.value,
  createdAt: t.createdAt,
})

const LIVE: ReadonlySet<AttemptState | null> = new Set(LIVE_STATES)
/** States from which money may still be taken from the payer. */
const UNSETTLED: ReadonlySet<AttemptState | null> = new Set(["RESERVED", "VERIFIED", "SETTLING"] as const)

/**
 * INVARIANT: runs in the unit of every state change, so that each stored sum equals the sum over the rows. `from` null: the attempt is new.
 */
export function* followMove(
  attempt: MovedAttempt,
  from: AttemptState | null,
  to: AttemptState,
  at: string,
  detail: string,
): Unit<void> {
  yield* noteEvent(attempt.id, at, from, to, detail)
  if (UNSETTLED.has(from) !== UNSETTLED.has(to)) {
    const value = BigInt(attempt.value)
    yield* changeUnsettledValue(attempt, UNSETTLED.has(to) ? value : -value)
  }
  if (LIVE.has(from) !== LIVE.has(to)) yield* countUse(attempt.requestId, attempt.createdAt, LIVE.has(to) ? 1 : -1)
}
