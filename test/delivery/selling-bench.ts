/** A chain, a proxy to it, one database and the servers on it, with the counts that the money tests check. */
import type { Hex } from "viem"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import type { PaymentPayload } from "../../schemas/x402.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { type Machine, realMachine } from "../../src/base/machine.ts"
import { authorizationOf } from "../../src/payments/authorization.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import type { Attempt } from "../../src/store/payments/attempts.ts"
import { type Chain, type ChainOptions, DEV_ACCOUNTS, startChain, USDC_ADDRESS } from "../fixtures/chain.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import {
  decodeHeader,
  enterBuyer,
  openTestServer,
  type Records,
  type TestServer,
  type TestServerOptions,
} from "../fixtures/test-server.ts"
import { until, withNextSleep } from "../fixtures/until.ts"

export type Bench = Awaited<ReturnType<typeof openBench>>

export interface ClockMachine extends Machine {
  advance(ms: number): void
  /** Resolves when something on this machine next begins to wait. */
  nextSleep(): Promise<void>
}

/** Real time plus what a test adds. The official verifier reads the system clock, so this clock must run. */
export function clockMachine(): ClockMachine {
  let ahead = 0
  return withNextSleep({
    ...realMachine,
    now: () => Date.now() + ahead,
    monotonic: () => realMachine.monotonic() + ahead,
    advance: (ms: number) => {
      ahead += ms
    },
  })
}

