import { expect, test } from "bun:test"
import { answerTo, OrderNeeded } from "../../../src/store/engine/order.ts"
import { holdsOrder, inOrder, type Store, type Unit } from "../../../src/store/engine/unit.ts"
import { has, put } from "../nonce-rows.ts"
import { bench } from "../store-bench.ts"

function* ordered(nonce: string): Unit<string> {
  yield* inOrder("log")
  return yield* put(nonce)
}

test(
  "a unit that writes holds every order",
  bench(async ({ store: opened, onDisk }) => {
    const store: Store = opened
    expect(await store.run(() => holdsOrder("log"))).toBe(true)
    expect(await store.run(() => ordered("a"))).toBe("a")
    // The hint changes nothing.
    expect(await store.run(() => ordered("b"), "log")).toBe("b")
    expect(await store.runInPlace(() => ordered("c"), "log")).toBe("c")
    expect(onDisk()).toEqual(["a", "b", "c"])
  }),
)

test(
  "a unit that only reads holds no order and may not ask for one",
  bench(async ({ store }) => {
    for (const asks of [(): Unit<unknown> => inOrder("log"), () => holdsOrder("log")]) {
      await expect(store.read(asks)).rejects.toThrow(new TypeError("a read unit holds no order"))
      await expect(store.readTogether(asks)).rejects.toThrow(new TypeError("a read unit holds no order"))
    }
    expect(await store.read(() => has("a"))).toBe(false)
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
