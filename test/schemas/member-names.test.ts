/** One member name has the same type in every response of the service. */
import { expect, test } from "bun:test"
import { OPERATIONS } from "../fixtures/operations.ts"

type Schema = { readonly [keyword: string]: unknown }

function* membersOf(schema: Schema): Generator<[name: string, schema: Schema]> {
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword === "properties") {
      for (const [name, member] of Object.entries(inner as Record<string, Schema>)) {
        yield [name, member]
        yield* membersOf(member)
      }
    } else if (Array.isArray(inner)) {
      for (const one of inner) if (typeof one === "object" && one !== null) yield* membersOf(one as Schema)
    } else if (typeof inner === "object" && inner !== null) yield* membersOf(inner as Schema)
  }
}

test("limitations are tokens in every response", () => {
  const answers = OPERATIONS.flatMap(({ responses }) => Object.values(responses).flatMap(({ schema }) => schema ?? []))
  const printed = answers.map((schema) => JSON.parse(JSON.stringify(schema)) as Schema)
  const limitations = printed.flatMap((schema) => [...membersOf(schema)].filter(([name]) => name === "limitations"))
  expect(limitations.length).toBeGreaterThan(20)
  for (const [, { type, items }] of limitations) {
    expect(type).toBe("array")
    const { type: itemType, anyOf } = items as Schema
    const types = Array.isArray(anyOf) ? anyOf.map((one) => (one as Schema)["type"]) : [itemType]
    expect([...new Set(types)]).toEqual(["string"])
  }
})
