/**
 * What one purchase asks its node, by turn of the event loop: questions of one turn travel together, so turns cost time and questions cost
 * work. A longer list makes every purchase slower. A node of the model answers, because it mines a transaction before it answers for it.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { decodeFunctionData } from "viem"
import { maintainRelayers, resumeAbandoned, watchOutcomes } from "../../src/delivery/reconcile.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import type { EvmCall, EvmChain, EvmNode } from "../../src/payments/rpc.ts"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import { ModelChain } from "../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { type ClockMachine, clockMachine, openWork, theAttempt } from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { enterBuyer, freshRequest, openTestServer, signedHeader, type TestServer } from "../fixtures/test-server.ts"

interface Question {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

const model = new ModelChain({ network: BASE, genesisTime: Math.floor(Date.now() / 1_000) - 60, safeLag: 2 })
const node = new ModelNode(model)
const database = await newDatabase()
/** Whether a transaction is mined as soon as it is sent. */
let isMining = true
const rpc = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const given = (await request.json()) as Question | readonly Question[]
    return Response.json(Array.isArray(given) ? given.map(reply) : reply(given as Question))
  },
})
let turns: string[][] = []
let clock: ClockMachine
let server: TestServer

beforeAll(async () => {
  model.setEther(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  model.setUsdc(DEV_ACCOUNTS.payer.address, 10n ** 12n)
  clock = clockMachine()
  server = await openTestServer(database, { url: String(rpc.url) }, { machine: clock, settleWaitMs: 0 })
  await enterBuyer(server)
  noteQuestions(server.payments.chain)
})
beforeEach(async () => {
  isMining = true
  mine(4)
  await maintainRelayers(server.deps)
  await watchOutcomes(server.deps)
  turns = []
})
afterAll(async () => {
  await server.close()
  await rpc.stop(true)
  await database.close()
})

function reply({ id, method, params = [] }: Question) {
  const result = node.answer(method, params)
  if (method === "eth_sendRawTransaction" && isMining) mine()
  return { jsonrpc: "2.0", id, result }
}

function mine(blocks = 1): void {
  const now = Math.floor(Date.now() / 1_000)
  for (let mined = 0; mined < blocks; mined++) model.mine(Math.max(model.head.timestamp + 1, now))
}

/** Adds each question of the first node to the last of `turns`. */
function noteQuestions(chain: EvmChain): void {
  const { primary } = chain
  let isOpen = false
  function note(question: string): void {
    if (!isOpen) {
      turns.push([])
      setImmediate(() => {
        isOpen = false
      })
    }
    isOpen = true
    turns.at(-1)?.push(question)
  }
  const noted =
    <Given extends readonly unknown[], Answer>(
      method: (...given: Given) => Promise<Answer>,
      nameOf: (...given: Given) => string,
    ) =>
    (...given: Given) => {
      note(nameOf(...given))
      return method(...given)
    }
  const first: EvmNode = {
    ...primary,
    query: (read, method, ...params) => {
      note(method)
      return primary.query(read, method, ...params)
    },
    ask: (question, answer) => {
      note(question)
      return primary.ask(question, answer)
    },
    block: noted(primary.block, (which) => `block ${typeof which === "bigint" ? "by number" : which}`),
    code: noted(primary.code, () => "code"),
    etherBalance: noted(primary.etherBalance, () => "ether"),
    nextNonce: noted(primary.nextNonce, () => "nonce"),
    call: noted(primary.call, nameOfCall),
    estimateGas: noted(primary.estimateGas, () => "estimate"),
  }
  Object.assign(chain, { primary: first })
}

function nameOfCall({ to, data }: EvmCall): string {
  if (to === BASE.gas.l1FeeOracle) return "l1 fee"
  return decodeFunctionData({ abi: USDC_ABI, data }).functionName
}

async function buy() {
  const request = freshRequest()
  const header = await signedHeader(server, request)
  const { status } = await server.post(request, header)
  return { request, header, status }
}

const VERIFYING = [
  "code",
  "block latest",
  "authorizationState",
  "paused",
  "isBlacklisted",
  "isBlacklisted",
  "balanceOf",
]
const PLANNING = ["block latest", "eth_maxPriorityFeePerGas", "l1 fee", "ether", "eth_getTransactionCount"]
const SENDING = ["eth_sendRawTransaction"]
const POLLING = ["eth_getTransactionReceipt", "block latest", "block safe"]

test("a purchase asks sixteen questions in four turns, and its quote none", async () => {
  expect((await buy()).status).toBe(200)
  expect(turns).toEqual([VERIFYING, PLANNING, SENDING, POLLING])
})

test("a poll before the block of the payment takes two turns, and one after it reads that block", async () => {
  isMining = false
  const { request, header, status } = await buy()
  expect([status, turns]).toEqual([202, [VERIFYING, PLANNING, SENDING, POLLING, ["authorizationState"]]])
  mine(2)
  clock.advance(60_000)
  turns = []
  await resumeAbandoned(server.deps)
  expect(turns).toEqual([POLLING, ["block by number"]])
  expect((await theAttempt(server, request)).state).toBe("SETTLED")
  expect((await server.post(request, header)).status).toBe(200)
})

test("the loop of the relayer asks about all its mined nonces together, and needs no head for them", async () => {
  for (let bought = 0; bought < 3; bought++) expect((await buy()).status).toBe(200)
  mine()
  turns = []
  await maintainRelayers(server.deps)
  const [count, receipts, ...blocks] = turns
  expect([count, receipts]).toEqual([
    ["eth_getTransactionCount"],
    Array.from({ length: 3 }, () => ["eth_getTransactionReceipt", "block latest"]).flat(),
  ])
  expect(blocks.flat()).toEqual(["block by number", "block by number", "block by number"])
  expect((await openWork(server)).nonces).toBe(0)
})

test("the loop that follows a payment to a safe block takes one turn before that, and three then", async () => {
  expect((await buy()).status).toBe(200)
  turns = []
  await watchOutcomes(server.deps)
  expect(turns).toEqual([POLLING])
  mine(3)
  clock.advance(1_000)
  turns = []
  await watchOutcomes(server.deps)
  expect(turns).toEqual([POLLING, ["block by number"], ["block finalized"]])
  clock.advance(1_000)
  turns = []
  await watchOutcomes(server.deps)
  expect(turns).toEqual([])
})
