/**
 * A database restored in the middle of sales: what the lost hours sold is found on the chain, nothing that they used is used again, and
 * nothing is sold before.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { type Address, encodeFunctionData, parseAbi } from "viem"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { scanAfterRestore } from "../../src/delivery/restore-scan.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { confirmBuyer } from "../../src/store/buyers/buyer-registration.ts"
import { listMandateKeys } from "../../src/store/buyers/buyers.ts"
import { insertDelegation } from "../../src/store/buyers/delegations.ts"
import { spendNonce } from "../../src/store/nonces.ts"
import { pausedRights } from "../../src/store/paused-rights.ts"
import { lostTransfers, restoreScan } from "../../src/store/payments/lost-transfers.ts"
import { addRestore, declareBackupNewest } from "../../src/store/restores.ts"
import { buyAnswer, type Purchase, signedFor, usBody } from "../fixtures/answers.ts"
import { signPayment } from "../fixtures/authorizations.ts"
import { agentKey, delegationContent, mandateKey, signedDelegation } from "../fixtures/buyers.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { recoveryOf } from "../fixtures/recovery.ts"
import { copyOf, type TestDatabase } from "../fixtures/test-database.ts"
import {
  freshRequest,
  openTestServer,
  PATH,
  paymentHeader,
  quoteFor,
  type TestServer,
} from "../fixtures/test-server.ts"
import { type Bench, type ClockMachine, clockMachine, openBench, reconcileUntilQuiet } from "./selling-bench.ts"

setDefaultTimeout(60_000)

let bench: Bench
let machine: ClockMachine
let restored: TestDatabase
/** Two servers over the restored database. */
let servers: readonly [TestServer, TestServer]

const company: Purchase = { path: companyCheckRules.path, body: JSON.stringify(usBody()) }
const before = freshRequest()
const inGap = freshRequest()
let bodyBefore: string
let headerInGap: Record<string, string>
let boughtInGap: { readonly purchase: Purchase; readonly payment: Record<string, string> }
let unsent: Record<string, string>
let restoredAt: number
/** Transfers at the time of the restore. */
let paidInGap: number

const transferOf = (to: Address, value: bigint) => ({
  to: USDC_ADDRESS,
  data: encodeFunctionData({ abi: parseAbi(["function transfer(address to, uint256 value)"]), args: [to, value] }),
})

/** Signs the quote at the time of the servers' clock. */
async function headerFor(server: TestServer, request: DecisionRequest): Promise<Record<string, string>> {
  const terms = await quoteFor(server, request)
  return paymentHeader(await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(machine.now() / SECOND)))
}

async function buyDecision(server: TestServer, request: DecisionRequest) {
  const header = await headerFor(server, request)
  const answer = await server.post(request, header)
  return { header, status: answer.status, text: await answer.text() }
}

async function problem(answer: Response) {
  return { status: answer.status, ...((await answer.json()) as { code: string; reason_codes?: string[] }) }
}

/** Both clocks, and a block at the new time that is safe. */
async function pass(ms: number): Promise<void> {
  machine.advance(ms)
  await bench.chain.setNextBlockTimestamp(Math.ceil(machine.now() / SECOND))
  await bench.chain.mine(3)
}

beforeAll(async () => {
  bench = await openBench({ genesisSecondsAgo: 7200 })
  machine = clockMachine()
  const first = await bench.server({ machine })
  const sold = await buyDecision(first, before)
  expect(sold.status).toBe(200)
  bodyBefore = sold.text
  await first.close()
  restored = await copyOf(bench.database)
  const backupAt = formatInstant(machine.now())
  await Bun.sleep(5)
  const old = await bench.server({ machine })
  ;({ header: headerInGap } = await buyDecision(old, inGap))
  const purchase = company
  const bought = await buyAnswer(old, purchase)
  expect(bought.status).toBe(200)
  boughtInGap = { purchase, payment: bought.payment }
  unsent = await signedFor(old, purchase)
  await bench.chain.send(DEV_ACCOUNTS.payer, transferOf(DEV_ACCOUNTS.payTo.address, 5_000n))
  paidInGap = await bench.paid()
  await old.close()
  restoredAt = machine.now() + 10
  machine.advance(20)
  const options = { machine, rpcUrl: bench.proxy.url }
  servers = [await openTestServer(restored, bench.chain, options), await openTestServer(restored, bench.chain, options)]
  await servers[0].store.run(() =>
    addRestore({ backup_at: backupAt, restored_at: formatInstant(restoredAt), newest_declared_at: null }),
  )
  for (const server of servers) await server.readiness.run()
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await restored.close()
  await bench.close()
})

