/** Schemas as JSON Schema 2020-12: alone, and with shared parts under names. */
import { describe, expect } from "bun:test"
import { Type } from "@sinclair/typebox"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { closed, enumeration } from "../../schemas/common.ts"
import { eachPart, formOf, type JsonObject, jsonOf, mapParts, plainSchema } from "../../src/discovery/plain-schema.ts"
import { SchemaComponents } from "../../src/discovery/schema-printer.ts"
import { OPERATIONS } from "../fixtures/operations.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

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

/** Every schema of the operation table. */
const published = OPERATIONS.flatMap(({ body, responses }) => [
  ...(body ? [body] : []),
  ...Object.values(responses).flatMap(({ schema }) => (schema ? [schema] : [])),
])

test("every schema of the operation table is a schema of 2020-12", () => {
  const checker = ajv()
  for (const schema of published) {
    expect([checker.validateSchema(plainSchema(schema)), checker.errors]).toEqual([true, null])
  }
  expect(published.length).toBeGreaterThan(100)
})

describe("the form of a schema", () => {
  const objects = new Set<JsonObject>()
  const collect = (schema: JsonObject): void => {
    if (objects.has(schema)) return
    objects.add(schema)
    eachPart(schema, collect)
  }
  const tuple = Type.Tuple([Type.Literal("A"), address, Type.Array(otherAddress)])
  for (const schema of [...published, tuple]) collect(jsonOf(schema))
  const textOf = (schema: JsonObject) => JSON.stringify(plainSchema(schema as never))

  test("has the same number as another one exactly if both have one text, and the length of that text", () => {
    const texts = new Map<number, string>()
    for (const schema of objects) {
      const { number, characters } = formOf(schema)
      const text = textOf(schema)
      expect(texts.get(number) ?? text).toBe(text)
      texts.set(number, text)
      expect(characters).toBe(text.length)
    }
    expect(new Set(texts.values()).size).toBe(texts.size)
    expect(texts.size).toBeGreaterThan(500)
  })

  test("is visited in the order in which it is printed", () => {
    for (const schema of objects) {
      const visited: [JsonObject, string | undefined][] = []
      const printed: [JsonObject, string | undefined][] = []
      eachPart(schema, (part, member) => visited.push([part, member]))
      mapParts(schema, (part, member) => {
        printed.push([part, member])
        return null
      })
      expect(visited).toEqual(printed)
    }
  })
})
