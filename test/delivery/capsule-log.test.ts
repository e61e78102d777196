/** Rulings 18: each delivered capsule is one leaf of the transparency log, however often the delivery is requested again. */

import { afterAll, beforeAll, expect } from "bun:test"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { readLeafData, statementKindOf } from "../../src/core/leaf-data.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { exportBundle } from "../../src/products/common/export-bundle.ts"
import { decisionBundles } from "../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import { leafData, readTreeHead } from "../../src/store/log/transparency-log.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { type Bench, openBench, untilLogged } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let server: TestServer
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
})
afterAll(() => bench.close())

const leaves = async () => {
  await untilLogged(server)
  return (await server.store.read(readTreeHead)).size
}
const digestAt = async (index: number) => {
  const leaf = readLeafData((await server.store.read(() => leafData(index))) ?? new Uint8Array())
  if (!leaf || statementKindOf(sha256, leaf.subject) !== "CAPSULE") throw new Error(`leaf ${index} is no capsule`)
  return `sha256:${Buffer.from(leaf.digest).toString("hex")}`
}

test("a delivery logs its capsule once; a quote, a repeated header and an export log nothing", async () => {
  const before = await leaves()
  const request = freshRequest()
  expect((await server.post(request)).status).toBe(402)
  expect(await leaves()).toBe(before)
  const header = await signedHeader(server, request)
  const answer = await server.post(request, header)
  expect(answer.status).toBe(200)
  const { proof_capsule: capsule, decision_id: id } = (await answer.json()) as DecisionResponse
  expect(await leaves()).toBe(before + 1)
  expect(await digestAt(before)).toBe(capsule.capsule_digest)

  expect((await server.post(request, header)).status).toBe(200)
  expect(await exportBundle(server.store, id, [decisionBundles(paymentDecisionRules)])).not.toBeNull()
  expect(await leaves()).toBe(before + 1)
})

test("fifty identical paid requests write one leaf", async () => {
  const before = await leaves()
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.post(request, header)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await leaves()).toBe(before + 1)
})
