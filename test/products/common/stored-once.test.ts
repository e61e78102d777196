/** A delivered row has its core, and a capsule that its body contains, in the body alone. What is read of it is what a row of an earlier release gives. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { coreOfAnswer } from "../../../src/core/capsule/answer-view.ts"
import { coreOf } from "../../../src/core/capsule/capsule-view.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { answerBundles } from "../../../src/products/common/answer-bundles.ts"
import { exportBundle } from "../../../src/products/common/export-bundle.ts"
import { replayBundle } from "../../../src/products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"
import { decisionBundles } from "../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../src/products/us/payment-decision/replay-rules.ts"
import { activateKey } from "../../../src/store/identity/service-keys.ts"
import { findCapsuleByDigest } from "../../../src/store/planning/delivered-capsules.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { type Bought, buyAnswer, type Purchase } from "../../fixtures/answers.ts"
import { EACH_PRODUCT, type ProductRow, prepareProducts, purchaseOf } from "../../fixtures/products.ts"
import { recoveryOf } from "../../fixtures/recovery.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { enterBuyer, issuer, type TestServer } from "../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

interface Row {
  readonly id: string
  readonly core: string
  readonly capsule: string
  readonly body: string | null
}

let seller: AnswerTestServer
let server: TestServer
/** The row of the sale at work, between its decision and its delivery. */
let computed: Row | null = null
beforeAll(async () => {
  seller = await answerTestServer({
    trace: async (step) => {
      if (step === "computed") computed = await storedRow()
    },
  })
  server = seller.server
  await enterBuyer(server)
  await prepareProducts(server)
  const at = Date.now()
  await server.store.run(() =>
    activateKey({
      ...{ keyId: issuer.keyId, use: "statement", x: issuer.x, status: "ACTIVE", revokedSince: null },
      ...{ createdAt: formatInstant(at), notBefore: formatInstant(at - DAY), expiresAt: formatInstant(at + DAY) },
    }),
  )
})
afterAll(() => seller[Symbol.asyncDispose]())

/** Answers that a test entered have an empty core. */
const storedRow = (where = "body IS NULL AND core_json <> '{}'", ...values: string[]) =>
  seller.database.row<Row>(
    `SELECT decision_id AS id, core_json AS core, capsule_json AS capsule, body FROM delivery WHERE ${where}`,
    ...values,
  )

const isDecision = ({ id }: ProductRow) => id === PAYMENT_DECISION_PRODUCT

/** Everything that the service says of a delivered answer. */
async function told(row: ProductRow, sold: { body: object; purchase: Purchase; bought: Bought; id: string }) {
  const { purchase, bought, id } = sold
  const kind = isDecision(row) ? decisionBundles(paymentDecisionRules) : answerBundles(ANSWER_RULES)
  const bundle = (await exportBundle(server.store, id, [kind])) ?? new Uint8Array()
  const again = await buyAnswer(server, purchase, bought.payment)
  const read = async (answer: Response) => {
    expect(answer.status).toBe(200)
    return [await answer.text(), answer.headers.get("svc-proof-capsule")]
  }
  const execution = `/v1/${row.country.toLowerCase()}/executions/${id}`
  const { delivery, capsule } = JSON.parse(new TextDecoder().decode(bundle))
  const digest = isDecision(row) ? delivery.delivery.response_digest : capsule.payload.core_digest
  return {
    bundle: new TextDecoder().decode(bundle),
    replayed: replayBundle(bundle, null, kind).conclusion,
    again: [again.status, again.text, again.headers.get("svc-proof-capsule")],
    recovered: isDecision(row)
      ? await read(await server.post(recoveryOf(sold.body as never), {}, `${purchase.path}/recover`))
      : [await read(await server.get(execution)), await read(await server.get(`${execution}/proof`))],
    capsule: await server.store.read(() => findCapsuleByDigest(digest)),
  }
}

describe.each(EACH_PRODUCT)("%s", (_, row) => {
  test("is stored once, and every reader gives the bytes of a row of an earlier release", async () => {
    const body = row.body()
    const purchase = purchaseOf(row, body)
    const bought = await buyAnswer(server, purchase)
    expect(bought.status).toBe(200)
    const before = computed
    if (!before) throw new Error("nothing was computed")
    const stored = await storedRow("decision_id = ?1", before.id)
    if (!stored?.body) throw new Error("nothing is stored")
    const response = JSON.parse(stored.body) as DecisionResponse & BusinessAnswer
    expect(canonicalize(isDecision(row) ? coreOf(response) : coreOfAnswer(response))).toBe(before.core)
    expect([stored.core, stored.capsule]).toEqual(["", isDecision(row) ? "" : before.capsule])

    const sold = { body, purchase, bought, id: before.id }
    const once = await told(row, sold)
    expect([once.replayed, once.capsule, once.again[0]]).toEqual(["VALID", before.capsule, 200])
    await seller.database.write(
      "UPDATE delivery SET core_json = ?2, capsule_json = ?3 WHERE decision_id = ?1",
      ...[before.id, before.core, before.capsule],
    )
    expect(await told(row, sold)).toEqual(once)
  })
})
