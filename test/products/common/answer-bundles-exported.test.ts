import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { verifyAnswer } from "../../../src/offline/kinds/answer.ts"
import { readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { answerBundles } from "../../../src/products/common/answer-bundles.ts"
import { exportBundle } from "../../../src/products/common/export-bundle.ts"
import { replayBundle } from "../../../src/products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"
import { decisionBundles } from "../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../src/products/us/payment-decision/replay-rules.ts"
import { activateKey } from "../../../src/store/identity/service-keys.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { type Bought, buyAnswer, usBody } from "../../fixtures/answers.ts"
import { enterBuyer, freshRequest, issuer, signedHeader, type TestServer } from "../../fixtures/test-server.ts"

let seller: AnswerTestServer
let server: TestServer
const body = usBody()
let bought: Bought

const exported = (id: string) => exportBundle(server.store, id, [answerBundles(ANSWER_RULES)])
const bundleOf = (bytes: Uint8Array | null) =>
  JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())) as AnswerBundle

beforeAll(async () => {
  seller = await answerTestServer()
  server = seller.server
  const at = Date.now()
  await server.store.run(() =>
    activateKey({
      ...{ keyId: issuer.keyId, use: "statement", x: issuer.x, status: "ACTIVE", revokedSince: null },
      ...{ createdAt: formatInstant(at), notBefore: formatInstant(at - DAY), expiresAt: formatInstant(at + DAY) },
    }),
  )
  bought = await buyAnswer(server, { path: "/v1/us/company-check", body })
  expect(bought.status).toBe(200)
})
afterAll(() => seller[Symbol.asyncDispose]())

test("execution id, delivery reference and stored request id find the same bundle, with the original answer, capsule and request", async () => {
  const bytes = await exported(bought.answer.execution_id)
  const bundle = bundleOf(bytes)
  expect(await exported(bought.answer.delivery_id)).toEqual(bytes)
  expect(await exported(bundle.facts.stored_request_id)).toEqual(bytes)
  expect(canonicalize(bundle.answer)).toBe(bought.text)
  expect(canonicalize(bundle.request)).toBe(canonicalize(body))
  expect(Buffer.from(canonicalize(bundle.capsule)).toString("base64url")).toBe(
    bought.headers.get("svc-proof-capsule") ?? "",
  )
  expect(bundle.snapshots.map((one) => one.source_id)).toEqual(bundle.facts.sources.map((one) => one.source_id))
})

test("the bundle verifies and replays without any other file", async () => {
  const bytes = (await exported(bought.answer.execution_id)) ?? new Uint8Array()
  const keys = readIssuerKeys(bundleOf(bytes).issuer_jwks, NATIVE_CRYPTO) ?? new Map()
  const verified = verifyAnswer(
    { bytes, keys, at: Date.now(), crypto: NATIVE_CRYPTO, reformatted: false, request: body },
    ANSWER_RULES,
  )
  expect([verified.report.conclusion, verified.stated?.machineAction]).toEqual(["VALID", "CONTINUE"])
  expect(replayBundle(bytes, null, answerBundles(ANSWER_RULES)).conclusion).toBe("VALID")
})

test("export rejects a decision under an answer id, an answer under a decision id, and an unknown id", async () => {
  await enterBuyer(server)
  const request = freshRequest()
  const decided = await (await server.post(request, await signedHeader(server, request))).json()
  expect(await exported(decided.decision_id)).toBeNull()
  expect(await exportBundle(server.store, decided.decision_id, [decisionBundles(paymentDecisionRules)])).not.toBeNull()
  expect(
    await exportBundle(server.store, bought.answer.execution_id, [decisionBundles(paymentDecisionRules)]),
  ).toBeNull()
  expect(await exported("exe_AAAAAAAAAAAAAAAAAAAAAA")).toBeNull()
})

test("an answer that was computed but never paid is not exported, and neither is a damaged one", async () => {
  const { execution_id: id } = bought.answer
  const set = (body: string | null) =>
    server.database.write("UPDATE delivery SET body = ?2 WHERE decision_id = ?1", id, body)
  await set(null)
  expect(await exported(id)).toBeNull()
  await set(bought.text.replace('"decision":', '"decision" :'))
  await expect(exported(id)).rejects.toThrow("not canonical")
  await set(bought.text)
  expect(await exported(id)).not.toBeNull()
})
