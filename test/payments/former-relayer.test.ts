/**
 * The operator changes the relayer's key while payments are on their way. Stored bytes need no key, so every process sends them again, and
 * the new key signs nothing for an authorization that the old one may still move.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { MINUTE, SECOND } from "../../src/core/time.ts"
import type { SettleStep } from "../../src/payments/settle.ts"
import { lowestOpenNonce } from "../../src/store/payments/settling-age.ts"
import {
  type Bench,
  type ClockMachine,
  clockMachine,
  openBench,
  reconcileUntilQuiet,
  theAttempt,
} from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import type { SellingProcess } from "../fixtures/selling-process.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const PROGRAM = join(import.meta.dir, "../fixtures/selling-process.ts")
const LEASE_SECONDS = 1
const NEW_KEY = DEV_KEYS[6]

let bench: Bench
let clock: ClockMachine
/** Quotes before the change, with the old key. It runs no worker. */
let old: TestServer
beforeEach(async () => {
  bench = await openBench()
  clock = clockMachine()
  clock.advance(LEASE_SECONDS * SECOND + 500)
  old = await bench.server({ machine: clock, leaseSeconds: LEASE_SECONDS })
})
afterEach(() => bench.close())

/** A process with the old key takes the payment and dies after the step. */
async function killedAfter(killAt: SettleStep, request: DecisionRequest, headers: Record<string, string>) {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "ignore", stderr: "inherit" })
  const given: SellingProcess = {
    database: bench.database.address,
    rpcUrl: bench.proxy.url,
    leaseSeconds: LEASE_SECONDS,
    killAt,
    killInAcquire: null,
    body: JSON.stringify(request),
    headers,
  }
  child.stdin.write(JSON.stringify(given))
  child.stdin.end()
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
}

async function leftAt(step: SettleStep) {
  const request = freshRequest()
  const header = await signedHeader(old, request)
  await killedAfter(step, request, header)
  return { request, header }
}

const changed = () =>
  bench.server({
    machine: clock,
    leaseSeconds: LEASE_SECONDS,
    settings: { settler: { kind: "self", relayerKey: NEW_KEY } },
    settleWaitMs: 100,
  })
const sentBy = ({ database }: TestServer) =>
  database.rows<{ relayer: string; n: number }>(
    "SELECT relayer, count(*) AS n FROM relayer_transaction GROUP BY relayer ORDER BY relayer",
  )
const noncesOf = ({ database }: TestServer, relayer: string) =>
  database.rows<{ nonce: number; state: string }>(
    "SELECT nonce, state FROM relayer_nonce WHERE relayer = ?1 ORDER BY nonce",
    relayer,
  )
const transactions = ({ database }: TestServer) =>
  database.rows<{ tx_hash: Hex }>("SELECT tx_hash FROM relayer_transaction ORDER BY nonce, tx_hash")
const OLD = DEV_ACCOUNTS.relayer.address
const eventsOf = ({ lines }: TestServer) => lines.map(({ event }) => event)

describe("a payment whose bytes the old key signed", () => {
  test("and that never reached the node is sent by a process that has only the new key, and pays once", async () => {
    const { request, header } = await leftAt("settling_stored")
    const server = await changed()
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(1)
    expect(await sentBy(server)).toEqual([{ relayer: OLD, n: 1 }])
    expect((await server.post(request, header)).status).toBe(200)
    expect(await bench.paid()).toBe(1)
  })

  test("and that the node forgot is sent again, also when three wait behind each other", async () => {
    await bench.chain.setAutomine(false)
    const left = [await leftAt("broadcast"), await leftAt("broadcast"), await leftAt("broadcast")]
    for (const { tx_hash } of await transactions(old)) await bench.chain.dropTransaction(tx_hash)
    const server = await changed()
    await reconcileOnce(server.deps)
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    for (const { request } of left) expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(3)
    expect(await sentBy(server)).toEqual([{ relayer: OLD, n: 3 }])
  })

  test("is sent again after a reorganization took it from the chain", async () => {
    const { request } = await leftAt("settling_stored")
    const server = await changed()
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED", finality: "INCLUDED" })
    await bench.chain.reorganize(1)
    expect(await bench.paid()).toBe(0)
    await reconcileOnce(server.deps)
    await reconcileUntilQuiet(server)
    expect(await bench.paid()).toBe(1)
    expect(await sentBy(server)).toEqual([{ relayer: OLD, n: 1 }])
  })

  test("is sent by the hosted facilitator's process too", async () => {
    const { request } = await leftAt("settling_stored")
    const settings = { settler: { kind: "http", facilitatorUrl: "http://127.0.0.1:9" } } as const
    const server = await bench.server({ machine: clock, leaseSeconds: LEASE_SECONDS, settings })
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(1)
  })

  test("pays once while one process has the old key and another one the new", async () => {
    const { request } = await leftAt("settling_stored")
    const server = await changed()
    await Promise.all([reconcileUntilQuiet(old), reconcileUntilQuiet(server)])
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(1)
  })

  test("gets one transaction of the new key when a foreign one took its nonce, and no second one", async () => {
    const { request } = await leftAt("settling_stored")
    await bench.chain.send(DEV_ACCOUNTS.relayer, { to: DEV_ACCOUNTS.relayer.address, data: "0x" })
    await bench.chain.mine(3)
    await bench.chain.setAutomine(false)
    const server = await changed()
    for (let round = 0; round < 4; round++) await reconcileOnce(server.deps)
    expect((await sentBy(server)).map(({ n }) => n)).toEqual([1, 1])
    await bench.chain.setAutomine(true)
    await bench.chain.mine(1)
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(1)
  })
})

