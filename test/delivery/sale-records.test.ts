import { afterEach, beforeEach, expect, test } from "bun:test"
import { instant } from "../../src/core/time.ts"
import { readSaleRecords } from "../../src/delivery/sale-records.ts"
import { grantRedelivery } from "../../src/store/sales/redeliveries.ts"
import { recordEntitlement } from "../../src/store/sales/requests.ts"
import { AT, LATER, newRequest, reserved } from "../store/money-rows.ts"
import { moneyStore } from "../store/money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const { scope } = newRequest("1")
const sale = { scope, key: "key-drq_1", requestDigest: "request-drq_1", subject: "s" }
const read = (changes: Partial<typeof sale> | { subject: null } = {}, at = AT) =>
  store.run(() => readSaleRecords("p", { ...sale, ...changes }, instant(at)))
const late = { requestId: "drq_1", scope, subject: "s", until: LATER }

test("a request that was never paid has no records", async () => {
  expect(await read()).toEqual({ requestRecord: null, soldTo: null, late: null })
})

test("one read returns the record under the key, the acquirer of the request and what is owed", async () => {
  await store.run(() => reserved("1"))
  await store.run(() => recordEntitlement("request-drq_1", "acp", "drq_1", AT))
  await store.run(() => grantRedelivery(late))
  expect(await read()).toMatchObject({ requestRecord: { id: "drq_1" }, soldTo: "drq_1", late: "drq_1" })
  expect(await read({ key: "another" })).toMatchObject({ requestRecord: null, soldTo: "drq_1" })
})

test("a late decision is owed only for its own subject and only until its time", async () => {
  await store.run(() => reserved("1"))
  await store.run(() => grantRedelivery(late))
  expect((await read({ subject: "another" })).late).toBeNull()
  expect((await read({ subject: null })).late).toBeNull()
  expect((await read({}, LATER)).late).toBeNull()
})
