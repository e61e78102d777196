import { expect, test } from "bun:test"
import { MemberOrders, REMEMBERED_NAMES_MAX } from "../../../src/core/text/member-order.ts"

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 0]))

test("an order is remembered by the order of the members, and each order gives the same names", () => {
  const orders = new MemberOrders()
  const first = orders.of(named("b", "a", "c"))
  expect(first).toEqual({ names: ["a", "b", "c"], isKept: true })
  expect(orders.of(named("b", "a", "c"))).toBe(first)
  expect(orders.of(named("a", "b", "c"))).toEqual(first)
  expect(orders.of(named("b", "a"))).toEqual({ names: ["a", "b"], isKept: true })
  expect(orders.of({})).toEqual({ names: [], isKept: true })
})

test("names that an object lists in an order of its own are marked", () => {
  const orders = new MemberOrders()
  expect(orders.of(named("10", "9", "a"))).toEqual({ names: ["10", "9", "a"], isKept: false })
  expect(orders.of(JSON.parse('{"__proto__":1,"a":2}'))).toEqual({ names: ["__proto__", "a"], isKept: false })
  expect(orders.of(named("10a", "a1")).isKept).toBe(true)
})

test("all are forgotten above the maximum, and orders stay right", () => {
  const orders = new MemberOrders()
  const known = orders.of(named("b", "a"))
  for (let n = 0; orders.size < REMEMBERED_NAMES_MAX; n++) orders.of(named(`n${n}`))
  expect(orders.of(named("b", "a"))).toBe(known)
  expect(orders.of(named("z", "y")).names).toEqual(["y", "z"])
  expect(orders.size).toBeLessThan(5)
  const again = orders.of(named("b", "a"))
  expect(again).not.toBe(known)
  expect(again).toEqual(known)
})

test("an object of many members is sorted and not remembered", () => {
  const orders = new MemberOrders()
  const names = Array.from({ length: 33 }, (_, n) => `m${99 - n}`)
  const { size } = orders
  expect(orders.of(named(...names)).names).toEqual([...names].sort())
  const after = orders.size
  orders.of(named(...names))
  expect(orders.size).toBe(after)
  expect(after - size).toBe(32)
})