describe("a nonce of the old key is booked by a process that has only the new key", () => {
  test("when the payment of the old key used it", async () => {
    await leftAt("settling_stored")
    const [{ nonce } = { nonce: -1 }] = await noncesOf(old, OLD)
    expect(await noncesOf(old, OLD)).toEqual([{ nonce, state: "STORED" }])
    const server = await changed()
    await reconcileUntilQuiet(server)
    await reconcileOnce(server.deps)
    expect(await noncesOf(server, OLD)).toEqual([{ nonce, state: "MINED" }])
    expect(eventsOf(server)).not.toContain("relayer_nonce_used_elsewhere")
  })

  test("when a foreign transaction used it, only after that block is safe", async () => {
    await leftAt("settling_stored")
    const [{ nonce } = { nonce: -1 }] = await noncesOf(old, OLD)
    await bench.chain.send(DEV_ACCOUNTS.relayer, { to: DEV_ACCOUNTS.relayer.address, data: "0x" })
    await bench.chain.setAutomine(false)
    const server = await changed()
    await reconcileOnce(server.deps)
    expect(await noncesOf(server, OLD)).toEqual([{ nonce, state: "STORED" }])
    await bench.chain.mine(3)
    await reconcileOnce(server.deps)
    expect(await noncesOf(server, OLD)).toEqual([{ nonce, state: "MINED" }])
    expect(eventsOf(server)).toContain("relayer_nonce_used_elsewhere")
  })
})

describe("a payment behind a nonce for which the old key signed nothing", () => {
  async function behindGap(): Promise<{
    server: TestServer
    request: DecisionRequest
    header: Record<string, string>
  }> {
    await leftAt("nonce_allocated")
    const left = await leftAt("settling_stored")
    return { server: await changed(), ...left }
  }

  test("is named, gets no transaction of the new key, and ends by the chain alone; then sales go on", async () => {
    const { server, request, header } = await behindGap()
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    const id = (await theAttempt(server, request)).id
    expect(server.lines.filter(({ event }) => event === "former_relayer_gap")).toMatchObject([{ attempt_id: id }])
    expect(await sentBy(server)).toEqual([{ relayer: OLD, n: 1 }])
    expect((await server.post(request, header)).status).toBe(202)

    clock.advance(20 * MINUTE)
    await bench.chain.setNextBlockTimestamp(Math.ceil(clock.now() / SECOND))
    await bench.chain.mine(3)
    for (let round = 0; round < 3; round++) await reconcileOnce(server.deps)
    expect(await theAttempt(server, request)).toMatchObject({ state: "FAILED" })
    expect(await bench.paid()).toBe(0)
    // Nothing waits for the old key's nonces, so they neither stop sales nor ask the node for ever.
    expect(await server.store.read(lowestOpenNonce)).toBeNull()
    await server.readiness.run()
    const fresh = freshRequest({ at: clock.now() })
    expect((await server.post(fresh)).status).toBe(402)
    bench.proxy.reset()
    await reconcileOnce(server.deps)
    expect(bench.proxy.calls.filter(({ method }) => method === "eth_getTransactionCount")).toEqual([])
  })

  test("is paid as soon as a process with the old key fills the gap", async () => {
    const { server, request } = await behindGap()
    await reconcileOnce(server.deps)
    await reconcileUntilQuiet(old)
    await reconcileUntilQuiet(server)
    expect(await theAttempt(server, request)).toMatchObject({ state: "SETTLED" })
    expect(await bench.paid()).toBe(1)
    expect(eventsOf(server)).not.toContain("relayer_nonce_used_elsewhere")
  })
})

test("the log says that the key has changed, once", async () => {
  await reconcileOnce(old.deps)
  const server = await changed()
  await reconcileOnce(server.deps)
  await reconcileOnce(server.deps)
  const to = privateKeyToAccount(NEW_KEY).address
  expect(server.lines.filter(({ event }) => event === "relayer_changed")).toMatchObject([{ from: OLD, to }])
})
