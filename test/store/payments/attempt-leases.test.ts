import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { dropLease, renewLease, takeAbandoned } from "../../../src/store/payments/attempt-leases.ts"
import { endAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { withWrongClock } from "../../fixtures/wrong-clock.ts"
import { AT, LATER, LEASE, OTHER, RELEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  await store.run(() => reserved("1"))
})
afterEach(() => store.close())

describe("a lease", () => {
  test("keeps an attempt from others until it expires; then exactly one worker takes it", async () => {
    expect(await store.run(() => takeAbandoned(OTHER, AT))).toEqual([])
    expect(await store.run(() => takeAbandoned(OTHER, LEASE.until))).toEqual([])
    const takers = await Promise.all(
      ["b", "c"].map((owner) => store.run(() => takeAbandoned({ owner, until: OTHER.until }, LATER))),
    )
    expect(takers.map((taken) => taken.length).sort()).toEqual([0, 1])
  })

  test("is renewed only by its owner, and never after another worker took it", async () => {
    const until = "2026-11-21T10:02:30.000Z"
    expect(await store.run(() => renewLease("att_1", { owner: OTHER.owner, until }))).toBe(false)
    expect(await store.run(() => renewLease("att_1", { owner: LEASE.owner, until }))).toBe(true)
    expect(await store.run(() => takeAbandoned(OTHER, LATER))).toEqual([])
    await store.write("UPDATE payment_attempt SET lease_until = '2026-01-01T00:00:00.000Z'")
    expect(await store.run(() => takeAbandoned(OTHER, LATER))).toHaveLength(1)
    expect(await store.run(() => renewLease("att_1", { owner: LEASE.owner, until }))).toBe(false)
  })

  test.each([
    ["a day ahead, under a clock that ran ahead", "2026-11-22T10:01:00.000Z", 1],
    ["an hour ahead, before the clock was set back", "2026-11-21T11:01:00.000Z", 1],
    ["two lease lengths ahead", "2026-11-21T10:03:00.000Z", 0],
    ["one lease length ahead", "2026-11-21T10:02:00.000Z", 0],
  ])("that ends %s keeps others away for at most two lease lengths", async (_, until, taken) => {
    await store.write("UPDATE payment_attempt SET lease_owner = 'worker-a', lease_until = ?1", until)
    expect(await store.run(() => takeAbandoned(OTHER, LATER))).toHaveLength(taken)
  })

  test("that its owner releases early is free at once; another worker cannot release it", async () => {
    await store.run(() => dropLease("att_1", OTHER.owner))
    expect(await store.run(() => takeAbandoned(OTHER, AT))).toEqual([])
    await store.run(() => dropLease("att_1", LEASE.owner))
    expect(await store.run(() => takeAbandoned(OTHER, AT))).toMatchObject([{ leaseOwner: OTHER.owner }])
  })

  test("that has ended is not taken by a process whose clock is off; it takes what nobody holds, and what it held itself", async () => {
    await store.run(() => reserved("2"))
    await store.run(() => reserved("3"))
    await store.run(() => dropLease("att_2", LEASE.owner))
    await store.write("UPDATE payment_attempt SET lease_owner = ?1 WHERE id = 'att_3'", OTHER.owner)
    const ids = (taken: readonly { readonly id: string }[]) => taken.map(({ id }) => id).toSorted()
    expect(ids(await store.run(() => withWrongClock(takeAbandoned(OTHER, LATER))))).toEqual(["att_2", "att_3"])
    const ahead = "2026-11-22T10:01:00.000Z"
    await store.write("UPDATE payment_attempt SET lease_until = ?1 WHERE id = 'att_1'", ahead)
    expect(await store.run(() => withWrongClock(takeAbandoned(OTHER, LATER)))).toEqual([])
    expect(ids(await store.run(() => takeAbandoned(OTHER, LATER)))).toEqual(["att_1"])
  })

  test("of an ended attempt is never taken", async () => {
    await store.run(() => endAttempt("att_1", LEASE.owner, RELEASE))
    expect(await store.run(() => takeAbandoned(OTHER, LATER))).toEqual([])
  })

  test("is taken for at most sixty-four attempts in one round, the oldest first", async () => {
    for (let i = 2; i <= 70; i++) {
      const createdAt = `2026-11-21T10:00:00.${String(i).padStart(3, "0")}Z`
      await store.run(() => reserved(String(i), {}, { createdAt }))
    }
    const taken = await store.run(() => takeAbandoned(OTHER, LATER))
    expect(taken).toHaveLength(64)
    expect(taken[0]?.id).toBe("att_1")
    expect(await store.run(() => takeAbandoned({ owner: "worker-c", until: OTHER.until }, LATER))).toHaveLength(6)
  })

  test("that was released waits behind all others, so that every attempt gets its turn", async () => {
    for (let i = 2; i <= 70; i++) await store.run(() => reserved(String(i)))
    const first = await store.run(() => takeAbandoned(OTHER, LATER))
    for (const { id } of first) await store.run(() => dropLease(id, OTHER.owner))
    const second = await store.run(() => takeAbandoned(OTHER, LATER))
    const ids = (taken: typeof first) => taken.map(({ id }) => id)
    expect(second).toHaveLength(64)
    expect(second.filter(({ id }) => !ids(first).includes(id))).toHaveLength(6)
    expect(ids(second).slice(0, 6)).toEqual(ids(second).filter((id) => !ids(first).includes(id)))
  })

  test("that expired is taken in order with the attempts that nobody has", async () => {
    await store.run(() => reserved("2"))
    await store.run(() => renewLease("att_2", { owner: LEASE.owner, until: "2026-11-21T10:00:20.000Z" }))
    await store.run(() => dropLease("att_1", LEASE.owner))
    expect((await store.run(() => takeAbandoned(OTHER, LATER))).map(({ id }) => id)).toEqual(["att_2", "att_1"])
  })
})
