import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { compiledAtFirstUse } from "../../src/core/compiled-at-first-use.ts"

test("a schema is compiled once, at the first use of its check", () => {
  let reads = 0
  const schema = new Proxy(Type.Object({ a: Type.Literal(1) }, { additionalProperties: false }), {
    get: (target, name) => {
      reads++
      return Reflect.get(target, name)
    },
  })
  const check = compiledAtFirstUse(schema)
  expect(reads).toBe(0)
  const first = check()
  expect(reads).toBeGreaterThan(0)
  expect(check()).toBe(first)
  expect([first.Check({ a: 1 }), first.Check({ a: 2 }), first.Check({ a: 1, b: 2 })]).toEqual([true, false, false])
})
