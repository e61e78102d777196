/**
 * The crash matrix for every paid product: one process is selling all of them and dies when each has reached the same durable step. The
 * steps between, of the relayer and the node, are the same for all products: crash-matrix.test.ts takes them one by one.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { SettleStep } from "../../src/payments/settle.ts"
import { type Bench, openCrashBench, openWork, reconcileUntilQuiet, untilLogged } from "../delivery/selling-bench.ts"
import { type Purchase, signedFor } from "../fixtures/answers.ts"
import type { DyingProcess } from "../fixtures/dying-process.ts"
import { sample } from "../fixtures/long.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import type { TestServer } from "../fixtures/test-server.ts"

setDefaultTimeout(90_000)
const PROGRAM = join(import.meta.dir, "../fixtures/dying-process.ts")
const LEASE_SECONDS = 1
const ALL = PRODUCT_ROWS.length

let bench: Bench
let server: TestServer
/** Requests whose answers were entered before, for answers that name one. */
let entered: readonly string[]
beforeAll(async () => {
  ;({ bench, server } = await openCrashBench(LEASE_SECONDS))
  await prepareProducts(server)
  entered = await ids("SELECT request_id AS id FROM delivery")
})
afterAll(() => bench.close())

async function ids(sql: string): Promise<readonly string[]> {
  return (await server.database.rows<{ id: string }>(sql)).map(({ id }) => id)
}

interface Sale {
  readonly row: ProductRow
  readonly purchase: Purchase
  readonly payment: Record<string, string>
}

/** One sale of each product, presented to one process that dies with all of them at `killAt`. */
async function killedAt(killAt: SettleStep): Promise<readonly Sale[]> {
  const sales: Sale[] = []
  for (const row of PRODUCT_ROWS) {
    const purchase = purchaseOf(row, row.body())
    sales.push({ row, purchase, payment: await signedFor(server, purchase) })
  }
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  const given: DyingProcess = {
    database: bench.database.address,
    rpcUrl: bench.chain.url,
    leaseSeconds: LEASE_SECONDS,
    killAt,
    requests: sales.map(({ purchase, payment }) => ({
      path: purchase.path,
      body: purchase.body as string,
      headers: { ...purchase.headers, ...payment },
    })),
  }
  child.stdin.write(JSON.stringify(given))
  child.stdin.end()
  await child.exited
  expect([child.signalCode, await new Response(child.stdout).text()]).toEqual(["SIGKILL", ""])
  return sales
}

/** The states of the attempts of each sale, by product. */
async function attempts(sales: readonly Sale[]): Promise<Record<string, string[]>> {
  const keys = sales.map(
    ({ purchase }) => (JSON.parse(purchase.body as string) as { idempotency_key: string }).idempotency_key,
  )
  const found = await server.database.rows<{ key: string; state: string }>(
    "SELECT r.idempotency_key AS key, a.state FROM payment_attempt a JOIN decision_request r ON r.id = a.request_id",
  )
  const states = (key?: string) => found.filter((attempt) => attempt.key === key).map(({ state }) => state)
  return Object.fromEntries(sales.map(({ row }, index) => [row.id, states(keys[index])]))
}
const each = (state: string) => Object.fromEntries(PRODUCT_ROWS.map(({ id }) => [id, [state]]))

async function presented({ row, purchase, payment }: Sale): Promise<string> {
  const answer = await server.post(purchase.body, { ...purchase.headers, ...payment }, purchase.path)
  expect([row.id, answer.status]).toEqual([row.id, 200])
  return answer.text()
}

/** The step, and the state of the attempt that the restart finds. */
const BEFORE = sample(
  [
    ["reserved", "RESERVED"],
    ["computed", "VERIFIED"],
    ["nonce_allocated", "VERIFIED"],
  ] as const,
  1,
)
const AFTER = sample(
  [
    ["settling_stored", "SETTLING"],
    ["broadcast", "SETTLING"],
    ["settled", "SETTLED"],
  ] as const,
  1,
)

describe("a process killed before anything may have been paid: the restart releases the attempt, and the same payment buys once", () => {
  test.each(BEFORE)("%s", async (step, state) => {
    const before = await bench.paid()
    const sales = await killedAt(step)
    expect(await attempts(sales)).toEqual(each(state))
    await reconcileUntilQuiet(server)
    expect(await attempts(sales)).toEqual(each("RELEASED"))
    expect(await bench.paid()).toBe(before)
    for (const sale of sales) await presented(sale)
    expect(await attempts(sales)).toEqual(each("SETTLED"))
    expect(await bench.paid()).toBe(before + ALL)
  })
})

describe("a process killed when it may have been paid: the restart finishes, and the same payment gets its answer without another", () => {
  test.each(AFTER)("%s", async (step, state) => {
    const before = await bench.paid()
    const sales = await killedAt(step)
    expect(await attempts(sales)).toEqual(each(state))
    await reconcileUntilQuiet(server)
    expect(await attempts(sales)).toEqual(each("SETTLED"))
    expect(await bench.paid()).toBe(before + ALL)
    for (const sale of sales) expect(await presented(sale)).toBe(await presented(sale))
    expect(await bench.paid()).toBe(before + ALL)
    expect(await openWork(server)).toEqual({ attempts: 0, nonces: 0 })
  })
})

test("after all these crashes the log has every delivery once, with its record and its token, and no hold remains", async () => {
  await untilLogged(server)
  const bought = (await ids("SELECT request_id AS id FROM delivery")).filter((id) => !entered.includes(id))
  expect(bought.length).toBe((BEFORE.length + AFTER.length) * ALL)
  expect(await server.database.count("log_leaf")).toBe(bought.length)
  const records = await ids(
    "SELECT request_id AS id FROM answer_record UNION SELECT request_id FROM authorization_record",
  )
  expect(bought.filter((id) => !records.includes(id))).toEqual([])
  expect(await server.database.count("authority_hold", "spent = 0")).toBe(0)

  const delivered = await server.database.rows<{ id: string; body: string }>(
    "SELECT request_id AS id, body FROM delivery",
  )
  const bodies = delivered.filter(({ id }) => bought.includes(id))
  const answers = bodies.map(
    ({ body }) => JSON.parse(body) as { result?: object; decision: string; execution_id: string },
  )
  const granting = answers.filter(
    ({ result, decision }) => result && "authorization_token" in result && /^(APPROVE|CONDITIONAL)$/.test(decision),
  )
  const tokens = await ids("SELECT execution_id AS id FROM authorization_token")
  expect(tokens.toSorted()).toEqual(granting.map((answer) => answer.execution_id).sort())
  expect(tokens.length).toBeGreaterThan(0)
})
