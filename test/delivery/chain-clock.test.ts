/**
 * The chain's clock decides when an authorization pays, so it also decides what the service takes, sends and refuses (rulings 93). Anvil's
 * clock is moved block by block, and the service's clock and the node's head are apart.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import type { RpcFault } from "../fixtures/rpc-proxy.ts"
import type { SellingProcess } from "../fixtures/selling-process.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import {
  attemptsOf,
  type Bench,
  clockMachine,
  openBench,
  reconcileUntilQuiet,
  refusedFor,
  rejectionOf,
  rowsOf,
  theAttempt,
  UNTOUCHED,
} from "./selling-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

const PROGRAM = join(import.meta.dir, "../fixtures/selling-process.ts")
const LEASE_SECONDS = 1
const AFTER = "invalid_exact_evm_payload_authorization_valid_after"
const BEFORE = "invalid_exact_evm_payload_authorization_valid_before"

let bench: Bench
let server: TestServer
/** Its clock is ahead of the chain's by the lease of a process that died. */
const machine = clockMachine()

beforeAll(async () => {
  bench = await openBench()
  machine.advance(LEASE_SECONDS * 1000 + 500)
  server = await bench.server({ machine, leaseSeconds: LEASE_SECONDS, settleWaitMs: 300 })
  await bench.chain.setAutomine(false)
})
afterEach(() => bench.proxy.reset())
afterAll(() => bench.close())

/** The head's time, after a block that is not older than this machine's clock. */
async function freshHead(): Promise<number> {
  const seconds = Math.max(Math.floor(Date.now() / 1000), (await bench.chain.now()) + 1)
  await mineAt(seconds)
  return seconds
}

async function mineAt(seconds: number): Promise<void> {
  await bench.chain.setNextBlockTimestamp(seconds)
  await bench.chain.mine(1)
}

/** Distinct transactions that were sent since the last test. The relayer sends the bytes of a waiting one again. */
const sends = () =>
  new Set(
    bench.proxy.calls
      .filter(({ method }) => method === "eth_sendRawTransaction")
      .map(({ body }) => JSON.parse(body).params[0]),
  ).size

/** The node says that its newest block is this much later. */
const headAhead = (seconds: number): RpcFault => ({
  when: ([tag]) => tag === "latest",
  change: (block) => {
    const { timestamp, ...rest } = block as { timestamp: `0x${string}` }
    return { ...rest, timestamp: `0x${(Number(timestamp) + seconds).toString(16)}` }
  },
})

async function expectPaidOnce(request: DecisionRequest, header: Record<string, string>, before: number): Promise<void> {
  const answer = await server.post(request, header)
  expect([answer.status, await bench.paid()]).toEqual([200, before + 1])
  expect((await theAttempt(server, request)).state).toBe("SETTLED")
}

async function paymentOf(validAfter: number, validBefore?: number) {
  const request = freshRequest({ at: machine.now() })
  const header = await signedHeader(server, request, { validAfter, ...(validBefore && { validBefore }) })
  return { request, header, before: await bench.paid() }
}