describe("right after the restore", () => {
  test("no server quotes or takes a payment", async () => {
    const { path: route, body, headers } = boughtInGap.purchase
    for (const server of servers) {
      for (const payment of [{}, unsent, boughtInGap.payment]) {
        const answer = await server.post(body, { ...headers, ...payment }, route)
        expect(answer.headers.get("retry-after")).not.toBeNull()
        expect(await problem(answer)).toMatchObject({ status: 503, code: "RESTORED_RECENTLY" })
      }
      // The agent's key is judged before the service's own state.
      for (const payment of [{}, headerInGap]) {
        expect((await server.post(freshRequest({ at: machine.now() }), payment)).status).toBe(403)
      }
    }
    expect(await bench.paid()).toBe(paidInGap)
  })

  test("an agent's key signs nothing before its next key event; then a decision from before the backup is recovered with the same bytes", async () => {
    const recover = () => servers[0].post(recoveryOf(before, machine.now()), {}, `${PATH}/recover`)
    expect(await problem(await recover())).toMatchObject({ status: 422, code: "RECOVERY_KEY_NOT_ACTIVE" })
    const refused = await problem(await servers[1].post(freshRequest({ at: machine.now() })))
    expect(refused).toMatchObject({ status: 403, code: "KEY_NOT_ACTIVE" })
    // Has the effect of a key event after the restore.
    await restored.write("UPDATE agent SET head_accepted_at = ?1", formatInstant(machine.now()))
    const answer = await recover()
    expect([answer.status, await answer.text()]).toEqual([200, bodyBefore])
  })

  test("a nonce that was signed before the restore counts as used, and a later one does not", async () => {
    const now = formatInstant(machine.now())
    const spend = (signedAt: number, nonce: string) =>
      servers[0].store.run(() => spendNonce("scope", nonce, formatInstant(signedAt + 10 * MINUTE), now))
    expect([await spend(restoredAt - SECOND, "a"), await spend(restoredAt + SECOND, "b")]).toEqual([false, true])
  })

  test("the payments of the lost hours are found, and those of before the backup are not among them", async () => {
    await pass(MINUTE)
    for (const server of servers) await scanAfterRestore(server.deps)
    const found = await servers[1].store.read(lostTransfers)
    expect(found.map(({ value, nonce }) => `${value} ${nonce === null ? "plain" : "sale"}`).sort()).toEqual([
      "40000 sale",
      "5000 plain",
      "790000 sale",
    ])
    expect(found.every(({ payer }) => payer === DEV_ACCOUNTS.payer.address.toLowerCase())).toBe(true)
    expect((await servers[0].store.read(restoreScan))?.done_at).toBeNull()
  })
})

