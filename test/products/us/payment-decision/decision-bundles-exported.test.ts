import { afterAll, beforeAll, expect, test } from "bun:test"
import type { DeliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../../src/core/crypto/native-crypto.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { verifyDecision } from "../../../../src/offline/kinds/decision.ts"
import { readIssuerKeys } from "../../../../src/offline/steps/issuer-keys.ts"
import { exportBundle } from "../../../../src/products/common/export-bundle.ts"
import { replayBundle } from "../../../../src/products/common/replay-bundle.ts"
import { decisionBundles } from "../../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../../src/products/us/payment-decision/replay-rules.ts"
import { activateKey, revokeKey } from "../../../../src/store/identity/service-keys.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { type TestKey, testKey } from "../../../fixtures/buyers.ts"
import { enterBuyer, freshRequest, issuer, signedHeader, type TestServer } from "../../../fixtures/test-server.ts"

let seller: AnswerTestServer
let server: TestServer
let request: DecisionRequest
/** The delivery as it was sent. */
let sent: string

const enter = ({ keyId, x }: TestKey) =>
  server.store.run(() =>
    activateKey({
      keyId,
      use: "statement",
      x,
      status: "ACTIVE",
      createdAt: formatInstant(Date.now()),
      notBefore: formatInstant(Date.now() - DAY),
      expiresAt: formatInstant(Date.now() + DAY),
      revokedSince: null,
    }),
  )
const exported = (id: string) => exportBundle(server.store, id, [decisionBundles(paymentDecisionRules)])
const bundleOf = (bytes: Uint8Array | null) =>
  JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())) as DeliveryBundle

beforeAll(async () => {
  seller = await answerTestServer()
  server = seller.server
  await enterBuyer(server)
  await enter(testKey("svc", 11))
  await enter(issuer)
  await enter(testKey("svc", 12))
  request = freshRequest()
  const answer = await server.post(request, await signedHeader(server, request))
  expect(answer.status).toBe(200)
  sent = await answer.text()
})
afterAll(() => seller[Symbol.asyncDispose]())

test("decision id, delivery reference and request id find the same bundle, with the delivery as it was sent", async () => {
  const { decision_id: id, decision_request_id: requestId, delivery } = JSON.parse(sent)
  const bytes = await exported(id)
  expect(bytes).not.toBeNull()
  expect(await exported(delivery.delivery_reference)).toEqual(bytes)
  expect(await exported(requestId)).toEqual(bytes)
  const bundle = bundleOf(bytes)
  expect(canonicalize(bundle.delivery)).toBe(sent)
  expect(canonicalize(bundle.request)).toBe(canonicalize(request))
  expect(bundle.snapshots.map(({ source_id: source }) => source)).toEqual(
    bundle.facts.sources.map(({ source_id: source }) => source),
  )
})

test("the bundle verifies and replays without any other file", async () => {
  const bytes = (await exported(JSON.parse(sent).decision_id)) ?? new Uint8Array()
  const keys = readIssuerKeys(bundleOf(bytes).issuer_jwks, NATIVE_CRYPTO)
  expect(keys).not.toBeNull()
  const verified = verifyDecision(
    { bytes, keys: keys ?? new Map(), at: Date.now(), crypto: NATIVE_CRYPTO, reformatted: false, request },
    paymentDecisionRules,
  )
  expect([verified.report.conclusion, verified.report.lines.filter(({ state }) => state === "INVALID")]).toEqual([
    "VALID",
    [],
  ])
  expect(replayBundle(bytes, null, decisionBundles(paymentDecisionRules)).conclusion).toBe("VALID")
})

test("the bundle contains active and rotated issuer keys, and no revoked one", async () => {
  const before = bundleOf(await exported(JSON.parse(sent).decision_id)).issuer_jwks.keys
  expect(before.map(({ svc_status: status }) => status).sort()).toEqual(["ACTIVE", "ROTATED", "ROTATED"])
  const { keyId } = testKey("svc", 11)
  await server.store.run(() => revokeKey(keyId, formatInstant(Date.now())))
  const after = bundleOf(await exported(JSON.parse(sent).decision_id)).issuer_jwks.keys
  expect(after.map(({ kid }) => kid)).not.toContain(keyId)
  expect(after).toHaveLength(2)
})

test("an undelivered decision is not exported", async () => {
  expect(await exported("dec_AAAAAAAAAAAAAAAAAAAAAA")).toBeNull()
  expect(await exported("")).toBeNull()
})

test("a decision that was computed but never paid is not exported", async () => {
  const { decision_id: id } = JSON.parse(sent)
  const set = (body: string | null) =>
    server.database.write("UPDATE delivery SET body = ?2 WHERE decision_id = ?1", id, body)
  await set(null)
  expect(await exported(id)).toBeNull()
  await set(sent.replace('"decision":', '"decision" :'))
  await expect(exported(id)).rejects.toThrow("not canonical")
  await set(sent)
  expect(await exported(id)).not.toBeNull()
})