describe("an authorization that begins at or after the head's time", () => {
  test.each([0, 15, 60])("%d s ahead is sent in the first block past validAfter, and paid once", async (ahead) => {
    const head = await freshHead()
    const { request, header, before } = await paymentOf(head + ahead)
    expect((await server.post(request, header)).status).toBe(202)
    await reconcileOnce(server.deps)
    if (ahead > 0) await mineAt(head + ahead)
    await reconcileOnce(server.deps)
    // The next block may have any later time, so at an equal time the token could still revert the transfer.
    expect([sends(), (await theAttempt(server, request)).state]).toEqual([0, "SETTLING"])
    // The outcome is open, so a fresh signature is not taken and gets no quote.
    expect((await server.post(request, await freshHeader(header))).status).toBe(202)

    await mineAt(head + ahead + 1)
    await reconcileOnce(server.deps)
    expect(sends()).toBe(1)
    await mineAt(head + ahead + 2)
    await reconcileUntilQuiet(server)
    await expectPaidOnce(request, header, before)
  })

  test("at the service's now is not sent to a node whose head is some seconds behind, and paid once", async () => {
    await using behind = await openBench()
    const selling = await behind.server({ leaseSeconds: LEASE_SECONDS, settleWaitMs: 300 })
    await behind.chain.setAutomine(false)
    const head = await behind.chain.now()
    await until("the service's clock is ahead of the head", () => Date.now() / 1000 >= head + 3)
    const validAfter = Math.floor(Date.now() / 1000)
    const request = freshRequest()
    const header = await signedHeader(selling, request, { validAfter })
    expect((await selling.post(request, header)).status).toBe(202)
    for (const later of [0, 1, 2, 3]) {
      await behind.chain.setNextBlockTimestamp(validAfter + later)
      await behind.chain.mine(1)
      await reconcileOnce(selling.deps)
    }
    const { status } = await selling.post(request, header)
    expect([status, await behind.paid(), await behind.chain.countOf(DEV_ACCOUNTS.relayer.address)]).toEqual([200, 1, 1])
  })

  test("the call itself waits for the block and answers 200, when it comes within the wait", async () => {
    const patient = await bench.server({ machine, leaseSeconds: LEASE_SECONDS, settleWaitMs: 10_000 })
    const head = await freshHead()
    const { request, header, before } = await paymentOf(head + 2)
    const answer = patient.post(request, header)
    await until("it waits", async () => (await attemptsOf(server, request))[0]?.state === "SETTLING")
    await mineAt(head + 3)
    await bench.proxy.reached("eth_sendRawTransaction")
    await mineAt(head + 4)
    expect([(await answer).status, await bench.paid(), sends()]).toEqual([200, before + 1, 1])
    await mineAt(head + 5)
    await reconcileUntilQuiet(server)
  })

  test("more than a minute ahead is refused, and leaves no row", async () => {
    const head = await freshHead()
    const { request, header } = await paymentOf(head + 61)
    const queried = bench.proxy.count("eth_getBlockByNumber")
    const answer = await server.post(request, header)
    expect([answer.status, refusedFor(answer), await rowsOf(server, request)]).toEqual([402, AFTER, UNTOUCHED])
    // The clocks of payer, service and chain are apart, so the answer states the last two.
    const [, block, service] = /Block time (\S+), service time (\S+)$/.exec(rejectionOf(answer)) ?? []
    expect(Date.parse(block ?? "")).toBe(head * 1000)
    expect(Math.abs(Date.parse(service ?? "") - machine.now())).toBeLessThan(10_000)
    // That block judged the window, so the answer needs no other.
    expect(bench.proxy.count("eth_getBlockByNumber")).toBe(queried + 1)
  })

  test("a payment that no node judged is refused with the times too", async () => {
    const head = await freshHead()
    const { request, header } = await paymentOf(head, head + 10_000)
    const answer = await server.post(request, header)
    expect([answer.status, refusedFor(answer)]).toEqual([402, AFTER.replace("after", "before")])
    expect(rejectionOf(answer)).toContain(`Block time ${new Date(head * 1000).toISOString()}, service time `)
  })
})

/** The same quote, signed again. */
async function freshHeader(header: Record<string, string>): Promise<Record<string, string>> {
  const { accepted } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString("utf8"))
  const { signPayment } = await import("../fixtures/authorizations.ts")
  const payload = await signPayment(DEV_ACCOUNTS.payer, accepted, Math.floor(Date.now() / 1000))
  return { "payment-signature": Buffer.from(JSON.stringify(payload)).toString("base64") }
}