describe("an hour later", () => {
  beforeAll(async () => {
    await pass(HOUR)
    // The work that was under way when the backup was made.
    await reconcileUntilQuiet(servers[0])
    for (const server of servers) await scanAfterRestore(server.deps)
    for (const server of servers) await server.readiness.run()
  })

  test("the scan is done once, over both servers", async () => {
    expect((await servers[0].store.read(restoreScan))?.done_at).not.toBeNull()
    expect(servers.flatMap(({ lines }) => lines.filter(({ event }) => event === "restore_scanned"))).toHaveLength(1)
    expect((await servers[0].store.read(lostTransfers)).length).toBe(3)
  })

  test("a payment of the lost hours is expired: presented again it buys nothing and moves nothing, and stays on the list", async () => {
    const transfers = await bench.paid()
    const { purchase, payment } = boughtInGap
    for (const server of servers) expect((await buyAnswer(server, purchase, payment)).status).toBe(402)
    expect(await bench.paid()).toBe(transfers)
    expect((await servers[0].store.read(lostTransfers)).length).toBe(3)
  })

  test("an organization and its mandate key from before the restore count after their confirmation, one by one", async () => {
    const refusal = async () => problem(await servers[0].post(freshRequest({ at: machine.now() })))
    const confirmed = (keyIds: readonly string[]) =>
      servers[1].store.run(() =>
        confirmBuyer({
          organizationId: mandateKey.issuer,
          keyIds,
          at: formatInstant(machine.now()),
          author: "J",
          reason: "called",
        }),
      )
    const keys = async () =>
      (await servers[0].store.read(() => listMandateKeys(mandateKey.issuer))).map(({ state }) => state)
    expect(await refusal()).toMatchObject({ status: 403, code: "BUYER_NOT_VERIFIED" })
    expect(await servers[0].store.read(() => pausedRights(formatInstant(machine.now())))).toMatchObject({
      organizations: 1,
      mandateKeys: 1,
    })
    expect(await confirmed([])).toBe("CONFIRMED")
    expect(await refusal()).not.toMatchObject({ code: "BUYER_NOT_VERIFIED" })
    expect(await keys()).toEqual(["PAUSED"])
    expect(await confirmed([mandateKey.keyId])).toBe("CONFIRMED")
    expect(await keys()).toEqual(["ACTIVE"])
    expect(await confirmed([mandateKey.keyId])).toBe("NOT_PAUSED")
    expect(await confirmed(["ed25519-none"])).toBe("KEY_UNKNOWN")
  })

  test("a delegation from before the restore authorizes nothing", async () => {
    const refused = await problem(await servers[0].post(freshRequest({ at: machine.now() })))
    expect(refused).toMatchObject({ status: 403, code: "DELEGATION_NOT_ACTIVE" })
  })

  test("with a new delegation, a mandate from before the restore is used neither for a new request nor for the paid one", async () => {
    const content = delegationContent(machine.now() - SECOND, "http://localhost", {
      max_payment_amount: "1000000",
      nonce: "m".repeat(32),
      idempotency_key: "delegation-2",
    })
    await servers[0].store.run(() =>
      insertDelegation(signedDelegation("dgn_new", content, mandateKey, agentKey, machine.now())),
    )
    const old = { valid_from: formatInstant(restoredAt - SECOND) }
    expect(await problem(await servers[1].post(freshRequest({ at: machine.now(), mandate: old })))).toMatchObject({
      code: "MANDATE_REVOKED",
    })
    const transfers = await bench.paid()
    const paid = await servers[1].post(inGap, headerInGap)
    expect(await problem(paid)).toMatchObject({ status: 403, code: "MANDATE_REVOKED" })
    expect(await bench.paid()).toBe(transfers)
  })

  test("a new request under new authority is sold", async () => {
    expect((await buyDecision(servers[1], freshRequest({ at: machine.now() }))).status).toBe(200)
  })
})

test("a declaration that nothing happened after the backup ends all of it at once", async () => {
  await using other = await openBench()
  const now = clockMachine()
  const server = await other.server({ machine: now })
  const at = formatInstant(now.now() + 5)
  await server.store.run(() => addRestore({ backup_at: at, restored_at: at, newest_declared_at: null }))
  now.advance(10)
  await server.readiness.run()
  expect((await server.post(company.body, {}, company.path)).status).toBe(503)
  expect((await server.post(freshRequest())).status).toBe(403)
  await server.store.run(() => declareBackupNewest(at))
  await server.readiness.run()
  expect((await server.post(company.body, {}, company.path)).status).toBe(402)
  expect((await server.post(freshRequest())).status).toBe(402)
})

test("a node that is away delays the scan, and nothing is recorded as done", async () => {
  await using other = await openBench()
  const server = await other.server({})
  const at = formatInstant(Date.now() - 2 * HOUR)
  await server.store.run(() => addRestore({ backup_at: at, restored_at: at, newest_declared_at: null }))
  other.proxy.fault("*", { reject: true })
  await scanAfterRestore(server.deps)
  expect(await server.store.read(restoreScan)).toBeNull()
  expect(server.lines.map(({ event }) => event)).toContain("restore_scan_waits")
})
