import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { endAttempt, keepUsedAttempt, reviveAttempt, settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import {
  concludeSettlement,
  noteReinclusion,
  noteUnused,
  noteUsed,
  owedAttempts,
  owePaidAttempt,
  stopWatching,
  takeDuePolls,
} from "../../../src/store/payments/attempt-watch.ts"
import { type Attempt, findAttempt } from "../../../src/store/payments/attempts.ts"
import { unsettledValue } from "../../../src/store/payments/unsettled-value.ts"
import { findClaimingPurchase } from "../../../src/store/sales/purchases.ts"
import { AT, LATER, LEASE, newAttempt, OTHER, RELEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  await store.run(() => reserved("1"))
})
afterEach(() => store.close())

const TRANSFER = { tx: "0xaa", logIndex: 1, block: "7", blockHash: "0xbb" }
const release = () => store.run(() => endAttempt("att_1", LEASE.owner, RELEASE))
const ids = async (unit: () => Unit<Attempt[]>) => (await store.run(unit)).map(({ id }) => id)
const TIMES = { now: LATER, latest: "2026-11-21T10:02:00.000Z", nextPollAt: () => LATER }
/** Returns the attempts that are due now. They stay due, so that each call sees all of them. */
const duePolls = () => takeDuePolls(TIMES)

describe("a used attempt that is kept without work, beside the live one of its request,", () => {
  const kept = () => store.run(() => findAttempt("att_2"))
  beforeEach(() => store.run(() => keepUsedAttempt({ ...newAttempt("att_2", "drq_1"), usedBlock: 5 }, "used")))

  test("is released and watched, without its signature and a lease, and takes nothing of the payer's balance", async () => {
    expect(await kept()).toMatchObject({
      ...{ state: "RELEASED", reason: "used", watched: 1, lookAt: AT },
      ...{ payloadJson: null, leaseOwner: null, leaseUntil: null },
    })
    expect(await ids(duePolls)).toEqual(["att_2"])
    expect(await store.run(() => unsettledValue({ chainId: 8453, asset: "usdc", payer: "payer" }))).toBe(790_000n)
  })

  test("claims the request once the live one has ended, and can then be revived", async () => {
    expect(await store.run(() => findClaimingPurchase("drq_1", "att_2"))).toMatchObject({ id: "att_1" })
    await release()
    expect(await store.run(() => findClaimingPurchase("drq_1"))).toMatchObject({ id: "att_2", state: "OWED" })
    const payload = { json: "{}", sha256: "payload-att_2", usedBlock: 5 }
    const revived = await store.run(() => reviveAttempt("att_2", payload, OTHER, LATER))
    expect(revived).toMatchObject({ state: "RESERVED", payloadJson: "{}", leaseOwner: OTHER.owner })
    expect(await store.run(() => findClaimingPurchase("drq_1"))).toMatchObject({ id: "att_2", state: "LIVE" })
  })

  test("claims it no longer once a newer block shows its authorization as unused", async () => {
    await release()
    await store.run(() => noteUnused("att_2", 6))
    expect(await store.run(() => findClaimingPurchase("drq_1"))).toBeNull()
  })
})

