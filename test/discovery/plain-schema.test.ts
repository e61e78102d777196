/** Schemas as JSON Schema 2020-12. */
import { describe, expect } from "bun:test"
import { Type } from "@sinclair/typebox"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { closed, enumeration } from "../../schemas/common.ts"
import { eachPart, type JsonObject, jsonOf, mapParts, plainSchema } from "../../src/discovery/plain-schema.ts"
import { OPERATIONS } from "../fixtures/operations.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const ajv = () => {
  const checker = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, strictRequired: false })
  addFormats(checker)
  return checker
}

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

test("the parts of a schema are visited in the order in which they are printed", () => {
  const seen = new Set<JsonObject>()
  const compare = (schema: JsonObject): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    const visited: [JsonObject, string | undefined][] = []
    const printed: [JsonObject, string | undefined][] = []
    eachPart(schema, (part, member) => visited.push([part, member]))
    mapParts(schema, (part, member) => {
      printed.push([part, member])
      return null
    })
    expect(visited).toEqual(printed)
    eachPart(schema, compare)
  }
  const tuple = Type.Tuple([Type.Literal("A"), Type.Array(Type.String())])
  for (const schema of [...published, tuple]) compare(jsonOf(schema))
  expect(seen.size).toBeGreaterThan(500)
})
