import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  dropHolds,
  dropStrayHolds,
  type Hold,
  holdConflict,
  spendHolds,
  takeHolds,
} from "../../../src/store/sales/holds.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { AT, newRequest, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  for (const id of ["drq_1", "drq_2"]) await store.run(() => claimRequest(newRequest(id)))
})
afterEach(() => store.close())

const MANDATE: Hold = { kind: "MANDATE_ID", value: "m" }
const NONCE: Hold = { kind: "MANDATE_NONCE", value: "n" }
const OBLIGATION: Hold = { kind: "OBLIGATION", value: "o" }
const ALL = [MANDATE, NONCE, OBLIGATION]
const take = (requestId: string, holds = ALL, organizationId = "org") =>
  store.run(() => takeHolds(organizationId, requestId, holds))

describe("holds", () => {
  test("belong to one request of an organization; the same request may take them again", async () => {
    expect(await take("drq_1")).toBeNull()
    expect(await take("drq_1")).toBeNull()
    expect(await take("drq_2", [OBLIGATION])).toEqual({ kind: "OBLIGATION", spent: false })
    expect(await take("drq_2", ALL, "another organization")).toBeNull()
  })

  test("are taken all together or not at all", async () => {
    await take("drq_1", [NONCE])
    expect(await take("drq_2", ALL)).toEqual({ kind: "MANDATE_NONCE", spent: false })
    expect(await store.run(() => holdConflict("org", MANDATE, "drq_1"))).toBeNull()
  })

  test("are free again after they are dropped, unless they were spent", async () => {
    await take("drq_1")
    await store.run(() => dropHolds("drq_1"))
    expect(await take("drq_2")).toBeNull()
    await store.run(() => spendHolds("drq_2"))
    await store.run(() => dropHolds("drq_2"))
    expect(await take("drq_1", [MANDATE])).toEqual({ kind: "MANDATE_ID", spent: true })
    expect(await take("drq_1", [NONCE])).toEqual({ kind: "MANDATE_NONCE", spent: true })
    expect(await take("drq_1", [OBLIGATION])).toBeNull()
  })
})

describe("stray holds", () => {
  const LATER = "2099-01-01T00:00:00.000Z"

  test("of a request without an attempt are released after a while, not before", async () => {
    await take("drq_1")
    await store.run(() => dropStrayHolds(AT))
    expect(await take("drq_2")).not.toBeNull()
    await store.run(() => dropStrayHolds(LATER))
    expect(await take("drq_2")).toBeNull()
  })

  test("do not include holds of a running attempt or spent holds", async () => {
    await store.run(() => reserved("running"))
    await take("drq_running", [OBLIGATION])
    await take("drq_1", [MANDATE])
    await store.run(() => spendHolds("drq_1"))
    await store.run(() => dropStrayHolds(LATER))
    expect(await take("drq_2", [OBLIGATION])).toEqual({ kind: "OBLIGATION", spent: false })
    expect(await take("drq_2", [MANDATE])).toEqual({ kind: "MANDATE_ID", spent: true })
  })
})
