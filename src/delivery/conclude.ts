/** Ends an attempt over x402 in one unit: paid, with its answer stored; or unpaid, with its holds released. */
import { formatInstant } from "../core/time.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import type { Unit } from "../store/engine/unit.ts"
import { endAttempt, settleAttempt, type Transfer } from "../store/payments/attempt-moves.ts"
import { transferReference } from "../store/payments/attempt-totals.ts"
import type { Attempt, AttemptState } from "../store/payments/attempts.ts"
import { dropComputed } from "../store/sales/deliveries.ts"
import { dropHolds } from "../store/sales/holds.ts"
import { moveRequest } from "../store/sales/requests.ts"
import { type Acquisition, acquire } from "./acquire.ts"
import type { PayingDeps } from "./deps.ts"
import type { PaidProduct, Refused } from "./sale.ts"

/** The chain has proved the transfer. See {@link acquire}. */
export async function concludePaid(
  deps: PayingDeps,
  product: PaidProduct,
  attempt: Attempt,
  from: AttemptState,
  transfer: Transfer,
  stillAllowed?: Acquisition["stillAllowed"],
): Promise<boolean | Refused> {
  const { network } = deps.payments.chain.asset
  const { id, requestId, chainId, payer, value: amount } = attempt
  const { tx: transaction } = transfer
  return acquire(deps, product, {
    requestId,
    rail: "x402",
    settlement: { network, reference: transferReference({ chainId, tx: transaction }) },
    paymentResponse: encodeHeader({ success: true, transaction, network, payer, amount }),
    railMove: (at) => settleAttempt(id, from, deps.owner, transfer, at),
    ...(stillAllowed && { stillAllowed }),
  })
}

/**
 * Moves the attempt to FAILED or RELEASED: nothing was charged. Deletes the computed core and releases the holds. Returns false when this
 * process lost the lease.
 */
export async function concludeUnpaid(
  deps: PayingDeps,
  attempt: Pick<Attempt, "id" | "requestId">,
  from: AttemptState,
  to: "FAILED" | "RELEASED",
  reason: string,
  watched: boolean,
): Promise<boolean> {
  const at = formatInstant(deps.machine.now())
  return deps.store.run(function* (): Unit<boolean> {
    if (!(yield* endAttempt(attempt.id, from, to, deps.owner, at, reason, watched))) return false
    yield* dropComputed(attempt.requestId)
    yield* dropHolds(attempt.requestId)
    yield* moveRequest(attempt.requestId, "NEW", at)
    return true
  })
}
