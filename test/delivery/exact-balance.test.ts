/** A payer whose money is just enough for its payments, some of which the chain shows as made before the service has concluded them. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { encodeFunctionData, pad, toHex } from "viem"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import { PRICE_ATOMIC } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { PRODUCT_ROWS, type ProductRow } from "../fixtures/products.ts"
import { type RpcProxy, startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import {
  attemptsOf,
  type Bench,
  failOnce,
  frontRun,
  openBench,
  problemOf,
  reconcileUntilQuiet,
  refusedFor,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

const PAYER = DEV_ACCOUNTS.stranger
const DECISION = PRODUCT_ROWS.find(({ recovery }) => recovery !== null) as ProductRow
const INSUFFICIENT = "invalid_exact_evm_insufficient_balance"

let bench: Bench
let server: TestServer
/** A server with its own proxy to the node, so that only its own queries wait. */
let slow: TestServer
let proxy: RpcProxy
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
  proxy = startRpcProxy(bench.chain.url)
  slow = await bench.server({ rpcUrl: proxy.url })
})
/** Lets what a test holds continue. */
let release = () => {}
afterEach(async () => {
  release()
  bench.proxy.reset()
  proxy.reset()
  await reconcileUntilQuiet(server)
})
afterAll(async () => {
  await bench.close()
  await proxy.stop()
})

interface Purchase {
  readonly request: DecisionRequest
  readonly header: Record<string, string>
}

async function purchase(): Promise<Purchase> {
  const request = freshRequest({ request: { decision_fee_payer: PAYER.address } })
  return { request, header: await signedHeader(server, request, {}, PAYER) }
}

const post = (to: TestServer, { request, header }: Purchase) => to.post(request, header)

/** Gives the payer the money for so many payments and no more. */
async function fund(payments: bigint): Promise<void> {
  expect(await bench.chain.balanceOf(PAYER.address)).toBe(0n)
  await bench.chain.mint(PAYER.address, payments * PRICE_ATOMIC)
}

const untilSettling = ({ request }: Purchase) =>
  until("the attempt is SETTLING", async () => (await attemptsOf(server, request))[0]?.state === "SETTLING")

/** Begins a purchase whose server does not hear about the transfer until `conclude`, which returns the status of its answer. */
async function beginUnconcluded(bought: Purchase): Promise<{ readonly conclude: () => Promise<number> }> {
  const concluded = Promise.withResolvers<void>()
  for (const method of ["eth_getTransactionReceipt", "eth_getLogs"]) proxy.fault(method, { hold: concluded.promise })
  release = concluded.resolve
  const answer = post(slow, bought)
  await untilSettling(bought)
  return {
    conclude: async () => {
      concluded.resolve()
      return (await answer).status
    },
  }
}

/** A purchase that is not concluded, although its transfer is mined. */
async function beginMined(bought: Purchase) {
  const before = await bench.paid()
  const running = await beginUnconcluded(bought)
  await until("the transfer is mined", async () => (await bench.paid()) === before + 1)
  return running
}

/** The first head is of the verification, the second one decides whether the payer is short. */
function frontRunAtSecondHead({ header }: Purchase): void {
  let heads = 0
  const atSecondHead = async () => {
    if (++heads === 2) await frontRun(bench.chain, header)
    return false
  }
  bench.proxy.fault("eth_getBlockByNumber", { when: atSecondHead })
}

const rejectionsOf = (answers: readonly Response[]) =>
  answers.flatMap((answer) => (answer.status === 402 ? [refusedFor(answer)] : []))

