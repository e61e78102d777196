import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { ConstraintBroken } from "../../../src/store/engine/store-error.ts"
import {
  endAttempt,
  moveAttempt,
  reserveAttempt,
  reviveAttempt,
  settleAttempt,
} from "../../../src/store/payments/attempt-moves.ts"
import { findAttempt } from "../../../src/store/payments/attempts.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { AT, LATER, LEASE, newAttempt, newRequest, OTHER, RELEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const TRANSFER = { tx: "0xaa", logIndex: 1, block: "7", blockHash: "0xbb", finality: "INCLUDED" } as const
async function history(id: string): Promise<string[]> {
  const events = await store.rows<{ from_state: string | null; to_state: string }>(
    "SELECT from_state, to_state FROM payment_event WHERE attempt_id = ?1 ORDER BY id",
    id,
  )
  return events.map(({ from_state: from, to_state: to }) => `${from ?? ""}>${to}`)
}

describe("reserving", () => {
  test("takes a nonce of one payer, asset and chain once, for any request", async () => {
    await store.run(() => reserved("1"))
    await store.run(() => claimRequest(newRequest("drq_2")))
    const taken = (id: string, payer: string) =>
      store.run(() => reserveAttempt(newAttempt(id, "drq_2", { nonce: "nonce-att_1", payer }), LEASE))
    expect(taken("att_2", "payer")).rejects.toBeInstanceOf(ConstraintBroken)
    expect(await store.count("purchase")).toBe(1)
    expect(await taken("att_3", "other")).toMatchObject({ id: "att_3", state: "RESERVED", leaseOwner: LEASE.owner })
  })

  test("allows one live attempt for each request, and a second one after the first ended", async () => {
    await store.run(() => reserved("1"))
    const second = () => store.run(() => reserveAttempt(newAttempt("att_2", "drq_1"), LEASE))
    expect(await second()).toBeNull()
    await store.run(() => endAttempt("att_1", LEASE.owner, RELEASE))
    const attempt = await second()
    expect(attempt).toEqual(await store.run(() => findAttempt("att_2")))
    expect(attempt).toMatchObject({ requestId: "drq_1", state: "RESERVED" })
  })
})

describe("moving", () => {
  test("needs the right state and the lease owner; a refused move changes nothing and leaves no history", async () => {
    await store.run(() => reserved("1"))
    const moved = await store.run(function* () {
      return [
        yield* moveAttempt("att_1", OTHER.owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "x" }),
        yield* moveAttempt("att_1", LEASE.owner, { from: "VERIFIED", to: "SETTLING", at: AT, detail: "x" }),
        yield* moveAttempt("att_1", LEASE.owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "x" }),
        yield* moveAttempt("att_1", LEASE.owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "x" }),
      ]
    })
    expect(moved).toEqual([false, false, true, false])
    expect(await history("att_1")).toEqual([">RESERVED", "RESERVED>VERIFIED"])
  })

  test("cannot leave an ended state, which has no signature and no lease", async () => {
    await store.run(() => reserved("1"))
    await store.run(() =>
      endAttempt("att_1", LEASE.owner, {
        from: "RESERVED",
        to: "FAILED",
        at: AT,
        reason: "refused",
        watched: true,
        usedBlock: null,
      }),
    )
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({
      state: "FAILED",
      payloadJson: null,
      leaseOwner: null,
      watched: 1,
    })
    expect(
      await store.run(() =>
        moveAttempt("att_1", LEASE.owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "x" }),
      ),
    ).toBe(false)
    expect(
      await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer: TRANSFER })),
    ).toBe(false)
  })
})

describe("reviving", () => {
  test("accepts only a released attempt and only the payload that was released", async () => {
    await store.run(() => reserved("1"))
    const revive = (sha256: string) =>
      store.run(() => reviveAttempt("att_1", { json: "{}", sha256, usedBlock: null }, OTHER, LATER))
    expect(await revive("payload-att_1")).toBeNull()
    await store.run(() => endAttempt("att_1", LEASE.owner, RELEASE))
    expect(await revive("payload-other")).toBeNull()
    const revived = await revive("payload-att_1")
    expect(revived).toEqual(await store.run(() => findAttempt("att_1")))
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({
      state: "RESERVED",
      watched: 0,
      leaseOwner: OTHER.owner,
    })
    expect(
      await store.run(() =>
        moveAttempt("att_1", LEASE.owner, { from: "RESERVED", to: "VERIFIED", at: LATER, detail: "x" }),
      ),
    ).toBe(false)
  })
})

describe("settling", () => {
  test("uses one transfer for one attempt: the second attempt throws, and its whole unit is rolled back", async () => {
    await store.run(() => reserved("1"))
    await store.run(() => reserved("2"))
    expect(
      await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer: TRANSFER })),
    ).toBe(true)
    const second = store.run(function* () {
      yield* moveAttempt("att_2", LEASE.owner, { from: "RESERVED", to: "VERIFIED", at: AT, detail: "x" })
      return yield* settleAttempt("att_2", LEASE.owner, { from: "VERIFIED", at: AT, transfer: TRANSFER })
    })
    await expect(second).rejects.toMatchObject({ kind: "UNIQUE", table: "payment_attempt" })
    expect(await store.run(() => findAttempt("att_2"))).toMatchObject({ state: "RESERVED", settledTx: null })
    const otherLog = { ...TRANSFER, logIndex: 3 }
    expect(
      await store.run(() => settleAttempt("att_2", LEASE.owner, { from: "RESERVED", at: AT, transfer: otherLog })),
    ).toBe(true)
  })

  test("keeps the signature until the block is safe", async () => {
    await store.run(() => reserved("1"))
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer: TRANSFER }))
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({ payloadJson: "{}", leaseOwner: null })
  })

  test("in a block that is safe already erases the signature", async () => {
    await store.run(() => reserved("1"))
    const transfer = { ...TRANSFER, finality: "SAFE" } as const
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({ finality: "SAFE", payloadJson: null })
  })
})