describe("a released attempt", () => {
  test("is watched until it can no longer be paid", async () => {
    expect(await ids(duePolls)).toEqual([])
    await release()
    expect(await ids(duePolls)).toEqual(["att_1"])
    expect([await store.run(() => stopWatching("att_1")), await store.run(() => stopWatching("att_1"))]).toEqual([
      true,
      false,
    ])
    expect(await ids(duePolls)).toEqual([])
  })

  test("that is paid later is owed once, prevents a further payment, and is listed", async () => {
    await release()
    const attempt = { id: "att_1", state: "RELEASED" } as const
    expect(await store.run(() => findClaimingPurchase("drq_1"))).toBeNull()
    expect(await store.run(() => owePaidAttempt(attempt, TRANSFER, LATER))).toBe(true)
    expect(await store.run(() => owePaidAttempt(attempt, TRANSFER, LATER))).toBe(false)
    expect(await ids(owedAttempts)).toEqual(["att_1"])
    expect(await store.run(() => findClaimingPurchase("drq_1"))).toMatchObject({ id: "att_1", state: "OWED" })
  })

  describe("whose authorization is used", () => {
    const claiming = (except?: string) => store.run(() => findClaimingPurchase("drq_1", except))
    beforeEach(async () => {
      await release()
      await store.run(() => noteUsed("att_1", 7))
    })

    test("prevents every further payment but its own", async () => {
      expect(await claiming()).toMatchObject({ id: "att_1", state: "OWED" })
      expect(await claiming("att_1")).toBeNull()
      expect(await ids(owedAttempts)).toEqual([])
    })

    test("prevents none once a newer block shows the authorization as unused", async () => {
      for (const block of [6, 7]) await store.run(() => noteUnused("att_1", block))
      expect(await claiming()).toMatchObject({ state: "OWED" })
      await store.run(() => noteUnused("att_1", 8))
      expect(await claiming()).toBeNull()
      await store.run(() => noteUsed("att_1", 8))
      expect(await claiming()).toMatchObject({ state: "OWED" })
    })

    test("prevents every other payment until a block is newer than each that showed the use", async () => {
      for (const block of [9, 8]) await store.run(() => noteUsed("att_1", block))
      await store.run(() => noteUnused("att_1", 9))
      expect(await claiming()).toMatchObject({ state: "OWED" })
      await store.run(() => noteUnused("att_1", 10))
      expect(await claiming()).toBeNull()
    })

    test("prevents every other payment until a block is newer than the one that a worker saw meanwhile", async () => {
      const payload = { json: "{}", sha256: "payload-att_1", usedBlock: 9 }
      await store.run(() => reviveAttempt("att_1", payload, OTHER, LATER))
      const end = { from: "RESERVED", to: "RELEASED", at: LATER, reason: "x", watched: true, usedBlock: 9 } as const
      await store.run(() => endAttempt("att_1", OTHER.owner, end))
      await store.run(() => noteUnused("att_1", 8))
      expect(await claiming()).toMatchObject({ state: "OWED" })
      await store.run(() => noteUnused("att_1", 10))
      expect(await claiming()).toBeNull()
    })

    test("prevents none after the end of the watch, whatever a later poll says", async () => {
      await store.run(() => stopWatching("att_1"))
      expect(await claiming()).toBeNull()
      await store.run(() => noteUsed("att_1", 9))
      expect(await claiming()).toBeNull()
    })

    test("is owed once it is paid, and can be revived", async () => {
      await store.run(() =>
        reviveAttempt("att_1", { json: "{}", sha256: "payload-att_1", usedBlock: null }, OTHER, LATER),
      )
      expect(await claiming("att_1")).toMatchObject({ state: "LIVE" })
      await store.run(() => noteUsed("att_1", 9))
      expect(await claiming("att_1")).toMatchObject({ state: "LIVE" })
      const end = { from: "RESERVED", to: "FAILED", at: LATER, reason: "x", watched: true, usedBlock: 9 } as const
      await store.run(() => endAttempt("att_1", OTHER.owner, end))
      expect(await claiming()).toMatchObject({ state: "OWED" })
      expect(await store.run(() => owePaidAttempt({ id: "att_1", state: "FAILED" }, TRANSFER, LATER))).toBe(true)
      expect(await claiming()).toMatchObject({ state: "OWED" })
      await store.run(() => noteUnused("att_1", 10))
      expect(await claiming()).toMatchObject({ state: "OWED" })
    })
  })

  test("that was revived in the meantime is not owed: its worker finds the transfer", async () => {
    await release()
    await store.run(() =>
      reviveAttempt("att_1", { json: "{}", sha256: "payload-att_1", usedBlock: null }, OTHER, LATER),
    )
    expect(await store.run(() => owePaidAttempt({ id: "att_1", state: "RELEASED" }, TRANSFER, LATER))).toBe(false)
    expect(await ids(owedAttempts)).toEqual([])
  })
})

describe("a settled attempt", () => {
  const settled = { id: "att_1", settledBlockHash: TRANSFER.blockHash }
  const moved = { tx: "0xcc", logIndex: 2, block: "9", blockHash: "0xdd" }
  const elsewhere = { id: "att_1", settledBlockHash: moved.blockHash }
  beforeEach(() =>
    store.run(() =>
      settleAttempt("att_1", LEASE.owner, {
        from: "RESERVED",
        at: AT,
        transfer: { ...TRANSFER, finality: "INCLUDED" },
      }),
    ),
  )

  test("is watched until its block is safe, and then its signature is erased", async () => {
    expect(await ids(duePolls)).toEqual(["att_1"])
    expect(await store.run(() => concludeSettlement(settled, "SAFE", LATER))).toBe(true)
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({ finality: "SAFE", payloadJson: null })
    expect(await ids(duePolls)).toEqual([])
    expect(await store.run(() => concludeSettlement(settled, "UNPAID_AFTER_REORG", LATER))).toBe(false)
  })

  test("accepts another block and transaction only until it is safe", async () => {
    expect(await store.run(() => noteReinclusion(settled, moved, LATER))).toBe(true)
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({ settledTx: "0xcc", settledBlockHash: "0xdd" })
    await store.run(() => concludeSettlement(elsewhere, "SAFE", LATER))
    expect(await store.run(() => noteReinclusion(elsewhere, TRANSFER, LATER))).toBe(false)
  })

  test("does not follow a poll that knew another block than its own", async () => {
    await store.run(() => noteReinclusion(settled, moved, LATER))
    for (const finality of ["SAFE", "UNPAID_AFTER_REORG"] as const) {
      expect(await store.run(() => concludeSettlement(settled, finality, LATER))).toBe(false)
    }
    const third = { ...moved, blockHash: "0xee" }
    expect(await store.run(() => noteReinclusion(settled, third, LATER))).toBe(false)
    expect(await store.run(() => findAttempt("att_1"))).toMatchObject({
      settledBlockHash: "0xdd",
      finality: "INCLUDED",
    })
    expect(await store.run(() => concludeSettlement(elsewhere, "SAFE", LATER))).toBe(true)
  })
})

test("the value of running attempts is summed per payer, asset and chain", async () => {
  await store.run(() => reserved("2"))
  await store.run(() => reserved("3", {}, { payer: "other" }))
  await store.run(() => reserved("4", {}, { chainId: 84532 }))
  const sum = () => store.run(() => unsettledValue({ chainId: 8453, asset: "usdc", payer: "payer" }))
  expect(await sum()).toBe(1_580_000n)
  await release()
  expect(await sum()).toBe(790_000n)
})
