import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { SettleStep } from "../../src/payments/settle.ts"
import { endAttempt } from "../../src/store/payments/attempt-moves.ts"
import { dropComputed } from "../../src/store/sales/deliveries.ts"
import { dropHolds } from "../../src/store/sales/holds.ts"
import { moveRequest } from "../../src/store/sales/requests.ts"
import {
  type Bench,
  openCrashBench,
  openWork,
  reconcileUntilQuiet,
  rowsOf,
  theAttempt,
  UNTOUCHED,
  untilLogged,
} from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { destination } from "../fixtures/decision.ts"
import { leiFrom } from "../fixtures/lei.ts"
import { howMany, sample } from "../fixtures/long.ts"
import { TEST_ENGINE } from "../fixtures/new-store.ts"
import type { RpcFault } from "../fixtures/rpc-proxy.ts"
import type { SellingProcess } from "../fixtures/selling-process.ts"
import { freshRequest, signedHeader, type TestServer } from "../fixtures/test-server.ts"
import { until } from "../fixtures/until.ts"
import { countsOverRows, keptCounts } from "../store/operator-counts.ts"

const PROGRAM = join(import.meta.dir, "../fixtures/selling-process.ts")
const LEASE_SECONDS = 1

let bench: Bench
let server: TestServer

beforeAll(async () => {
  ;({ bench, server } = await openCrashBench(LEASE_SECONDS))
})
afterAll(() => bench.close())
afterEach(expectRightCounts)

/** The operator's counts are neither behind nor ahead of the rows. */
async function expectRightCounts(): Promise<void> {
  expect(await keptCounts(server.database)).toEqual(await countsOverRows(server.database))
}

interface Crash {
  readonly killAt?: SettleStep
  /** Number of the statement in the unit that acquires, before which the process dies. */
  readonly killInAcquire?: number
  /** Kills the process when it sends this query to the node, which then answers it or never gets it. */
  readonly killOn?: { readonly method: string; readonly reachesNode: boolean }
}

async function crash(crashed: Crash, request: DecisionRequest, headers: Record<string, string>): Promise<void> {
  expect(await endOf(crashed, request, headers)).toEqual(["SIGKILL", ""])
  await expectRightCounts()
}

/** The signal that ended the process, or null, and what it printed. */
async function endOf(crashed: Crash, request: DecisionRequest, headers: Record<string, string>) {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  const { killOn } = crashed
  if (killOn) {
    const when: RpcFault["when"] = () => {
      child.kill("SIGKILL")
      return true
    }
    bench.proxy.fault(killOn.method, { when, ...(killOn.reachesNode ? { dropAnswer: true } : { reject: true }) })
  }
  const given: SellingProcess = {
    database: bench.database.address,
    rpcUrl: bench.proxy.url,
    leaseSeconds: LEASE_SECONDS,
    killAt: crashed.killAt ?? null,
    killInAcquire: crashed.killInAcquire ?? null,
    body: JSON.stringify(request),
    headers,
  }
  child.stdin.write(JSON.stringify(given))
  child.stdin.end()
  await child.exited
  if (killOn) bench.proxy.fault(killOn.method, null)
  return [child.signalCode, await new Response(child.stdout).text()]
}

type Supplier = Pick<DecisionRequest, "supplier" | "payee" | "payment_destination">

let suppliers = 0
/** No list, no register and no earlier request names it, and nobody else is paid at its wallet. */
async function newSupplier(): Promise<Supplier> {
  const serial = String(++suppliers).padStart(4, "0")
  const wallet = destination(`0x${serial.repeat(10)}`)
  const supplier = {
    entity_id: `supplier:${serial}`,
    legal_name: `Firm ${serial} LLC`,
    identifiers: { lei: leiFrom(`5299${serial}`) },
  }
  return { supplier, payee: wallet, payment_destination: wallet }
}

const requestFor = (supplier: Supplier) => freshRequest({ request: supplier })

/** A payment to it was authorized before. */
async function knownSupplier(): Promise<Supplier> {
  const supplier = await newSupplier()
  const request = requestFor(supplier)
  const answer = await server.post(request, await signedHeader(server, request))
  expect(((await answer.json()) as { decision: string }).decision).toMatch(/^ALLOW/)
  return supplier
}

const transfers = () => bench.chain.transfersTo(DEV_ACCOUNTS.payTo.address)

