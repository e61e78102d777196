/**
 * The server dies at a query to the chain, or is stopped while it waits for a block; the next server on the same directory finishes. There
 * are never two transfers, a paid request without its delivery, or a delivery without its transfer.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import type { Running } from "../fixtures/binary.ts"
import {
  ask,
  keepDelivery,
  openTestOperator,
  type Presented,
  paymentFor,
  present,
  SCENARIO_MS,
  type Signed,
  type TestOperator,
} from "../fixtures/test-operator.ts"
import { until } from "../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

const FLAGS = ["--lease-seconds", "3", "--settle-wait-ms", "1000"]
/** The same header may get "wait" or "released unsent", but never 402, which asks for another payment. */
const WAITING = [202, 503]
const RECOVER_MS = 10_000

let operator: TestOperator
beforeAll(async () => {
  operator = await openTestOperator()
})
afterAll(() => operator[Symbol.asyncDispose]())

interface Question {
  readonly method: string
  /** Left out: any params. */
  readonly when?: (params: readonly unknown[]) => boolean
  readonly reachesNode: boolean
}

/** Kills the server at the moment of the query. Resolves when it is dead and the proxy works again. */
async function killAt(server: Running, { method, when, reachesNode }: Question, request: Promise<unknown>) {
  let requests = false
  operator.proxy.fault(method, {
    when: (params) => {
      if (when && !when(params)) return false
      requests = true
      server.signal("SIGKILL")
      return true
    },
    ...(reachesNode ? { dropAnswer: true } : { reject: true }),
  })
  await expect(request).rejects.toThrow()
  expect(await server.exited).toBeNull()
  await operator.proxy.idle()
  operator.proxy.reset()
  expect(requests).toBe(true)
}

async function recoverInTime(origin: string, signed: Signed): Promise<string> {
  const end = performance.now() + RECOVER_MS
  for (;;) {
    const { exit, bytes } = await operator.recover(origin, signed)
    if (exit === 0) return bytes
    // 4: still pending. Anything else would say that nothing was acquired although it was paid.
    if (exit !== 4 || performance.now() > end) throw new Error(`recover ended with ${exit}`)
    // More often would pass the rate limit of recovery before the lease of a killed server ends.
    await Bun.sleep(1_000)
  }
}

async function expectBoughtOnce(before: number, presented: Presented, recovered: string): Promise<void> {
  expect(recovered).toBe(presented.bytes)
  const paid = await operator.transfers()
  expect(paid.length).toBe(before + 1)
  expect(presented.transaction).toBe(paid.at(-1)?.hash as string)
  const { billing } = JSON.parse(presented.bytes) as { billing: { settlement_reference: string } }
  expect(billing.settlement_reference).toBe(`eip155:8453/tx/${paid.at(-1)?.hash}`)
  const kept = keepDelivery(operator, `bought-${before}`, recovered)
  expect((await operator.verify(kept, ["--require", "RELEASE_PAYMENT", "--environment", "test"])).exit).toBe(0)
}

const asksPending = (params: readonly unknown[]) => params[1] === "pending"

describe("a server killed before anything can have been paid buys once with the same header:", () => {
  test.each([
    [
      "before the relayer's nonce is known",
      { method: "eth_getTransactionCount", when: asksPending, reachesNode: false },
    ],
    ["when the relayer's nonce is known", { method: "eth_getTransactionCount", when: asksPending, reachesNode: true }],
  ] satisfies [string, Question][])("%s", async (_, question) => {
    const signed = await operator.sign()
    const before = (await operator.transfers()).length
    await using first = await operator.serve(FLAGS)
    const header = await paymentFor(first.origin, signed)
    await killAt(first, question, ask(first.origin, signed.request, header))
    expect((await operator.transfers()).length).toBe(before)

    await using second = await operator.serve(FLAGS)
    const presented = await present(second.origin, signed, header, WAITING)
    await expectBoughtOnce(before, presented, await recoverInTime(second.origin, signed))
  })
})