describe("while a transfer of the payer is mined and its attempt is still SETTLING", () => {
  test("the rest of the money buys a second decision", async () => {
    const [first, second] = [await purchase(), await purchase()]
    await fund(2n)
    const before = await bench.paid()
    const running = await beginMined(first)
    const answer = await post(server, second)
    expect([answer.status, rejectionsOf([answer])]).toEqual([200, []])
    expect(await running.conclude()).toBe(200)
    expect(await bench.paid()).toBe(before + 2)
  })

  test("the rest of the money buys only one of two more decisions", async () => {
    const [first, second, third] = [await purchase(), await purchase(), await purchase()]
    await fund(2n)
    const before = await bench.paid()
    const running = await beginMined(first)
    const answers = await Promise.all([post(server, second), post(server, third)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402])
    expect(rejectionsOf(answers)).toEqual([INSUFFICIENT])
    expect(bench.proxy.count("eth_sendRawTransaction")).toBe(1)
    expect(await running.conclude()).toBe(200)
    expect(await bench.paid()).toBe(before + 2)
  })

  test("a payment that a stranger brings to the chain meanwhile is not refused", async () => {
    const [first, second] = [await purchase(), await purchase()]
    await fund(2n)
    const before = await bench.paid()
    const running = await beginMined(first)
    frontRunAtSecondHead(second)
    const answer = await post(server, second)
    expect([answer.status, rejectionsOf([answer])]).toEqual([200, []])
    expect(await running.conclude()).toBe(200)
    expect(await bench.paid()).toBe(before + 2)
  })

  test("a payer whose authorization a stranger brings to the chain meanwhile hears 202 while no decision can be computed", async () => {
    const [first, second] = [await purchase(), await purchase()]
    await fund(2n)
    const before = await bench.paid()
    const running = await beginMined(first)
    frontRunAtSecondHead(second)
    failOnce(server, DECISION.id)
    expect((await post(server, second)).status).toBe(202)
    expect(await attemptsOf(server, second.request)).toMatchObject([
      { state: "RELEASED", reason: "authorization_already_used" },
    ])
    expect((await post(server, second)).status).toBe(200)
    expect(await running.conclude()).toBe(200)
    expect(await bench.paid()).toBe(before + 2)
  })

  test("a node that does not say whether the money has left gives 503, and the same header buys later", async () => {
    const [first, second] = [await purchase(), await purchase()]
    await fund(2n)
    const running = await beginMined(first)
    bench.proxy.fault("eth_call", { when: ([, block]) => block !== "latest", reject: true })
    const answer = await post(server, second)
    expect([answer.status, (await problemOf(answer)).code]).toEqual([503, "CHAIN_UNAVAILABLE"])
    expect(await attemptsOf(server, second.request)).toEqual([])
    bench.proxy.reset()
    expect((await post(server, second)).status).toBe(200)
    expect(await running.conclude()).toBe(200)
  })
})

test("an authorization that a stranger brought to the chain does not need its money a second time", async () => {
  const [first, second] = [await purchase(), await purchase()]
  await fund(2n)
  await frontRun(bench.chain, first.header)
  const running = await beginUnconcluded(first)
  expect((await post(server, second)).status).toBe(200)
  expect(await running.conclude()).toBe(200)
})

test("a transfer that is in no block yet still needs its money", async () => {
  const [first, second] = [await purchase(), await purchase()]
  await fund(1n)
  const before = await bench.paid()
  const sent = Promise.withResolvers<void>()
  proxy.fault("eth_sendRawTransaction", { hold: sent.promise })
  release = sent.resolve
  const running = post(slow, first)
  await proxy.reached("eth_sendRawTransaction")
  const answer = await post(server, second)
  expect([answer.status, rejectionsOf([answer])]).toEqual([402, [INSUFFICIENT]])
  sent.resolve()
  expect((await running).status).toBe(200)
  expect(await bench.paid()).toBe(before + 1)
})

describe("a transfer of the payer that is made and concluded while another payment is judged", () => {
  /** A purchase that waits before its transfer is sent, until `pay`, which returns the status of its answer. */
  async function beginUnsent(bought: Purchase): Promise<{ readonly pay: () => Promise<number> }> {
    const [computed, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    release = sent.resolve
    const waiting = await bench.server({
      rpcUrl: proxy.url,
      trace: async (step) => {
        if (step !== "computed") return
        computed.resolve()
        await sent.promise
      },
    })
    const answer = post(waiting, bought)
    await computed.promise
    return {
      pay: async () => {
        sent.resolve()
        return (await answer).status
      },
    }
  }

  /** The payer has the money for one payment. The second one is judged by what the node showed before the first one was paid. */
  async function expectOnePaid(first: Purchase, second: Purchase, judged: (pay: () => Promise<void>) => void) {
    await fund(1n)
    const before = await bench.paid()
    const running = await beginUnsent(first)
    judged(async () => expect(await running.pay()).toBe(200))
    const answer = await post(server, second)
    expect([answer.status, rejectionsOf([answer])]).toEqual([402, [INSUFFICIENT]])
    expect(await attemptsOf(server, second.request)).toEqual([])
    expect(await bench.paid()).toBe(before + 1)
  }

  test("is not in the balance of the block that judges the payment", async () => {
    await expectOnePaid(await purchase(), await purchase(), (pay) => {
      let paid: Promise<void> | null = null
      bench.proxy.fault("eth_call", {
        when: async ([, block]) => {
          if (block === "latest") return false
          paid ??= pay()
          await paid
          return false
        },
      })
    })
  })

  test("is not in the balance that the verification has read", async () => {
    const read = encodeFunctionData({ abi: USDC_ABI, functionName: "balanceOf", args: [PAYER.address] })
    await expectOnePaid(await purchase(), await purchase(), (pay) => {
      const newest = Promise.withResolvers<void>()
      bench.proxy.fault("eth_getBlockByNumber", {
        change: (block) => {
          newest.resolve()
          return block
        },
      })
      bench.proxy.fault("eth_call", {
        when: async ([call, block]) => {
          if ((call as { data: string }).data !== read || block !== "latest") return false
          await newest.promise
          await pay()
          return true
        },
        result: pad(toHex(PRICE_ATOMIC)),
      })
    })
  })
})