/** Killed before anything may have been paid: the restart releases the attempt, then the same header buys once. */
const BEFORE: readonly [string, Crash, string][] = [
  ["reserved", { killAt: "reserved" }, "RESERVED"],
  ["computed", { killAt: "computed" }, "VERIFIED"],
  ["asked for the relayer's nonce", { killOn: { method: "eth_getTransactionCount", reachesNode: true } }, "VERIFIED"],
  ["nonce allocated", { killAt: "nonce_allocated" }, "VERIFIED"],
]
interface Killed {
  readonly onChain: number
  readonly state: string
  readonly paysTo?: () => Promise<Supplier>
}

/** Killed when it may have been paid: the restart finishes it without a request. */
const AFTER: readonly [string, Crash, Killed][] = [
  ["raw transaction stored", { killAt: "settling_stored" }, { onChain: 0, state: "SETTLING" }],
  [
    "broadcast that never reached the node",
    { killOn: { method: "eth_sendRawTransaction", reachesNode: false } },
    { onChain: 0, state: "SETTLING" },
  ],
  [
    "broadcast whose answer was lost",
    { killOn: { method: "eth_sendRawTransaction", reachesNode: true } },
    { onChain: 1, state: "SETTLING" },
  ],
  ["broadcast", { killAt: "broadcast" }, { onChain: 1, state: "SETTLING" }],
  [
    "asked for the receipt",
    { killOn: { method: "eth_getTransactionReceipt", reachesNode: true } },
    { onChain: 1, state: "SETTLING" },
  ],
  ["settled, answer never sent", { killAt: "settled" }, { onChain: 1, state: "SETTLED" }],
]

/** Statements that append the leaf of the capsule. Where units run side by side, they belong to another unit. */
const ELSEWHERE = TEST_ENGINE === "sqlite" ? 0 : 4
/** Statements of the unit that acquires a decision over x402, by what the organization knows of the supplier. */
const ACQUIRING = [
  { supplier: "a new supplier", statements: 24 - ELSEWHERE, paysTo: newSupplier },
  { supplier: "a known supplier", statements: 23 - ELSEWHERE, paysTo: knownSupplier },
] as const
const IN_ACQUIRE = ACQUIRING.flatMap(({ supplier, statements, paysTo }) =>
  Array.from({ length: statements }, (_, at): (typeof AFTER)[number] => [
    `statement ${at + 1} of ${statements} of the unit that acquires, for ${supplier}`,
    { killInAcquire: at },
    { onChain: 1, state: "SETTLING", paysTo },
  ]),
)

const killedBefore = sample(BEFORE, 2)
const killedAfter = [...sample(AFTER, 2), ...sample(IN_ACQUIRE, 2)]

describe(`a process that is killed before it may have been paid (${howMany(BEFORE.length, 2)} moments),`, () => {
  test.each(killedBefore)(
    "%s: nothing is paid, the restart releases the attempt, and the same header buys once",
    async (...row) => {
      const [, crashed, state] = row
      const request = requestFor(await newSupplier())
      const header = await signedHeader(server, request)
      const before = (await transfers()).length
      await crash(crashed, request, header)
      expect((await theAttempt(server, request)).state).toBe(state as "RESERVED")

      await reconcileUntilQuiet(server)
      expect(await theAttempt(server, request)).toMatchObject({ state: "RELEASED", watched: 1, payloadJson: null })
      expect(await rowsOf(server, request)).toEqual({ requests: 1, attempts: 1, computed: 0, delivered: 0, holds: 0 })
      expect((await transfers()).length).toBe(before)

      const answer = await server.post(request, header)
      expect(answer.status).toBe(200)
      expect((await transfers()).length).toBe(before + 1)
      expect((await theAttempt(server, request)).state).toBe("SETTLED")
      expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, delivered: 1 })
    },
  )

  test("while the payment is verified, leaves no row, and the same header buys once", async () => {
    const request = requestFor(await newSupplier())
    const header = await signedHeader(server, request)
    const before = (await transfers()).length
    await crash({ killOn: { method: "eth_getCode", reachesNode: true } }, request, header)
    expect(await rowsOf(server, request)).toEqual(UNTOUCHED)
    expect((await server.post(request, header)).status).toBe(200)
    expect((await transfers()).length).toBe(before + 1)
  })

  test("after a nonce allocation, has the nonce filled by a zero self-transfer, so that later payments are mined", async () => {
    const request = requestFor(await newSupplier())
    await crash({ killAt: "nonce_allocated" }, request, await signedHeader(server, request))
    const { nonce } = (await server.database.row<{ nonce: number }>(
      "SELECT nonce FROM relayer_nonce WHERE state = 'ALLOCATED'",
    )) as { nonce: number }
    await reconcileUntilQuiet(server)
    const { tx_hash: hash } = (await server.database.row<{ tx_hash: `0x${string}` }>(
      "SELECT tx_hash FROM relayer_transaction WHERE nonce = ?1",
      nonce,
    )) as { tx_hash: `0x${string}` }
    const fill = await bench.chain.publicClient.getTransaction({ hash })
    expect([fill.from, fill.to, fill.value, fill.input, fill.nonce]).toEqual([
      DEV_ACCOUNTS.relayer.address.toLowerCase() as `0x${string}`,
      DEV_ACCOUNTS.relayer.address.toLowerCase() as `0x${string}`,
      0n,
      "0x",
      nonce,
    ])
    const next = requestFor(await newSupplier())
    const answer = await server.post(next, await signedHeader(server, next))
    expect(answer.status).toBe(200)
  })

  test("before that nonce is filled, does not block the same header, which is settled", async () => {
    const request = requestFor(await newSupplier())
    const header = await signedHeader(server, request)
    await crash({ killAt: "nonce_allocated" }, request, header)
    // Another server has released the attempt, and the buyer returns before any server has filled the nonce.
    const { id, requestId, leaseOwner: owner } = await theAttempt(server, request)
    const at = new Date().toISOString()
    await server.store.run(function* () {
      yield* endAttempt(id, owner ?? "", {
        from: "VERIFIED",
        to: "RELEASED",
        at,
        reason: "worker_gone",
        watched: true,
        usedBlock: null,
      })
      yield* dropComputed(requestId)
      yield* dropHolds(requestId)
      yield* moveRequest(requestId, "NEW", at)
    })
    const before = (await transfers()).length
    const broadcasts = bench.proxy.count("eth_sendRawTransaction")
    const waiting = server.post(request, header)
    await until("the payment is sent", () => bench.proxy.count("eth_sendRawTransaction") > broadcasts)
    await reconcileUntilQuiet(server)
    expect((await waiting).status).toBe(200)
    expect((await transfers()).length).toBe(before + 1)
  })
})