describe("a server killed when it may have been paid is finished by the next server without a request:", () => {
  test.each([
    ["broadcast that never reached the chain", { method: "eth_sendRawTransaction", reachesNode: false }, 0],
    ["broadcast whose answer was lost", { method: "eth_sendRawTransaction", reachesNode: true }, 1],
    ["at the first look at the receipt", { method: "eth_getTransactionReceipt", reachesNode: true }, 1],
  ] satisfies [string, Question, number][])("%s", async (_, question, onChain) => {
    const signed = await operator.sign()
    const before = (await operator.transfers()).length
    await using first = await operator.serve(FLAGS)
    const header = await paymentFor(first.origin, signed)
    await killAt(first, question, ask(first.origin, signed.request, header))
    // The node responds to a broadcast before it has mined the block.
    await until("the transfer is in a block", async () => (await operator.transfers()).length >= before + onChain)
    expect((await operator.transfers()).length).toBe(before + onChain)

    await using second = await operator.serve(FLAGS)
    // The payment is not presented again: the buyer lost everything except the signed request.
    const recovered = await recoverInTime(second.origin, signed)
    const presented = await present(second.origin, signed, header)
    expect(presented.statuses).toEqual([200])
    await expectBoughtOnce(before, presented, recovered)
  })
})

test("when one of two servers on a directory is killed, the other finishes its payment without a restart", async () => {
  const signed = await operator.sign()
  const before = (await operator.transfers()).length
  await using survivor = await operator.serve(FLAGS)
  await using killed = await operator.serve(FLAGS)
  const header = await paymentFor(killed.origin, signed)
  const lostAnswer = { method: "eth_sendRawTransaction", reachesNode: true }
  await killAt(killed, lostAnswer, ask(killed.origin, signed.request, header))
  const recovered = await recoverInTime(survivor.origin, signed)
  await expectBoughtOnce(before, await present(survivor.origin, signed, header), recovered)
})

describe("a server stopped while a paid request waits for a block", () => {
  /** One paid request whose transaction the chain has and does not mine. */
  async function waiting(flags: readonly string[]) {
    const signed = await operator.sign()
    const before = (await operator.transfers()).length
    const server = await operator.serve(["--lease-seconds", "3", ...flags])
    const header = await paymentFor(server.origin, signed)
    await operator.chain.setAutomine(false)
    operator.proxy.reset()
    const answer = ask(server.origin, signed.request, header).then(
      ({ status }) => status,
      () => "cut" as const,
    )
    await operator.proxy.reached("eth_sendRawTransaction")
    return { signed, before, server, header, answer }
  }

  async function deliveredByTheNext({ signed, before, header }: Awaited<ReturnType<typeof waiting>>) {
    expect((await operator.transfers()).length).toBe(before)
    await operator.chain.setAutomine(true)
    await operator.chain.mine(1)
    await using next = await operator.serve(FLAGS)
    const recovered = await recoverInTime(next.origin, signed)
    await expectBoughtOnce(before, await present(next.origin, signed, header), recovered)
  }

  test("responds with 202 and exits with 0, and the next server delivers", async () => {
    const stopped = await waiting(["--settle-wait-ms", "800", "--shutdown-seconds", "10"])
    const at = Date.now()
    expect(await stopped.server.stop()).toBe(0)
    expect(Date.now() - at).toBeLessThan(5_000)
    expect(await stopped.answer).toBe(202)
    expect(stopped.server.err()).not.toContain("requests_cut")
    await deliveredByTheNext(stopped)
  })

  test("cuts a wait longer than shutdown_seconds and exits with 0 in time, and the next server delivers", async () => {
    const stopped = await waiting(["--settle-wait-ms", "60000", "--shutdown-seconds", "1"])
    const at = Date.now()
    expect(await stopped.server.stop()).toBe(0)
    expect(Date.now() - at).toBeLessThan(4_000)
    expect(await stopped.answer).toBe("cut")
    expect(stopped.server.err()).toContain('"event":"requests_cut"')
    await deliveredByTheNext(stopped)
  })
})
