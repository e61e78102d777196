import { expect, test } from "bun:test"
import { type TSchema, Type } from "@sinclair/typebox"
import { closed } from "../../schemas/common.ts"
import { requiredInputs } from "../../src/discovery/required-inputs.ts"
import { compile } from "../../src/http/read-body.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { BASE } from "../fixtures/discovery-parts.ts"

const Text = Type.String()

test("an optional member and its members are not required; an array and an object without required members are leaves", () => {
  const body = closed({
    list: Type.Array(closed({ inside: Text })),
    free: Type.Record(Text, Text),
    outer: closed({ inner: Text, later: Type.Optional(Text) }),
    maybe: Type.Optional(closed({ inside: Text })),
  })
  expect(requiredInputs(body)).toEqual(["/list", "/free", "/outer/inner"])
})

test("a member that may be null is a leaf; of alternatives only what all have is required", () => {
  const body = closed({
    nothing: Type.Union([closed({ inside: Text }), Type.Null()]),
    either: Type.Union([closed({ kind: Type.Literal("A"), a: Text }), closed({ kind: Type.Literal("B"), b: Text })]),
  })
  expect(requiredInputs(body)).toEqual(["/nothing", "/either/kind"])
})

test("constant members choose the alternative, and a name in a pointer is escaped", () => {
  const body = Type.Union([
    closed({ kind: Type.Literal("A"), "a/b~c": Text }),
    closed({ kind: Type.Literal("B"), b: Text }),
  ])
  expect(requiredInputs(body)).toEqual(["/kind"])
  expect(requiredInputs(body, { kind: "A" })).toEqual(["/kind", "/a~1b~0c"])
})

test("an operation without a body and a body without required members require nothing", () => {
  expect(requiredInputs(undefined)).toEqual([])
  expect(requiredInputs(Type.Partial(closed({ a: Text })))).toEqual([])
})

test("the example of each product has every required input, and without any one of them its schema rejects it", () => {
  let judged = 0
  for (const { product, request, example } of requestDocuments(BASE)) {
    const check = compile(request)
    const pointers = requiredInputs(request as TSchema)
    expect(pointers, product).toContain("/idempotency_key")
    judged += pointers.length
    for (const pointer of pointers) {
      const body = structuredClone(example()) as Record<string, unknown>
      expect(check.Check(body), product).toBe(true)
      removeAt(body, pointer)
      expect(check.Check(body), `${product} without ${pointer}`).toBe(false)
    }
  }
  expect(judged).toBeGreaterThan(90)
})

/** Throws if the body has no such member. */
function removeAt(body: Record<string, unknown>, pointer: string): void {
  const names = pointer.slice(1).split("/")
  const last = names.pop() ?? ""
  let at = body
  for (const name of names) at = at[name] as Record<string, unknown>
  if (!(last in at)) throw new Error(`the example has no ${pointer}`)
  delete at[last]
}
