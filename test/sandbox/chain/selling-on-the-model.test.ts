/** The whole paid path with its own store, relayer and reconciler, against a node of the model over HTTP. */

import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import { authorizationOf } from "../../../src/payments/authorization.ts"
import { maintainRelayer } from "../../../src/payments/maintain-relayer.ts"
import { BASE } from "../../../src/payments/networks/base.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../../src/sandbox/chain/model-node.ts"
import { NodeError } from "../../../src/sandbox/chain/node-error.ts"
import { allocateNonce } from "../../../src/store/payments/relayer-ledger.ts"
import {
  type ClockMachine,
  clockMachine,
  openWork,
  reconcileUntilQuiet,
  theAttempt,
} from "../../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { newDatabase } from "../../fixtures/new-store.ts"
import { reconcileOnce } from "../../fixtures/reconcile-round.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { enterBuyer, freshRequest, openTestServer, signedHeader, type TestServer } from "../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

const { relayer, payer, payTo, stranger } = DEV_ACCOUNTS
const PRICE = 790_000n
const database = await newDatabase()
const model = new ModelChain({ network: BASE, genesisTime: Math.floor(Date.now() / 1_000) - 60, safeLag: 3 })
const node = new ModelNode(model)
/** Whether a transaction is mined as soon as it is sent. */
let isMining = true
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { id, method, params = [] } = (await request.json()) as { id: number; method: string; params?: unknown[] }
    try {
      const result = node.answer(method, params)
      if (method === "eth_sendRawTransaction" && isMining) mine()
      return Response.json({ jsonrpc: "2.0", id, result })
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      const { code, message, data } = error
      return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } })
    }
  },
})
let clock: ClockMachine
let testServer: TestServer

/** The chain uses the machine's clock: a block older than the quote cannot contain its payment. */
function mine(blocks = 1): void {
  const now = Math.floor(Date.now() / 1_000)
  for (let mined = 0; mined < blocks; mined++) model.mine(Math.max(model.head.timestamp + 1, now))
}
const paid = () => Number(model.ledger.usdc(payTo.address.toLowerCase() as `0x${string}`) / PRICE)
function tend(): Promise<number> {
  const { settler } = testServer.deps.payments
  if (settler.kind !== "self") throw new Error("no relayer")
  return maintainRelayer(testServer.deps, settler)
}

beforeAll(async () => {
  model.setEther(relayer.address, 10n ** 20n)
  model.setEther(stranger.address, 10n ** 20n)
  model.setUsdc(payer.address, 10n ** 12n)
  clock = clockMachine()
  testServer = await openTestServer(database, { url: String(server.url) }, { machine: clock, settleWaitMs: 200 })
  await enterBuyer(testServer)
})
afterEach(async () => {
  isMining = true
  mine(4)
  await reconcileUntilQuiet(testServer)
})
afterAll(async () => {
  await testServer.close()
  await server.stop(true)
  await database.close()
})

test("a purchase is paid once, and the same header returns the same answer again", async () => {
  const before = paid()
  const request = freshRequest()
  const header = await signedHeader(testServer, request)
  const first = await testServer.post(request, header)
  expect(first.status).toBe(200)
  const again = await testServer.post(request, header)
  expect(await again.text()).toBe(await first.text())
  expect(paid()).toBe(before + 1)
  const { settledTx } = await theAttempt(testServer, request)
  expect(model.receipt(settledTx as `0x${string}`)?.isSuccess).toBe(true)
})

test("a transaction that the pool lost is sent again and paid once", async () => {
  const before = paid()
  isMining = false
  const request = freshRequest()
  const header = await signedHeader(testServer, request)
  expect((await testServer.post(request, header)).status).toBe(202)
  const [waiting] = model.waiting()
  expect(model.drop(waiting?.hash ?? "0x")).toBe(true)
  isMining = true
  await reconcileUntilQuiet(testServer)
  expect(paid()).toBe(before + 1)
  expect((await testServer.post(request, header)).status).toBe(200)
})

test("a payment is sent again after its block was replaced and its transaction lost", async () => {
  const before = paid()
  const request = freshRequest()
  const header = await signedHeader(testServer, request)
  expect((await testServer.post(request, header)).status).toBe(200)
  model.reorganize(1, () => false)
  expect(paid()).toBe(before)
  for (let round = 0; round < 6 && paid() === before; round++) {
    mine()
    clock.advance(31_000)
    await reconcileOnce(testServer.deps)
    await tend()
  }
  expect(paid()).toBe(before + 1)
})

test("a payment that a thief submitted first is delivered without a second payment", async () => {
  const before = paid()
  isMining = false
  const request = freshRequest()
  const header = await signedHeader(testServer, request)
  expect((await testServer.post(request, header)).status).toBe(202)
  const { payload } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString())
  const stolen = model.submit({
    from: stranger.address,
    to: BASE.asset.address,
    data: transferCall(authorizationOf(payload)),
    maxPriorityFeePerGas: 10n ** 9n,
  })
  mine()
  expect(model.receipt(stolen)?.isSuccess).toBe(true)
  await reconcileUntilQuiet(testServer)
  expect((await theAttempt(testServer, request)).settledTx).toBe(stolen)
  expect((await testServer.post(request, header)).status).toBe(200)
  expect(paid()).toBe(before + 1)
})

test("an unused relayer nonce is filled, and the payment behind it is mined", async () => {
  const before = paid()
  const from = relayer.address
  const nonce = await testServer.store.run(() => allocateNonce(from, null, 0, new Date().toISOString()))
  expect(model.pendingNonce(from)).toBe(nonce)
  const request = freshRequest()
  const header = await signedHeader(testServer, request)
  expect((await testServer.post(request, header)).status).toBe(202)
  expect(model.waiting()).toHaveLength(1)
  expect(await tend()).toBe(1)
  expect(model.waiting()).toHaveLength(0)
  await reconcileUntilQuiet(testServer)
  expect((await openWork(testServer)).nonces).toBe(0)
  expect(paid()).toBe(before + 1)
})
