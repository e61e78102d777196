/** Sales whose capsules go into the log. */
import { digestBytes } from "../../../src/core/digest.ts"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import { type ComputedDelivery, finishDelivery, keepComputed } from "../../../src/store/sales/deliveries.ts"
import { AT, LATER, reserved } from "../money-rows.ts"

const FINISHED = {
  product: "p",
  decision: "ALLOW",
  holdsCapsule: false,
  responseDigest: "sha256:r",
  paymentResponse: "p",
} as const

export function capsuleDigest(name: string): string {
  return digestBytes(`capsule ${name}`)
}

/** All but the delivery of a sale. The request is `drq_NAME`. */
export async function computeSale(store: Store, name: string, changes: Partial<ComputedDelivery> = {}): Promise<void> {
  await store.run(function* () {
    yield* reserved(name)
    yield* keepComputed(
      {
        ...{
          requestId: `drq_${name}`,
          purchaseId: `att_${name}`,
          answerId: `dec_${name}`,
          deliveryReference: `dlv_${name}`,
        },
        ...{ coreJson: "{}", factsJson: "{}", capsuleJson: "{}", capsuleDigest: capsuleDigest(name), keyId: "k" },
        ...{ validUntil: LATER, computedAt: AT, attachmentId: null, attachmentJson: null },
        ...changes,
      },
      [],
    )
  })
}

export function* deliver(name: string, at = AT): Unit<boolean> {
  return yield* finishDelivery(`drq_${name}`, { ...FINISHED, body: `body ${name}`, arrival: "IN_TIME" }, at)
}

export async function sell(store: Store, name: string, changes?: Partial<ComputedDelivery>, at = AT): Promise<void> {
  await computeSale(store, name, changes)
  if (!(await store.run(() => deliver(name, at)))) throw new Error(`${name} was not delivered`)
}
