/** The migration that adds the operator's counts fills them from the rows, so that a database of any age begins with the right numbers. */
import { expect, test } from "bun:test"
import { migrations } from "../../db/migrations.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { endAttempt, moveAttempt, reviveAttempt, settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { concludeSettlement, owePaidAttempt } from "../../src/store/payments/attempt-watch.ts"
import { type AnswerRecord, keepAnswerRecord } from "../../src/store/sales/answer-records.ts"
import { type AuthorizationRecord, keepRecord } from "../../src/store/sales/authorization-records.ts"
import { finishDelivery, keepComputed } from "../../src/store/sales/deliveries.ts"
import { besideOf } from "../fixtures/test-database.ts"
import { AT, LATER, LEASE, moneyDatabase, RELEASE, reserved } from "../store/money-rows.ts"
import { countsOverRows, keptCounts } from "../store/operator-counts.ts"

const TRANSFER = { logIndex: 0, block: "1", blockHash: "0x1", finality: "INCLUDED" } as const

function* delivered(name: string, product: string, decision: string): Unit<void> {
  const [requestId, attempt] = [`drq_${name}`, yield* reserved(name, { product })]
  yield* keepComputed(
    {
      requestId,
      purchaseId: attempt,
      answerId: `dec_${name}`,
      deliveryReference: `dlv_${name}`,
      coreJson: "{}",
      factsJson: "{}",
      capsuleJson: "{}",
      capsuleDigest: `sha256:${"c".repeat(64)}`,
      keyId: "k",
      validUntil: AT,
      computedAt: AT,
      attachmentId: null,
      attachmentJson: null,
    },
    [],
  )
  yield* settleAttempt(attempt, LEASE.owner, { from: "RESERVED", at: AT, transfer: { ...TRANSFER, tx: `0x${name}` } })
  const body = JSON.stringify({ decision })
  const finished = {
    product,
    decision,
    body,
    holdsCapsule: false,
    responseDigest: "r",
    paymentResponse: null,
    arrival: "IN_TIME",
  } as const
  yield* finishDelivery(requestId, finished, AT)
  if (product.startsWith("us.")) yield* keepAnswerRecord(answerRecord(requestId, product, decision))
  else yield* keepRecord(authorizationRecord(requestId, decision))
}

function answerRecord(requestId: string, product: string, decision: string): AnswerRecord {
  return {
    requestId,
    product,
    owner: "0x1",
    organizationId: null,
    keyId: null,
    executionId: `exe ${requestId}`,
    coreDigest: `core ${requestId}`,
    subject: "s",
    nameKey: "",
    obligationKey: null,
    documentDigest: null,
    payeeFingerprint: null,
    destinationFingerprint: null,
    decision,
    decidedAt: AT,
    validUntil: AT,
    supplierId: null,
    organizationSupplierId: null,
  }
}

function authorizationRecord(requestId: string, decision: string): AuthorizationRecord {
  return {
    requestId,
    organizationId: "org",
    supplierKey: "s",
    supplierEntityId: "e",
    supplierNameKey: "n",
    obligationKey: "o",
    documentDigest: "d",
    instructionDigest: "i",
    payeeFingerprint: "p",
    destinationFingerprint: "f",
    mandateKeyId: "k",
    decision,
    decisionId: `dec ${requestId}`,
    responseDigest: "r",
    decidedAt: AT,
    validUntil: AT,
    supplierId: null,
  }
}

/** Attempts in every state, one of them for the second time, and deliveries of both kinds of records. */
function* history(): Unit<void> {
  const { owner } = LEASE
  yield* reserved("new")
  yield* moveAttempt(yield* reserved("verified"), owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "" })
  const settling = yield* reserved("settling")
  yield* moveAttempt(settling, owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "" })
  yield* moveAttempt(settling, owner, { from: "VERIFIED", to: "SETTLING", at: AT, detail: "" })
  yield* endAttempt(yield* reserved("failed"), owner, {
    from: "RESERVED",
    to: "FAILED",
    at: AT,
    reason: "x",
    watched: false,
    usedBlock: null,
  })
  const owed = yield* reserved("owed")
  yield* endAttempt(owed, owner, RELEASE)
  yield* owePaidAttempt({ id: owed, state: "RELEASED" }, { ...TRANSFER, tx: "0xowed" }, LATER)
  const revived = yield* reserved("revived")
  yield* endAttempt(revived, owner, RELEASE)
  yield* reviveAttempt(revived, { json: "{}", sha256: `payload-${revived}`, usedBlock: null }, LEASE, LATER)
  yield* endAttempt(revived, owner, {
    from: "RESERVED",
    to: "RELEASED",
    at: LATER,
    reason: "x",
    watched: true,
    usedBlock: null,
  })
  yield* delivered("1", "gate", "ALLOW")
  yield* delivered("2", "gate", "ALLOW")
  yield* delivered("3", "gate", "BLOCK")
  yield* delivered("4", "us.check", "APPROVE")
  yield* delivered("5", "us.other", "BLOCK")
  yield* concludeSettlement({ id: "att_1", settledBlockHash: TRANSFER.blockHash }, "SAFE", LATER)
}

test("the counts of an older database equal those that the program keeps, and those over the rows", async () => {
  const store = moneyDatabase()
  await store.run(history)
  const kept = await keptCounts(besideOf(store.database))
  expect(kept.attempts.map(({ state }) => state)).toHaveLength(7)
  expect(kept.attempts.find(({ state }) => state === "RELEASED")).toMatchObject({ entered: 3, present: 1 })
  expect(kept.decisions.map(({ answers }) => answers)).toEqual([2, 1, 1, 1])
  expect(kept).toEqual(await countsOverRows(besideOf(store.database)))
  store.database.run("DROP TABLE attempt_count; DROP TABLE decision_count")
  store.database.run(migrations.find(({ name }) => name === "0037_operator_counts")?.sql ?? "")
  expect(await keptCounts(besideOf(store.database))).toEqual(kept)
  expect(store.database.query("SELECT count(*) AS n FROM attempt_count").get()).toEqual({ n: 7 })
  await store.close()
})
