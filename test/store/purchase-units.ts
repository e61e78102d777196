/** The units of a purchase over x402 in the store alone: no HTTP, signature or chain. */
import { digestBytes } from "../../src/core/digest.ts"
import type { Store, Unit } from "../../src/store/engine/unit.ts"
import { moveAttempt, settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { turnOfPayer } from "../../src/store/payments/unsettled-value.ts"
import { finishDelivery, keepComputed } from "../../src/store/sales/deliveries.ts"
import { spendHolds, takeHolds } from "../../src/store/sales/holds.ts"
import { moveRequest, recordEntitlement } from "../../src/store/sales/requests.ts"
import { keepSold } from "../../src/store/sales/sold-answers.ts"
import { LATER, LEASE, reserved } from "./money-rows.ts"

const TEXT = "x".repeat(3_000)

/**
 * Runs them in their order. The attempt is `att_NAME`, the request `drq_NAME`, and the digest of the capsule that of the name. Purchases of one
 * payer and owner conflict with each other.
 */
export async function purchase(store: Store, name: string, payer: string, owner: string): Promise<void> {
  await payFor(store, name, payer, owner)
  await store.run(function* () {
    yield* deliverPaid(name)
    const ids = { requestId: `drq_${name}`, answerId: `dec_${name}`, deliveryReference: `dlv_${name}` }
    const sold = { product: "p", decision: "ALLOW", payer, tx: name, soldAt: LATER }
    yield* keepSold({ ...ids, ...sold }, { names: [owner], identifiers: [] })
  }, turnOfPayer(payer))
}

/** The units before the last one: the payment is on its way. */
export async function payFor(store: Store, name: string, payer: string, owner: string): Promise<void> {
  const [attempt, request] = [`att_${name}`, `drq_${name}`]
  await store.run(function* () {
    yield* reserved(name, { scope: `${owner}\nagent\nkey`, organizationId: owner }, { payer })
    yield* takeHolds(owner, request, [{ kind: "OBLIGATION", value: name }])
  }, turnOfPayer(payer))
  const texts = { coreJson: TEXT, factsJson: TEXT, capsuleJson: TEXT, capsuleDigest: digestBytes(name), keyId: "k" }
  const ids = { requestId: request, purchaseId: attempt, answerId: `dec_${name}`, deliveryReference: `dlv_${name}` }
  const rest = { validUntil: LATER, computedAt: LATER, attachmentId: null, attachmentJson: null }
  await store.run(() => keepComputed({ ...ids, ...texts, ...rest }, ["snap-1", "snap-2"]))
  const move = (from: "RESERVED" | "VERIFIED", to: "VERIFIED" | "SETTLING") =>
    store.run(() => moveAttempt(attempt, LEASE.owner, { from, to, at: LATER, detail: "x" }))
  await move("RESERVED", "VERIFIED")
  await move("VERIFIED", "SETTLING")
}

/** The last unit, without the row of the list of what was sold. */
export function* deliverPaid(name: string): Unit<void> {
  const [attempt, request] = [`att_${name}`, `drq_${name}`]
  const transfer = { tx: name, logIndex: 0, block: "1", blockHash: "b", finality: "SAFE" } as const
  const finished = {
    product: "p",
    decision: "ALLOW",
    body: TEXT,
    holdsCapsule: false,
    responseDigest: "sha256:r",
    paymentResponse: "p",
  }
  yield* settleAttempt(attempt, LEASE.owner, { from: "SETTLING", at: LATER, transfer })
  if (!(yield* finishDelivery(request, { ...finished, arrival: "IN_TIME" }, LATER))) throw new Error("not delivered")
  yield* moveRequest(request, "DELIVERED", LATER)
  yield* recordEntitlement(digestBytes(name), "x402", request, LATER)
  yield* spendHolds(request)
}
