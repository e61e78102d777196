/** Schemas as JSON Schema 2020-12: alone, and with shared parts under names. */
import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { closed, enumeration } from "../../schemas/common.ts"
import { plainSchema } from "../../src/discovery/plain-schema.ts"
import { SchemaComponents } from "../../src/discovery/schema-printer.ts"
import { OPERATIONS } from "../fixtures/operations.ts"

const ajv = () => {
  const checker = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, strictRequired: false })
  addFormats(checker)
  return checker
}

const address = closed({
  street: Type.String({ minLength: 1, maxLength: 120, description: "Street and number" }),
  town: Type.String({ minLength: 1, maxLength: 120 }),
})
const otherAddress = closed({ ...address.properties, country: Type.String({ pattern: "^[A-Z]{2}$" }) })

describe("one schema alone", () => {
  test("has no symbol and no $id, also not in a part", () => {
    const schema = closed({ part: closed({ a: Type.Integer() }, { $id: "Part" }) }, { $id: "Whole" })
    expect(plainSchema(schema)).toEqual({
      type: "object",
      additionalProperties: false,
      required: ["part"],
      properties: {
        part: { type: "object", additionalProperties: false, required: ["a"], properties: { a: { type: "integer" } } },
      },
    })
  })

  test("prints a tuple as prefixItems without further items", () => {
    const schema = plainSchema(Type.Tuple([Type.Literal("A"), Type.Integer()]))
    expect(schema).toMatchObject({ type: "array", prefixItems: [{ const: "A" }, { type: "integer" }], items: false })
    const check = ajv().compile(schema)
    expect([["A", 1], ["A"], ["A", 1, 2], ["B", 1]].map((value) => check(value))).toEqual([true, false, false, false])
  })

  test("prints a union of texts as an enum and keeps every other union", () => {
    expect(plainSchema(enumeration("A", "B"))).toEqual({ type: "string", enum: ["A", "B"] })
    expect(plainSchema(Type.Union([Type.Literal("A"), Type.Null()]))).toMatchObject({
      anyOf: [{ const: "A", type: "string" }, { type: "null" }],
    })
    const described = Type.Union([Type.Literal("A"), Type.Literal("B", { description: "the second" })])
    expect(plainSchema(described)).toHaveProperty("anyOf")
  })

  test("keeps a member that is named like a keyword", () => {
    const schema = closed({ items: Type.Array(Type.String()), $id: Type.String(), anyOf: Type.Boolean() })
    expect(Object.keys(plainSchema(schema)["properties"] ?? {})).toEqual(["items", "$id", "anyOf"])
  })
})

describe("schemas that share parts", () => {
  const printed = (...schemas: ReturnType<typeof closed>[]) => {
    const parts = new SchemaComponents()
    for (const [i, schema] of schemas.entries()) parts.add(schema, `get_thing_${i}`)
    return { schemas: schemas.map((schema) => parts.print(schema)), components: parts.components() }
  }

  test("name a part with an $id, also if it stands once", () => {
    const { schemas, components } = printed(closed({ a: closed({ b: Type.Integer() }, { $id: "Inner" }) }))
    expect(schemas[0]).toHaveProperty("properties.a.$ref", "#/components/schemas/Inner")
    expect(Object.keys(components)).toEqual(["Inner"])
  })

  test("name a long part after its member if it stands twice, and leave it in place if it stands once", () => {
    expect(Object.keys(printed(closed({ address })).components)).toEqual([])
    const { schemas, components } = printed(closed({ address }), closed({ home_address: address }))
    expect(Object.keys(components)).toEqual(["Address"])
    expect(schemas[1]).toHaveProperty("properties.home_address.$ref", "#/components/schemas/Address")
  })

  test("name two different parts of the same member after their owners too", () => {
    const one = closed({ address, again: address })
    const { components } = printed(one, closed({ address: otherAddress, again: otherAddress }))
    expect(Object.keys(components)).toEqual(["GetThing0Address", "GetThing1Address"])
  })

  test("count a part once for each place that remains, not for each use of the part around it", () => {
    const around = closed({ address })
    const { components } = printed(closed({ around }), closed({ around, more: Type.Boolean() }))
    expect(Object.keys(components)).toEqual(["Around"])
  })

  test("refuse two different schemas with one $id", () => {
    const one = closed({ a: Type.Integer() }, { $id: "Same" })
    const two = closed({ a: Type.String() }, { $id: "Same" })
    expect(() => printed(one, two)).toThrow("two different schemas have the name Same")
  })

  test("use a known name for a short part", () => {
    const country = Type.String({ pattern: "^[A-Z]{2}$" })
    const parts = new SchemaComponents({ Country: country })
    const schema = closed({ country })
    parts.add(schema, "place")
    expect(parts.print(schema)).toHaveProperty("properties.country.$ref", "#/components/schemas/Country")
    expect(parts.components()).toEqual({ Country: { type: "string", pattern: "^[A-Z]{2}$" } })
  })
})

test("every schema of the operation table is a schema of 2020-12", () => {
  const checker = ajv()
  let checked = 0
  for (const { body, responses } of OPERATIONS) {
    for (const schema of [body, ...Object.values(responses).map((response) => response.schema)]) {
      if (schema === undefined) continue
      expect([checker.validateSchema(plainSchema(schema)), checker.errors]).toEqual([true, null])
      checked++
    }
  }
  expect(checked).toBeGreaterThan(100)
})
