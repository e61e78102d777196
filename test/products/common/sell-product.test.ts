/** An answer product from quote to replay, on a real chain and a real database file. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { CompanyCheckAnswer } from "../../../schemas/us/company-check.ts"
import type { PaymentPayload, SettleResponse } from "../../../schemas/x402.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { coreOfAnswer } from "../../../src/core/capsule/answer-view.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor, usBody } from "../../fixtures/answers.ts"
import { cancelCall } from "../../fixtures/authorizations.ts"
import { type Chain, DEV_ACCOUNTS, USDC_ADDRESS } from "../../fixtures/chain.ts"
import { priceOf } from "../../fixtures/prices.ts"
import { reconcileOnce } from "../../fixtures/reconcile-round.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import {
  decodeHeader,
  issuer,
  listedParty,
  openTestServer,
  staticBoard,
  type TestServer,
} from "../../fixtures/test-server.ts"
import { withNextSleep } from "../../fixtures/until.ts"

const test = slowTests(import.meta.path)

const PRICE = priceOf("us.company.check.v1")

setDefaultTimeout(30_000)
const PATH = "/v1/us/company-check"

let seller: AnswerTestServer
let chain: Chain
let server: TestServer
beforeAll(async () => {
  seller = await answerTestServer()
  ;({ chain, server } = seller)
})
afterAll(() => seller[Symbol.asyncDispose]())

const transfers = () => seller.transfers()

test("a sale gives a quote, one charge of the product's price, and a closed answer whose capsule verifies", async () => {
  const purchase = { path: PATH, body: usBody() }
  const before = await transfers()
  const bought = await buyAnswer(server, purchase)
  expect(bought.status).toBe(200)
  expect(Value.Check(CompanyCheckAnswer, bought.answer)).toBe(true)
  expect(bought.text).toBe(canonicalize(bought.answer))
  expect(bought.answer).toMatchObject({
    product_or_solution: "us.company.check.v1",
    decision: "APPROVE",
    authorization: "ALLOW",
    machine_action: "CONTINUE",
    replayed: false,
    reason_codes: ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"],
    economic_activity: { charged: true, quote_created: true, settlement_created: true },
    payment: { payment_status: "SETTLED", charged_price_usd: PRICE.usd, network: "eip155:8453" },
  })
  const paid = await chain.transfersTo(DEV_ACCOUNTS.payTo.address)
  expect(paid.length).toBe(before + 1)
  expect(paid.at(-1)?.value).toBe(PRICE.atomic)

  const capsule = JSON.parse(Buffer.from(bought.headers.get("svc-proof-capsule") ?? "", "base64url").toString("utf8"))
  expect(Value.Check(AnswerCapsule, capsule)).toBe(true)
  expect(capsule.payload.core_digest).toBe(digestOf(coreOfAnswer(bought.answer)))
  expect(canonicalize(capsule)).not.toContain(bought.answer.execution_id)
  expect(verifySignature(issuer.x, canonicalize(capsule.payload), capsule.signature.value)).toBe(true)
})

test("the same payment sent again gets the same answer, marked as replayed, and no charge", async () => {
  const purchase = { path: PATH, body: usBody() }
  const bought = await buyAnswer(server, purchase)
  const before = await transfers()
  const again = await buyAnswer(server, purchase, bought.payment)
  expect(again.answer).toEqual({ ...bought.answer, replayed: true })
  expect(await transfers()).toBe(before)
})

test("another authorization of the same payer for the same body gets the stored answer and is not used", async () => {
  const purchase = { path: PATH, body: usBody() }
  const other = await signedFor(server, purchase)
  const bought = await buyAnswer(server, purchase)
  const before = await transfers()
  const again = await buyAnswer(server, purchase, other)
  expect(again.answer).toEqual({ ...bought.answer, replayed: true })
  expect(await transfers()).toBe(before)
})

test("another body under the payer's key gets 409 after the payment is verified, and no charge", async () => {
  const body = usBody()
  await buyAnswer(server, { path: PATH, body })
  const before = await transfers()
  const other = { ...body, correlation: { correlation_id: "po-2", trace_id: "run-2" } }
  const refused = await buyAnswer(server, { path: PATH, body: other })
  expect([refused.status, (refused.answer as unknown as { code: string }).code]).toEqual([
    409,
    "IDEMPOTENCY_KEY_REUSED",
  ])
  expect(await transfers()).toBe(before)
})

test("the execution id returns the stored answer for free and rejects a payment header", async () => {
  const bought = await buyAnswer(server, { path: PATH, body: usBody() })
  const path = `/v1/us/executions/${bought.answer.execution_id}`
  const again = await server.get(path)
  expect([again.status, await again.json()]).toEqual([200, { ...bought.answer, replayed: true }])
  expect((await server.get(path, bought.payment)).status).toBe(400)
  expect((await server.get(`/v1/gb/executions/${bought.answer.execution_id}`)).status).toBe(404)
  expect((await server.get("/v1/us/executions/exe_AAAAAAAAAAAAAAAAAAAAAA")).status).toBe(404)
  const proof = await server.get(`${path}/proof`)
  expect(Buffer.from(await proof.text()).toString("base64url")).toBe(bought.headers.get("svc-proof-capsule") ?? "")
})

test("a reply by execution id is the same until the stored row changes, and follows each change at once", async () => {
  const { answer } = await buyAnswer(server, { path: PATH, body: usBody() })
  const { execution_id: id } = answer
  const read = async () => {
    const reply = await server.get(`/v1/us/executions/${id}`)
    return { status: reply.status, text: await reply.text(), capsule: reply.headers.get("svc-proof-capsule") }
  }
  const write = async (change: string) =>
    expect(await server.database.write(`UPDATE delivery SET ${change} WHERE decision_id = ?1`, id)).toBe(1)
  const first = await read()
  expect(await read()).toEqual(first)
  await write(`body = replace(body, '"LIMITED_COVERAGE"', '"LIMITED_LATER"')`)
  const second = await read()
  expect(second).toEqual({ ...first, text: first.text.replace('"LIMITED_COVERAGE"', '"LIMITED_LATER"') })
  expect(second.text).not.toBe(first.text)
  await write("capsule_json = '{}'")
  expect(await read()).toEqual({ ...second, capsule: "e30" })
  await write("decision_id = decision_id || '_away'")
  expect((await read()).status).toBe(404)
})

test("a stale list gives RETRY without a quote, a charge or a row", async () => {
  const sick = await openTestServer(seller.database, chain, {
    board: staticBoard([], (state) =>
      state.sourceId === "US_OFAC_SDN" ? { ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] } : state,
    ),
  })
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(server, purchase)
  const rows = () => server.database.count("decision_request")
  const before = [await transfers(), await rows()]
  for (const header of [{}, payment]) {
    const answer = await sick.post(purchase.body, header, PATH)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("payment-required")).toBeNull()
    const body = await answer.json()
    expect(Value.Check(CompanyCheckAnswer, body)).toBe(true)
    expect(body).toMatchObject({
      decision: "RETRY",
      machine_action: "RETRY_LATER_WITHOUT_PAYMENT",
      execution_id: "",
      reason_codes: ["SOURCE_STALE"],
      source_health: { US_OFAC_SDN: "STALE", US_TRADE_CSL: "HEALTHY" },
      economic_activity: { charged: false, quote_created: false, settlement_created: false },
      payment: { payment_status: "NOT_CHARGED", charged_price_usd: 0, persistence_status: "NOT_PERSISTED" },
    })
  }
  expect([await transfers(), await rows()]).toEqual(before)
  await sick.close()
  expect((await buyAnswer(server, purchase, payment)).status).toBe(200)
})

test("when a list goes stale after the reservation, another caller waiting on the same payment also gets RETRY", async () => {
  let isStale = false
  let waiting: Promise<Response> | undefined
  const machine = withNextSleep(realMachine)
  const sickening = await openTestServer(seller.database, chain, {
    machine,
    board: staticBoard([], (state) => (isStale ? { ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] } : state)),
    trace: async (step) => {
      if (step !== "reserved") return
      const sleeping = machine.nextSleep()
      waiting = Promise.resolve(sickening.post(purchase.body, payment, PATH))
      // The second call has found the attempt, and waits for it.
      await sleeping
      isStale = true
    },
  })
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(server, purchase)
  const before = await transfers()
  const first = await (await sickening.post(purchase.body, payment, PATH)).json()
  const second = await (await waiting)?.json()
  for (const answer of [first, second]) {
    expect(answer).toMatchObject({ decision: "RETRY", economic_activity: { charged: false } })
  }
  expect(await transfers()).toBe(before)
  await sickening.close()
  expect((await buyAnswer(server, purchase, payment)).status).toBe(200)
})

test("a payment that provably failed, presented again while a list is stale, gets RETRY with the failed settlement", async () => {
  const file = seller.database
  const brief = await openTestServer(file, chain, { settleWaitMs: 300 })
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(server, purchase)
  const { nonce } = decodeHeader<PaymentPayload>(payment["payment-signature"] ?? null).payload.authorization
  const cancelled = await cancelCall(DEV_ACCOUNTS.payer, nonce as `0x${string}`)
  await chain.send(DEV_ACCOUNTS.stranger, { to: USDC_ADDRESS, data: cancelled })
  const open = await brief.post(purchase.body, payment, PATH)
  expect(open.status).toBe(202)
  // The answer products have no recover route.
  const told = await open.text()
  expect(JSON.parse(told)).toMatchObject({ next_machine_action: "RETRY_WITH_SAME_PAYMENT" })
  expect(told).not.toContain("recover")
  await chain.mine(2)
  for (let round = 0; round < 3; round++) await reconcileOnce(brief.deps)
  expect((await brief.post(purchase.body, payment, PATH)).status).toBe(402)
  const sick = await openTestServer(file, chain, {
    board: staticBoard([], (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] })),
  })
  const answer = await sick.post(purchase.body, payment, PATH)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ decision: "RETRY", reason_codes: ["SOURCE_STALE"], execution_id: "" })
  expect(answer.headers.get("payment-required")).toBeNull()
  expect(decodeHeader<SettleResponse>(answer.headers.get("payment-response"))).toMatchObject({
    success: false,
    errorReason: "cancelled",
  })
  await sick.close()
  await brief.close()
})

test("one stale list and one disabled list give NO_DECISION with both reasons and no Retry-After, because waiting does not help", async () => {
  const sick = await openTestServer(seller.database, chain, {
    board: staticBoard([], (state) => {
      if (state.sourceId === "US_OFAC_SDN") return { ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] }
      return state.sourceId === "US_TRADE_CSL" ? { ...state, health: "DISABLED", reasonCodes: [] } : state
    }),
  })
  const answer = await sick.post(usBody(), {}, PATH)
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, null])
  expect(await answer.json()).toMatchObject({
    decision: "NO_DECISION",
    machine_action: "STOP_AND_SEEK_ALTERNATIVE",
    reason_codes: ["SOURCE_DISABLED", "SOURCE_STALE"],
    source_health: { US_OFAC_SDN: "STALE", US_TRADE_CSL: "DISABLED", US_SAM_EXCLUSIONS: "HEALTHY" },
  })
  await sick.close()
})

test("a listed wallet cannot pay, and gets no new quote", async () => {
  const purchase = { path: PATH, body: usBody() }
  const payment = await signedFor(server, purchase)
  const wallet = DEV_ACCOUNTS.payer.address.toLowerCase()
  const listing = await openTestServer(seller.database, chain, {
    board: staticBoard([listedParty({ identifiers: [{ scheme: "wallet", value: wallet, currency: "ETH" }] })]),
  })
  const before = await transfers()
  const answer = await listing.post(purchase.body, payment, PATH)
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, "PAYER_RESTRICTED"])
  expect(answer.headers.get("payment-required")).toBeNull()
  expect(await transfers()).toBe(before)
  await listing.close()
})

test("max_age_seconds tightens the age limit of the lists: a list checked an hour ago is too old for a limit of one minute", async () => {
  const requests = (max_age_seconds: number) => {
    const body = usBody()
    return server.post(
      { ...body, freshness_requirements: { ...body.freshness_requirements, max_age_seconds } },
      {},
      PATH,
    )
  }
  const strict = await requests(60)
  expect([strict.status, ((await strict.json()) as { reason_codes: string[] }).reason_codes]).toEqual([
    200,
    ["SOURCE_STALE"],
  ])
  expect((await requests(604_800)).status).toBe(402)
})
