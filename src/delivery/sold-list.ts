/** Keeps the list of what was sold complete while the service runs: new answers, and those of releases that had no list. */
import type { Store, Unit } from "../store/engine/unit.ts"
import { listAnswers, listWaiting, soldAbout, transactionIn } from "../store/sales/sold-answers.ts"
import { type DeliveredBefore, moveFill, nextFillStep, whatPaid } from "../store/sales/sold-fill.ts"
import type { PaidProduct } from "./sale.ts"

interface SoldListDeps {
  readonly store: Pick<Store, "read" | "run">
  readonly products: ReadonlyMap<string, Pick<PaidProduct, "soldTo">>
}

/** Lists the answers that wait, and some of earlier releases. Returns whether answers of earlier releases are left. */
export async function listSold(deps: SoldListDeps): Promise<boolean> {
  await listWaiting(deps.store)
  return fillSome(deps)
}

async function fillSome({ store, products }: SoldListDeps): Promise<boolean> {
  // What a step reads is final. Read in the unit that writes, it would keep other units waiting. Only what paid may still change.
  const step = await store.read(nextFillStep)
  if (step === null) return false
  const answers = step.deliveries.map((delivery) => soldBefore(products, delivery))
  await store.run(function* (): Unit<void> {
    if (!(yield* moveFill(step))) return
    const paid = yield* whatPaid(step.deliveries)
    yield* listAnswers(answers.map((one) => ({ ...one, tx: transactionIn(paid.get(one.requestId) ?? "") })))
  }, "sequencing")
  return !step.isLast
}

function soldBefore(products: SoldListDeps["products"], delivery: DeliveredBefore) {
  const { requestId, soldAt, product, decision, answerId, deliveryReference } = delivery
  const paid = products.get(product)
  if (!paid) throw new Error(`the delivered answer ${deliveryReference} is of an unknown product`)
  const { payer, party } = paid.soldTo(delivery, delivery.factsJson)
  return soldAbout({ requestId, soldAt, product, decision, payer, answerId, deliveryReference }, party)
}