/** `limits` are members of the agent's delegation. */
export async function openBench(options: ChainOptions & { readonly limits?: Record<string, unknown> } = {}) {
  const chain = await startChain(options)
  await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
  await chain.mint(DEV_ACCOUNTS.secondPayer.address, 1_000_000_000n)
  const proxy = startRpcProxy(chain.url)
  const database = await newDatabase()
  const servers: TestServer[] = []
  let entered = false
  async function close(): Promise<void> {
    proxy.reset()
    for (const server of servers) await server.close()
    await proxy.stop()
    await chain.stop()
    await database.close()
  }
  return {
    chain,
    proxy,
    database,
    /** Another server on the same database and chain; it asks the node through the proxy. */
    async server(given: TestServerOptions = {}): Promise<TestServer> {
      const server = await openTestServer(database, chain, { rpcUrl: proxy.url, ...given })
      if (!entered) await enterBuyer(server, Date.now(), options.limits)
      entered = true
      servers.push(server)
      return server
    },
    /** Transfers to the service's account since genesis. */
    paid: async () => (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The next computation of the product fails, as with a source that is away. */
export function failOnce(
  server: TestServer,
  productId: string,
  error: Error = new ServiceError("SOURCE_UNAVAILABLE", "away"),
): void {
  const product = server.deps.products.get(productId)
  if (!product) throw new Error("no such product")
  const { compute } = product
  Object.assign(product, {
    compute: async () => {
      Object.assign(product, { compute })
      throw error
    },
  })
}

/** Posts a purchase. Meanwhile its units get no reservation, as if a request that was faster held the obligation. */
export async function postContended(server: TestServer, ...sent: Parameters<TestServer["post"]>): Promise<Response> {
  const product = server.deps.products.get(PAYMENT_DECISION_PRODUCT)
  if (!product) throw new Error("no such product")
  const { reserve } = product
  Object.assign(product, {
    *reserve(): ReturnType<typeof reserve> {
      yield* []
      return { refused: "DECISION_IN_PROGRESS", detail: "held" }
    },
  })
  try {
    return await server.post(...sent)
  } finally {
    Object.assign(product, { reserve })
  }
}

export interface HeldCompute {
  /** The computation has begun. */
  readonly begun: Promise<void>
  readonly release: () => void
  readonly fail: (error?: Error) => void
}

/** The next computation of the product waits. */
export function holdCompute({ deps }: TestServer, productId: string): HeldCompute {
  const product = deps.products.get(productId)
  if (!product) throw new Error("no such product")
  const { compute } = product
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  Object.assign(product, {
    compute: async (...values: Parameters<typeof compute>) => {
      Object.assign(product, { compute })
      begun.resolve()
      await gate.promise
      return compute(...values)
    },
  })
  return { begun: begun.promise, release: gate.resolve, fail: (error = new Error("stopped")) => gate.reject(error) }
}

/**
 * A bench for processes that die. `server` quotes before the crash and acts as the restarted server after it: its clock is past the dead
 * process's lease.
 */
export async function openCrashBench(
  leaseSeconds: number,
): Promise<{ readonly bench: Bench; readonly server: TestServer }> {
  const bench = await openBench()
  const machine = clockMachine()
  machine.advance(leaseSeconds * 1000 + 500)
  return { bench, server: await bench.server({ machine, leaseSeconds }) }
}

type Readable = Pick<Records, "database">

/** Attempts of a request, oldest first. */
export function attemptsOf({ database }: Readable, request: DecisionRequest): Promise<Attempt[]> {
  return database.rows<Attempt>(
    `SELECT a.id, a.request_id AS "requestId", a.state, a.reason, a.watched, a.finality, a.settled_tx AS "settledTx",
            a.payload_json AS "payloadJson", a.lease_owner AS "leaseOwner", a.lease_until AS "leaseUntil", a.nonce, a.payer
     FROM payment_attempt a JOIN decision_request r ON r.id = a.request_id
     WHERE r.idempotency_key = ?1 ORDER BY a.created_at, a.id`,
    request.idempotency_key,
  )
}

export async function theAttempt(server: Readable, request: DecisionRequest): Promise<Attempt> {
  const [attempt, ...others] = await attemptsOf(server, request)
  if (!attempt || others.length > 0) throw new Error(`${others.length + (attempt ? 1 : 0)} attempts, not one`)
  return attempt
}

/** Rows about one request: the request itself, its attempts, its computed or finished answer, its holds. */
export async function rowsOf({ database }: Readable, request: DecisionRequest) {
  const count = (table: string, where: string) => database.count(table, where, request.idempotency_key)
  const ofRequest = "request_id IN (SELECT id FROM decision_request WHERE idempotency_key = ?1)"
  return {
    requests: await count("decision_request", "idempotency_key = ?1"),
    attempts: await count("payment_attempt", ofRequest),
    computed: await count("delivery", `body IS NULL AND ${ofRequest}`),
    delivered: await count("delivery", `body IS NOT NULL AND ${ofRequest}`),
    holds: await count("authority_hold", ofRequest),
  }
}

export const UNTOUCHED = { requests: 0, attempts: 0, computed: 0, delivered: 0, holds: 0 }

/** Attempts whose worker may still act, and relayer nonces that are not mined. */
export async function openWork({ database }: Readable): Promise<{ attempts: number; nonces: number }> {
  return {
    attempts: await database.count("payment_attempt", "state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED')"),
    nonces: await database.count("relayer_nonce", "state <> 'MINED'"),
  }
}

/** Rounds of the reconciler until nothing is open. Throws when that takes more than a hundred. */
export async function reconcileUntilQuiet(server: TestServer): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await reconcileOnce(server.deps)
    const { attempts, nonces } = await openWork(server)
    if (attempts === 0 && nonces === 0) return
    await Bun.sleep(30)
  }
  throw new Error(`still open after a hundred rounds: ${JSON.stringify(await openWork(server))}`)
}

/** Until every capsule has its leaf in the log, which on a server it gets after its delivery. */
export function untilLogged({ database }: Readable): Promise<void> {
  return until("every capsule has its leaf", async () => (await database.count("log_pending")) === 0)
}

export interface Problem {
  readonly code: string
  readonly charged: boolean
  readonly reason_codes: readonly string[]
}

export async function problemOf(answer: Response): Promise<Problem> {
  return (await answer.json()) as Problem
}

/** The reason of x402 that a 402 gives for not taking a payment, without the sentence after it. */
export const refusedFor = (answer: Response) => rejectionOf(answer).split(": ")[0]

export const rejectionOf = (answer: Response) =>
  decodeHeader<{ error: string }>(answer.headers.get("payment-required")).error

export const settlementOf = (answer: Response) =>
  decodeHeader<{ success: boolean; errorReason?: string; transaction: string }>(answer.headers.get("payment-response"))

export function payloadOf(header: Record<string, string>): PaymentPayload {
  return decodeHeader<PaymentPayload>(header["payment-signature"] ?? null)
}

/** A stranger submits the authorization of a captured header. */
export async function frontRun(chain: Chain, header: Record<string, string>): Promise<Hex> {
  const data = transferCall(authorizationOf(payloadOf(header).payload))
  return chain.send(DEV_ACCOUNTS.stranger, { to: USDC_ADDRESS, data })
}
