import { afterAll, beforeAll, expect, test } from "bun:test"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { countFailedPayment, failedPayments } from "../../../src/store/payments/failed-payments.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"

const AT = Date.UTC(2026, 10, 29)
let own: TestStore
let other: Store
beforeAll(async () => {
  own = await newStore()
  other = await own.another()
})
afterAll(() => own[Symbol.asyncDispose]())

const fail = (client: string, at: number, store: Store = own.store) => store.run(() => countFailedPayment(client, at))
const failures = (client: string, at: number, store: Store = own.store) => store.read(() => failedPayments(client, at))

test("failures at two processes count together, by client, until a minute after the first one", async () => {
  await fail("192.0.2.1", AT)
  await fail("192.0.2.1", AT + 20 * SECOND, other)
  await fail("192.0.2.2", AT + 20 * SECOND, other)
  for (const store of [own.store, other]) {
    expect(await failures("192.0.2.1", AT + 59 * SECOND, store)).toEqual({ count: 2, endsAt: AT + MINUTE })
    expect(await failures("192.0.2.2", AT + 59 * SECOND, store)).toEqual({ count: 1, endsAt: AT + 80 * SECOND })
    expect(await failures("192.0.2.3", AT, store)).toBeNull()
    expect(await failures("192.0.2.1", AT + MINUTE, store)).toBeNull()
  }
  await fail("192.0.2.1", AT + MINUTE)
  expect(await failures("192.0.2.1", AT + MINUTE)).toEqual({ count: 1, endsAt: AT + 2 * MINUTE })
})

test("a clock that is two seconds behind counts too, and names no more than a minute", async () => {
  await fail("192.0.2.4", AT)
  expect(await failures("192.0.2.4", AT - 2 * SECOND, other)).toEqual({ count: 1, endsAt: AT + 58 * SECOND })
  await fail("192.0.2.4", AT - 2 * SECOND, other)
  expect((await failures("192.0.2.4", AT))?.count).toBe(2)
})

test("a window that a wrong clock opened an hour ahead limits nobody, and the next failure opens another one", async () => {
  await fail("192.0.2.5", AT + HOUR)
  expect(await failures("192.0.2.5", AT)).toBeNull()
  await fail("192.0.2.5", AT)
  expect(await failures("192.0.2.5", AT)).toEqual({ count: 1, endsAt: AT + MINUTE })
})

test("twenty failures side by side are twenty, and the rows go after a day", async () => {
  const stores = [own.store, other]
  await Promise.all(Array.from({ length: 20 }, (_, at) => fail("192.0.2.6", AT, stores[at % 2])))
  expect((await failures("192.0.2.6", AT))?.count).toBe(20)
  await purgeExpired({ store: own.store, now: () => AT + DAY + 2 * HOUR })
  expect(await own.count("shared_use")).toBe(0)
})
