import { expect, test } from "bun:test"
import { realMachine } from "../../src/base/machine.ts"
import { RequestIds, traceIdOf } from "../../src/http/request-ids.ts"

test("ids have the form of rulings 5, and many drawn ids all differ", () => {
  const ids = new RequestIds(realMachine)
  const made = Array.from({ length: 2000 }, () => ids.next())
  expect(made.filter((id) => !/^req_[A-Za-z0-9_-]{22}$/.test(id))).toEqual([])
  expect(new Set(made).size).toBe(2000)
})

test("each id has its own 132 random bits, and no id repeats", () => {
  let drawn = 0
  const machine = {
    ...realMachine,
    random: (byteLength: number) => {
      drawn += byteLength
      return realMachine.random(byteLength)
    },
  }
  const ids = new RequestIds(machine)
  for (let i = 0; i < 1024; i++) ids.next()
  expect(drawn * 8).toBe(1024 * 132)
})

test("a trace id is the caller's when its traceparent is valid, and a new one otherwise", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c"
  expect(traceIdOf(realMachine, `00-${trace}-b7ad6b7169203331-01`)).toBe(trace)
  for (const bad of [null, "", "junk", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, `00-${trace}-b7ad-01`]) {
    const given = traceIdOf(realMachine, bad)
    expect(given).toMatch(/^[0-9a-f]{32}$/)
    expect(given).not.toBe(trace)
  }
})