describe(`a process that is killed when it may have been paid (${howMany(AFTER.length, 2)} moments),`, () => {
  test.each(killedAfter)(
    "%s: the restart finishes the attempt, and the same header gets its answer without a payment",
    async (...row) => {
      const [, crashed, { onChain, state, paysTo = newSupplier }] = row
      const request = requestFor(await paysTo())
      const header = await signedHeader(server, request)
      const before = (await transfers()).length
      await crash(crashed, request, header)
      expect((await theAttempt(server, request)).state).toBe(state as "SETTLING")
      // The node may still be processing the dead process's transaction.
      await until("the transfer is in a block", async () => (await transfers()).length >= before + onChain)
      expect((await transfers()).length).toBe(before + onChain)

      await reconcileUntilQuiet(server)
      const attempt = await theAttempt(server, request)
      expect(attempt.state).toBe("SETTLED")
      expect(await rowsOf(server, request)).toMatchObject({ attempts: 1, computed: 0, delivered: 1 })
      const paid = await transfers()
      expect(paid.length).toBe(before + 1)
      // The bytes stored before the crash, not newly signed ones.
      expect(paid.at(-1)?.hash as string).toBe(attempt.settledTx as string)

      const answer = await server.post(request, header)
      expect(answer.status).toBe(200)
      const body = (await answer.json()) as { billing: { settlement_reference: string } }
      expect(body.billing.settlement_reference).toBe(`eip155:8453/tx/${attempt.settledTx}`)
      expect((await transfers()).length).toBe(before + 1)
      expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
    },
  )
})

test.each(ACQUIRING)(
  "for $supplier the unit that acquires has these statements and no other",
  async ({ statements, paysTo }) => {
    const request = requestFor(await paysTo())
    const header = await signedHeader(server, request)
    expect(await endOf({}, request, header)).toEqual([null, `200 ${statements}`])
    expect((await theAttempt(server, request)).state).toBe("SETTLED")
  },
)

test("after all these crashes the log contains the capsule of every delivered decision once, and no other", async () => {
  await untilLogged(server)
  const stored = await server.database.rows<{ data: Uint8Array }>("SELECT data FROM log_leaf ORDER BY log_index")
  const leaves = stored.map(({ data }) => ({ digest: `sha256:${Buffer.from(data.subarray(32, 64)).toString("hex")}` }))
  const delivered = await server.database.rows<{ digest: string }>(
    "SELECT capsule_digest AS digest FROM delivery WHERE body IS NOT NULL ORDER BY log_index",
  )
  expect(leaves.length).toBeGreaterThan(killedBefore.length + killedAfter.length)
  expect(leaves).toEqual(delivered)
})