describe("a broadcast that was mined before its window", () => {
  test("is sent again under a new relayer nonce at the first block past validAfter, and paid once", async () => {
    const head = await freshHead()
    const { request, header, before } = await paymentOf(head + 20)
    bench.proxy.fault("eth_getBlockByNumber", headAhead(30))
    expect((await server.post(request, header)).status).toBe(202)
    expect(sends()).toBe(1)
    bench.proxy.fault("eth_getBlockByNumber", null)
    await mineAt(head + 19)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    await mineAt(head + 20)
    await reconcileOnce(server.deps)
    expect([sends(), (await theAttempt(server, request)).state]).toEqual([1, "SETTLING"])

    await mineAt(head + 21)
    await reconcileOnce(server.deps)
    expect(sends()).toBe(2)
    await mineAt(head + 22)
    await reconcileUntilQuiet(server)
    await expectPaidOnce(request, header, before)
    expect(await noncesOf(request)).toBe(2)
  })

  test("and whose process is killed right after it stored the second transaction is paid once after the restart", async () => {
    const head = await freshHead()
    const { request, header, before } = await paymentOf(head + 20)
    bench.proxy.fault("eth_getBlockByNumber", headAhead(30))
    const given: SellingProcess = {
      database: bench.database.address,
      rpcUrl: bench.proxy.url,
      leaseSeconds: LEASE_SECONDS,
      killAt: "settling_stored",
      killAtTime: 2,
      killInAcquire: null,
      body: JSON.stringify(request),
      headers: header,
    }
    const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
    child.stdin.write(JSON.stringify(given))
    child.stdin.end()
    await bench.proxy.reached("eth_sendRawTransaction")
    bench.proxy.fault("eth_getBlockByNumber", null)
    await mineAt(head + 19)
    await mineAt(head + 21)
    await child.exited
    expect([child.signalCode, sends(), (await theAttempt(server, request)).state]).toEqual(["SIGKILL", 1, "SETTLING"])
    expect(await noncesOf(request)).toBe(2)

    await reconcileOnce(server.deps)
    await mineAt(head + 22)
    await reconcileUntilQuiet(server)
    await expectPaidOnce(request, header, before)
  })

  async function noncesOf(request: DecisionRequest): Promise<number> {
    const { id } = await theAttempt(server, request)
    return server.database.count("relayer_nonce", "attempt_id = ?1", id)
  }
})

describe("the end of an authorization", () => {
  const rows: readonly (readonly [name: string, left: number, reason: string | null])[] = [
    ["of a client whose clock is five minutes ahead is taken", 600, null],
    ["of a client whose clock is ten minutes ahead is taken", 900, null],
    ["of a client whose clock is further ahead is refused", 901, BEFORE],
    ["that is a minute ahead is taken", 60, null],
    ["that is closer is refused", 59, BEFORE],
  ]
  test.each(rows)("%s, by the head's time", async (_, left, reason) => {
    const head = await freshHead()
    const { request, header, before } = await paymentOf(0, head + left)
    const answer = await server.post(request, header)
    if (reason !== null) {
      expect([answer.status, refusedFor(answer), await rowsOf(server, request)]).toEqual([402, reason, UNTOUCHED])
      return
    }
    expect(answer.status).toBe(202)
    await mineAt(head + 1)
    await reconcileUntilQuiet(server)
    await expectPaidOnce(request, header, before)
  })

  test.each([-240, 240])("and its start are not judged by the service's clock (%d s off)", async (offSeconds) => {
    machine.advance(offSeconds * 1000)
    try {
      for (const [startsIn, endsIn] of [
        [-1, 300],
        [0, 900],
        [Number.NEGATIVE_INFINITY, 60],
      ] as const) {
        const head = await freshHead()
        const { request, header, before } = await paymentOf(Math.max(0, head + startsIn), head + endsIn)
        expect((await server.post(request, header)).status).toBe(202)
        for (const later of [1, 2]) {
          await mineAt(head + later)
          await reconcileOnce(server.deps)
        }
        await mineAt(head + 3)
        await reconcileUntilQuiet(server)
        await expectPaidOnce(request, header, before)
      }
    } finally {
      machine.advance(-offSeconds * 1000)
    }
  })
})
