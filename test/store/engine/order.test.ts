import { expect, test } from "bun:test"
import { answerTo, OrderNeeded } from "../../../src/store/engine/order.ts"
import { holdsOrder } from "../../../src/store/engine/unit.ts"
import { bench } from "../store-bench.ts"

test(
  "on SQLite a unit that writes holds every order without asking for it",
  bench(async ({ store }) => {
    expect(await store.run(() => holdsOrder("log"))).toBe(true)
  }),
)

test("an engine answers whether the unit holds the order, and names the order that it lacks", () => {
  const question = { order: "log", isNeeded: false } as const
  const need = { order: "log", isNeeded: true } as const
  expect(answerTo(question, () => true)).toEqual([true])
  expect(answerTo(question, () => false)).toEqual([false])
  expect(answerTo(need, () => true)).toEqual([true])
  expect(() => answerTo(need, () => false)).toThrow(new OrderNeeded("log"))
})
