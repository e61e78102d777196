/**
 * Rule 8 at each durable step: a process dies with one purchase of a payment at that step, and the survivor gets another purchase of the
 * same payment, before the restart's round and after it. In every order one is charged.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import type { SettleStep } from "../../src/payments/settle.ts"
import { type Bench, openCrashBench, reconcileUntilQuiet } from "../delivery/selling-bench.ts"
import { type Purchase, signedFor } from "../fixtures/answers.ts"
import type { DyingProcess } from "../fixtures/dying-process.ts"
import { sample } from "../fixtures/long.ts"
import { prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { SAME_PAYMENTS, type SamePayments } from "../fixtures/same-payments.ts"
import type { TestServer } from "../fixtures/test-server.ts"

setDefaultTimeout(90_000)
const PROGRAM = join(import.meta.dir, "../fixtures/dying-process.ts")
const LEASE_SECONDS = 1

let bench: Bench
let server: TestServer
beforeAll(async () => {
  ;({ bench, server } = await openCrashBench(LEASE_SECONDS))
  await prepareProducts(server)
})
afterAll(() => bench.close())

interface Sale {
  readonly purchase: Purchase
  readonly payment: Record<string, string>
}

async function pairOf({ row, bodies }: SamePayments): Promise<[Sale, Sale]> {
  const sales: Sale[] = []
  for (const body of bodies(2)) {
    const purchase = purchaseOf(row, body)
    sales.push({ purchase, payment: await signedFor(server, purchase) })
  }
  return sales as [Sale, Sale]
}

async function killedAt(killAt: SettleStep, { purchase, payment }: Sale): Promise<void> {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  const request = { path: purchase.path, body: purchase.body as string, headers: { ...purchase.headers, ...payment } }
  const given: DyingProcess = {
    database: bench.database.address,
    rpcUrl: bench.chain.url,
    leaseSeconds: LEASE_SECONDS,
    killAt,
    requests: [request],
  }
  child.stdin.write(JSON.stringify(given))
  child.stdin.end()
  await child.exited
  expect([child.signalCode, await new Response(child.stdout).text()]).toEqual(["SIGKILL", ""])
}

async function present({ purchase, payment }: Sale): Promise<{ status: number; code: string; text: string }> {
  const answer = await server.post(purchase.body, { ...purchase.headers, ...payment }, purchase.path)
  const text = await answer.text()
  return { status: answer.status, code: (JSON.parse(text) as { code?: string }).code ?? "", text }
}

describe.each(SAME_PAYMENTS)("%s", (_id, same) => {
  test.each(sample(["reserved", "computed", "nonce_allocated"] as const, 1))(
    "after a kill at %s, before anything may have been paid, the other is sold after the restart, and the first is then refused uncharged",
    async (step) => {
      const [first, second] = await pairOf(same)
      const before = await bench.paid()
      await killedAt(step, first)
      // Its attempt is still open, so its obligation is held.
      expect(await present(second)).toMatchObject({ status: 409, code: "DECISION_IN_PROGRESS" })
      await reconcileUntilQuiet(server)
      expect((await present(second)).status).toBe(200)
      const { status, code } = await present(first)
      // For the answer products the header may be a copy, so the refusal names no answer for a payment that was presented before.
      const expected = same.row.recovery === null ? "OBLIGATION_ALREADY_AUTHORIZED" : "REUSABLE_DECISION_EXISTS"
      expect([status, code]).toEqual([409, expected])
      expect(await bench.paid()).toBe(before + 1)
      await reconcileUntilQuiet(server)
    },
  )

  test.each(sample(["settling_stored", "broadcast", "settled"] as const, 1))(
    "after a kill at %s, when it may have been paid, the other is refused before and after the restart, and the first is delivered",
    async (step) => {
      const [first, second] = await pairOf(same)
      const before = await bench.paid()
      await killedAt(step, first)
      const covered = step === "settled" ? "REUSABLE_DECISION_EXISTS" : "DECISION_IN_PROGRESS"
      expect(await present(second)).toMatchObject({ status: 409, code: covered })
      await reconcileUntilQuiet(server)
      expect(await present(second)).toMatchObject({ status: 409, code: "REUSABLE_DECISION_EXISTS" })
      expect((await present(first)).status).toBe(200)
      expect(await bench.paid()).toBe(before + 1)
      await reconcileUntilQuiet(server)
    },
  )
})
