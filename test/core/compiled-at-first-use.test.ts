import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import fc from "fast-check"
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

test("lists in which each element stands once get the verdict of TypeBox, at any place of a schema", () => {
  const words = Type.Array(Type.Union([Type.Literal("A"), Type.Literal("B"), Type.Literal("C")]), {
    minItems: 1,
    maxItems: 3,
    uniqueItems: true,
  })
  const objects = Type.Array(Type.Object({ n: Type.Integer() }, { additionalProperties: false }), { uniqueItems: true })
  const schema = Type.Object(
    { words, deep: Type.Optional(Type.Union([Type.Null(), Type.Array(objects)])) },
    { additionalProperties: false },
  )
  const [own, typebox] = [compiledAtFirstUse(schema)(), TypeCompiler.Compile(schema)]
  const list = fc.oneof(fc.array(fc.constantFrom("A", "B", "C", "D", 1, null), { maxLength: 4 }), fc.constant("A"))
  const deep = fc.oneof(
    fc.constant(null),
    fc.array(fc.array(fc.record({ n: fc.integer({ min: 0, max: 2 }) }), { maxLength: 3 }), { maxLength: 2 }),
  )
  let accepted = 0
  fc.assert(
    fc.property(fc.record({ words: list, deep }, { requiredKeys: ["words"] }), (value) => {
      expect([value, own.Check(value)]).toEqual([value, typebox.Check(value)])
      if (own.Check(value)) accepted++
    }),
    { numRuns: 1000 },
  )
  expect(accepted).toBeGreaterThan(20)
  // Other code explains faults from the published form.
  expect(JSON.stringify(own.Schema())).toBe(JSON.stringify(schema))
})
