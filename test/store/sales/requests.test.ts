import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { delegationUse } from "../../../src/store/buyers/delegation-use.ts"
import { endAttempt, reviveAttempt, settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import {
  claimRequest,
  countAgainst,
  findEntitlement,
  findRequest,
  findRequestRecord,
  forgetRequest,
  moveRequest,
  recordEntitlement,
} from "../../../src/store/sales/requests.ts"
import { AT, LEASE, newRequest, RELEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const DAY_START = "2026-11-21T00:00:00.000Z"
const use = (id: string, since = DAY_START) => store.run(() => delegationUse(id, since))
const requestRecord = (key: string) => store.run(() => findRequestRecord("p", "org\nagent\nkey", key))

describe("claiming a request", () => {
  test("gives the same id for the same key and body, null for another body, and a new id for another owner's key", async () => {
    const claim = (id: string, changes = {}) => store.run(() => claimRequest(newRequest(id, changes)))
    expect(await claim("a")).toBe("a")
    expect(await claim("b", { idempotencyKey: "key-a", requestDigest: "request-a", bodyDigest: "body-a" })).toBe("a")
    expect(await claim("c", { idempotencyKey: "key-a", requestDigest: "r", bodyDigest: "other" })).toBeNull()
    expect(await claim("d", { idempotencyKey: "key-a", scope: "other" })).toBe("d")
  })

  test("one signed request under two keys of one owner is refused", async () => {
    await store.run(() => claimRequest(newRequest("a")))
    expect(await store.run(() => claimRequest(newRequest("b", { requestDigest: "request-a" })))).toBeNull()
  })
})

describe("forgetting a request", () => {
  test("frees its key if nobody tried to pay for it, and changes no other request", async () => {
    await store.run(() => claimRequest(newRequest("a")))
    await store.run(() => reserved("b"))
    await store.run(function* () {
      yield* forgetRequest("a")
      yield* forgetRequest("drq_b")
    })
    expect(await requestRecord("key-a")).toBeNull()
    expect((await requestRecord("key-drq_b"))?.id).toBe("drq_b")
  })
})

describe("the use of a delegation", () => {
  test("counts running and settled requests, for the agent and for the mandate signer, but not released ones", async () => {
    await store.run(() => reserved("1", { delegationId: "d" }))
    await store.run(() => reserved("2", { mandateDelegationId: "d", amountMillionths: "500000" }))
    await store.run(() => reserved("3", { delegationId: "other" }))
    expect(await use("d")).toEqual({ totalMillionths: 1_500_000n, requestsToday: 2 })
    const transfer = { tx: "0x1", logIndex: 0, block: "1", blockHash: "0x2", finality: "SAFE" } as const
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    await store.run(() => endAttempt("att_2", LEASE.owner, RELEASE))
    expect(await use("d")).toEqual({ totalMillionths: 1_000_000n, requestsToday: 1 })
  })

  test("counts a request on the day of its payment, not on the day of its first attempt", async () => {
    await store.run(() => reserved("1", { delegationId: "d", createdAt: "2026-11-20T23:59:00.000Z" }))
    expect((await use("d")).requestsToday).toBe(1)
    expect((await use("d", "2026-11-22T00:00:00.000Z")).requestsToday).toBe(0)
  })

  test("counts a request for the second delegation after it was released and tried again under that one", async () => {
    await store.run(() => reserved("1", { delegationId: "old" }))
    await store.run(() => endAttempt("att_1", LEASE.owner, RELEASE))
    await store.run(() => countAgainst("drq_1", { delegationId: "new", mandateDelegationId: null }))
    const payload = { json: "{}", sha256: "payload-att_1", usedBlock: null }
    expect(await store.run(() => reviveAttempt("att_1", payload, LEASE, AT))).toMatchObject({ state: "RESERVED" })
    expect([(await use("old")).requestsToday, (await use("new")).requestsToday]).toEqual([0, 1])
  })
})

describe("the record of an idempotency key", () => {
  test("shows the live purchase or an owed one, and never an ended one", async () => {
    await store.run(() => reserved("1"))
    expect((await requestRecord("key-drq_1"))?.purchase).toEqual({ id: "att_1", rail: "x402", state: "LIVE" })
    await store.run(() =>
      endAttempt("att_1", LEASE.owner, {
        from: "RESERVED",
        to: "FAILED",
        at: AT,
        reason: "x",
        watched: true,
        usedBlock: null,
      }),
    )
    expect((await requestRecord("key-drq_1"))?.purchase).toBeNull()
    await store.write("UPDATE purchase SET state = 'OWED'")
    expect((await requestRecord("key-drq_1"))?.purchase).toEqual({ id: "att_1", rail: "x402", state: "OWED" })
    expect(await requestRecord("nobody's key")).toBeNull()
  })
})

test("a delivered request stays delivered", async () => {
  await store.run(() => claimRequest(newRequest("a")))
  for (const state of ["COMPUTED", "NEW", "DELIVERED"] as const) {
    await store.run(() => moveRequest("a", state, AT))
    expect(await store.run(() => findRequest("a"))).toMatchObject({ state })
  }
  for (const state of ["NEW", "COMPUTED"] as const) {
    await store.run(() => moveRequest("a", state, "2030-01-01T00:00:00.000Z"))
    expect(await store.run(() => findRequest("a"))).toMatchObject({ state: "DELIVERED", updatedAt: AT })
  }
})

test("a signed request is sold once over all rails; a repeated sale to the same request is not a second sale", async () => {
  for (const id of ["a", "b"]) await store.run(() => claimRequest(newRequest(id)))
  const sell = (rail: "x402" | "acp", requestId: string) =>
    store.run(() => recordEntitlement("digest", rail, requestId, AT))
  expect([await sell("x402", "a"), await sell("x402", "a"), await sell("acp", "b")]).toEqual([true, true, false])
  expect(await store.run(() => findEntitlement("digest"))).toEqual({ requestId: "a", rail: "x402" })
})
