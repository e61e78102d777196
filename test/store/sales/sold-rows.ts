/** Answers in the list of what was sold, and deliveries of a release that had no list. */
import type { PaidProduct } from "../../../src/delivery/sale.ts"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import { settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { keepRecord } from "../../../src/store/sales/authorization-records.ts"
import { finishDelivery, keepComputed } from "../../../src/store/sales/deliveries.ts"
import { keepSold, type SoldAnswer } from "../../../src/store/sales/sold-answers.ts"
import type { SoldFilter, SoldRange } from "../../../src/store/sales/sold-pages.ts"
import { AT, LATER, LEASE, reserved } from "../money-rows.ts"

export const ANY: SoldFilter = { partyKey: null, tx: null, payer: null, product: null, decision: null }
export const WHOLE: SoldRange = { since: "", before: { soldAt: "~", seq: 0 }, limit: 1_000 }

/** Minutes after the first answer. */
export const minute = (n: number): string => new Date(Date.parse(AT) + n * 60_000).toISOString()

/** An answer named `n`, sold in minute `n`. */
export function* sold(n: number, changes: Partial<SoldAnswer> = {}, name = `Supplier ${n} LLC`): Unit<void> {
  const ids = { requestId: `drq_${n}`, answerId: `dec_${n}`, deliveryReference: `dlv_${n}` }
  const about = { product: "p", decision: "ALLOW", payer: "payer", tx: `0x${n}`, soldAt: minute(n) }
  yield* keepSold({ ...ids, ...about, ...changes }, { names: [name], identifiers: [`lei:${n}`] })
}

/** Its requests name the supplier and the wallet. */
export const PRODUCTS: ReadonlyMap<string, Pick<PaidProduct, "soldTo">> = new Map([
  [
    "p",
    {
      soldTo: ({ requestJson }) => {
        const { payer, name } = JSON.parse(requestJson) as { payer: string; name: string }
        return { payer, party: { names: [name], identifiers: [`lei:${name}`] } }
      },
    },
  ],
])

function* deliveredBefore(n: number): Unit<void> {
  const name = String(n).padStart(4, "0")
  const [requestId, attempt] = [`drq_${name}`, `att_${name}`]
  yield* reserved(name, { requestJson: JSON.stringify({ payer: `payer${n % 7}`, name }) }, { payer: `payer${n % 7}` })
  const texts = { coreJson: "{}", factsJson: "{}", capsuleJson: "{}", capsuleDigest: `sha256:${name.repeat(16)}` }
  const ids = { requestId, purchaseId: attempt, answerId: `dec_${name}`, deliveryReference: `dlv_${name}` }
  const rest = { keyId: "k", validUntil: LATER, computedAt: AT, attachmentId: null, attachmentJson: null }
  yield* keepComputed({ ...ids, ...texts, ...rest }, [])
  const transfer = { tx: `0x${name}`, logIndex: 0, block: "1", blockHash: "0x1", finality: "SAFE" } as const
  yield* settleAttempt(attempt, LEASE.owner, { from: "RESERVED", at: AT, transfer })
  const finished = { product: "p", decision: "HOLD", body: "{}", holdsCapsule: true, responseDigest: name }
  yield* finishDelivery(requestId, { ...finished, paymentResponse: null, arrival: "IN_TIME" }, minute(n))
  yield* keepRecord({
    ...{ requestId, organizationId: "o", supplierKey: "k", supplierEntityId: "e", supplierNameKey: "n" },
    ...{ obligationKey: name, documentDigest: name, instructionDigest: name, payeeFingerprint: name },
    ...{ destinationFingerprint: name, mandateKeyId: "key", decision: "HOLD", decisionId: `dec_${name}` },
    ...{ responseDigest: name, decidedAt: AT, validUntil: LATER, supplierId: null },
  })
}

const AT_ONCE = 20

/** Deliveries 0 to `count` - 1, none of them in the list. */
export async function deliverBefore(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    await store.run(function* () {
      for (let n = from; n < Math.min(count, from + AT_ONCE); n++) yield* deliveredBefore(n)
    })
  }
}

/** As the migration leaves a database with deliveries. */
export const BEGIN_FILL = "INSERT INTO sold_fill (id, filled_to) VALUES ('DELIVERIES', '')"
