/** Gives the answers of earlier releases their rows in the list of what was sold, while the service runs. */
import type { Store, Unit } from "../store/engine/unit.ts"
import { keepSold, transactionIn } from "../store/sales/sold-answers.ts"
import { type DeliveredBefore, moveFill, nextFillStep } from "../store/sales/sold-fill.ts"
import type { PaidProduct } from "./sale.ts"

interface FillDeps {
  readonly store: Pick<Store, "read" | "run">
  readonly products: ReadonlyMap<string, Pick<PaidProduct, "soldTo">>
}

/** One step. Returns whether answers are left. */
export async function fillSold({ store, products }: FillDeps): Promise<boolean> {
  // The rows that a step reads are final, so reading them outside of the unit that writes keeps no sale from its commit.
  const step = await store.read(nextFillStep)
  if (step === null) return false
  const sold = step.deliveries.map((delivery) => soldBefore(products, delivery))
  await store.run(function* (): Unit<void> {
    if (!(yield* moveFill(step))) return
    for (const { answer, party } of sold) yield* keepSold(answer, party)
  })
  return !step.isLast
}

function soldBefore(products: FillDeps["products"], delivery: DeliveredBefore) {
  const { requestId, soldAt, product, decision, answerId, deliveryReference, reference } = delivery
  const paid = products.get(product)
  if (!paid) throw new Error(`the delivered answer ${deliveryReference} is of an unknown product`)
  const { payer, party } = paid.soldTo(delivery, delivery.factsJson)
  const answer = { requestId, soldAt, product, decision, payer, answerId, deliveryReference }
  return { answer: { ...answer, tx: transactionIn(reference) }, party }
}
