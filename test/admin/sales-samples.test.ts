/** Owed, stuck and waiting payments, from rows that a service would have written. */
import { afterEach, beforeEach, expect } from "bun:test"
import type { Sample } from "../../src/admin/exposition.ts"
import { salesSamples } from "../../src/admin/sales-samples.ts"
import { formatInstant, instant, MINUTE, SECOND } from "../../src/core/time.ts"
import { UnchargedCounts } from "../../src/http/process-counts.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { endAttempt, moveAttempt, settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { owePaidAttempt } from "../../src/store/payments/attempt-watch.ts"
import { SETTLING_COUNTED_MAX, settlingSince } from "../../src/store/payments/settling-age.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { AT, LATER, LEASE, moneyDatabase, RELEASE, reserved } from "../store/money-rows.ts"

const test = slowTests(import.meta.path)

let store: ReturnType<typeof moneyDatabase>
beforeEach(() => {
  store = moneyDatabase()
})
afterEach(() => store.close())

const TRANSFER = { tx: "0x1", logIndex: 0, block: "1", blockHash: "0x1" }

async function valuesAt(now: number): Promise<(metric: Sample["metric"]) => unknown> {
  const reader = new SqliteStore(store.database, (error) => {
    throw error
  })
  const samples = await salesSamples({
    store: reader,
    machine: { now: () => now },
    uncharged: new UnchargedCounts(),
    logSize: { lagMs: () => 1500 },
  })
  return (metric) => samples.find((one) => one.metric === metric)?.value
}

function* settling(name: string, at: string): Unit<string> {
  const id = yield* reserved(name)
  yield* moveAttempt(id, LEASE.owner, { from: "RESERVED", to: "VERIFIED", at, detail: "" })
  yield* moveAttempt(id, LEASE.owner, { from: "VERIFIED", to: "SETTLING", at, detail: "" })
  return id
}

test("without payments nothing is owed, stuck or waiting", async () => {
  const value = await valuesAt(instant(AT))
  expect(value("bizauth_payments_owed")).toBe(0)
  expect(value("bizauth_attempts_stuck")).toBe(0)
  expect(value("bizauth_settlement_wait_seconds")).toBe(0)
  expect(value("bizauth_relayer_nonce_wait_seconds")).toBe(0)
  expect(value("bizauth_log_wait_seconds")).toBe(0)
  expect(value("bizauth_log_lag_seconds")).toBe(1.5)
})

test("a payment is owed from the moment it is found until its answer is delivered", async () => {
  const id = await store.run(() => reserved("owed"))
  await store.run(() => endAttempt(id, LEASE.owner, RELEASE))
  await store.run(() => owePaidAttempt({ id, state: "RELEASED" }, TRANSFER, LATER))
  expect((await valuesAt(instant(LATER)))("bizauth_payments_owed")).toBe(1)
  store.database.run("UPDATE payment_attempt SET lease_owner = 'worker-a'")
  const transfer = { ...TRANSFER, finality: "SAFE" } as const
  expect(await store.run(() => settleAttempt(id, LEASE.owner, { from: "PAID_OWED", at: LATER, transfer }))).toBe(true)
  expect((await valuesAt(instant(LATER)))("bizauth_payments_owed")).toBe(0)
})

test("an attempt is stuck after five minutes, and the oldest one and the lowest nonce say how long they wait", async () => {
  await store.run(() => settling("old", AT))
  await store.run(() => settling("new", LATER))
  store.database
    .query(
      "INSERT INTO relayer_nonce VALUES ('0x1', 1, 'att_old', 'STORED', $at, $at), ('0x1', 2, 'att_new', 'STORED', $at, $at)",
    )
    .run({ at: LATER })
  const stuckAt = instant(AT) + 5 * MINUTE
  expect((await valuesAt(stuckAt))("bizauth_attempts_stuck")).toBe(0)
  const value = await valuesAt(stuckAt + SECOND)
  expect(value("bizauth_attempts_stuck")).toBe(1)
  expect(value("bizauth_settlement_wait_seconds")).toBe(301)
  expect(value("bizauth_relayer_nonce_wait_seconds")).toBe(241)
  expect((await valuesAt(stuckAt + 2 * MINUTE))("bizauth_attempts_stuck")).toBe(2)
})

test(`counting settling attempts ends at ${SETTLING_COUNTED_MAX}`, async () => {
  store.database.run("PRAGMA synchronous = OFF")
  const units = Array.from({ length: SETTLING_COUNTED_MAX + 1 }, (_, at) => store.run(() => settling(String(at), AT)))
  await Promise.all(units)
  const before = formatInstant(instant(AT) + 1)
  expect(await store.run(() => settlingSince(before))).toBe(SETTLING_COUNTED_MAX)
  expect(await store.run(() => settlingSince(AT))).toBe(0)
})
