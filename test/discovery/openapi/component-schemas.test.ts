/** Schemas with a name are components, and every other schema stands where it is used. */
import { describe, expect, test } from "bun:test"
import { type TSchema, Type } from "@sinclair/typebox"
import { RECEIVED_AS } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { closed, enumeration, PayloadDigest } from "../../../schemas/common.ts"
import { NEVER_REQUESTED } from "../../../schemas/hints.ts"
import { ComponentSchemas } from "../../../src/discovery/openapi/component-schemas.ts"

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const inner = closed({ a: Type.Integer() }, { $id: "Inner" })

function printed(reply: TSchema) {
  const schemas = new ComponentSchemas([])
  return { schema: schemas.reply(reply, "Reply"), components: schemas.components() }
}

describe("a name", () => {
  test("is that of the $id, and of the table for a part of many schemas, also where it is optional", () => {
    const { schema, components } = printed(closed({ inner, digest: Type.Optional(PayloadDigest) }))
    expect(schema).toMatchObject({ properties: { inner: reference("Inner"), digest: reference("PayloadDigest") } })
    expect(Object.keys(components)).toEqual(["Inner", "PayloadDigest"])
    expect(components["PayloadDigest"]).toMatchObject({ type: "string", pattern: "^sha256:[0-9a-f]{64}$" })
  })

  test("is in Pascal case, and that of an answer is no name that a generator gives the answer of an operation", () => {
    const answer = closed({ inner }, { $id: "get_thingResponse" })
    expect(printed(answer).schema).toEqual(reference("GetThingReply"))
  })

  test("of a body is given if it has none of its own", () => {
    const schemas = new ComponentSchemas([])
    expect(schemas.replyBody(closed({ a: Type.Integer() }), "ThingReply")).toEqual(reference("ThingReply"))
    expect(schemas.replyBody(inner, "Other")).toEqual(reference("Inner"))
    expect(Object.keys(schemas.components())).toEqual(["Inner", "ThingReply"])
  })

  test("belongs to one schema", () => {
    const other = closed({ a: Type.String() }, { $id: "Inner" })
    expect(() => printed(closed({ inner, other }))).toThrow("two different schemas have the name Inner")
  })
})

describe("a schema of a request", () => {
  const request = closed({ inner, own: closed({ b: Type.Integer() }) })

  test("is closed, and one of a reply open, but for a component that a request uses", () => {
    const alone = printed(request)
    expect(alone.schema).not.toHaveProperty("additionalProperties")
    expect(alone.schema).not.toHaveProperty("properties.own.additionalProperties")
    expect(alone.components["Inner"]).not.toHaveProperty("additionalProperties")
    const schemas = new ComponentSchemas([request])
    expect(schemas.reply(request, "Reply")).not.toHaveProperty("additionalProperties")
    expect(schemas.request(request, "Request")).toMatchObject({
      additionalProperties: false,
      properties: { own: { additionalProperties: false } },
    })
    expect(schemas.components()["Inner"]).toMatchObject({ additionalProperties: false })
  })

  test("has the reply's schema for a document that it passes on, which stays open", () => {
    const passing = closed({ document: { ...closed({ a: Type.Integer() }), [RECEIVED_AS]: inner } })
    const schemas = new ComponentSchemas([passing])
    expect(schemas.request(passing, "Request")).toMatchObject({ properties: { document: reference("Inner") } })
    expect(schemas.components()["Inner"]).not.toHaveProperty("additionalProperties")
  })

  test("does not show an alternative that is always rejected", () => {
    const rejected = Type.Object({ d: Type.Unknown() }, { [NEVER_REQUESTED]: true })
    const schemas = new ComponentSchemas([])
    expect(schemas.request(Type.Union([inner, rejected]), "Request")).toEqual(reference("Inner"))
  })
})

describe("one construct has one form", () => {
  const form = (schema: TSchema) => printed(schema).schema

  test("a constant text is a list of one", () => {
    expect(form(Type.Literal("A"))).toEqual({ type: "string", enum: ["A"] })
  })

  test("several texts are a component, whose name and whose names of values are unique by their place", () => {
    const list = Type.Union([enumeration("A", "to-do"), Type.Literal("C")])
    const { schema, components } = printed(
      closed({ a_state: list, orNull: Type.Union([enumeration("A", "B"), Type.Null()]), all: Type.Array(list) }),
    )
    expect(schema).toMatchObject({
      properties: {
        a_state: reference("ReplyAState"),
        orNull: { anyOf: [reference("ReplyOrNull"), { type: "null" }] },
        all: { type: "array", items: reference("ReplyAll") },
      },
    })
    expect(Object.keys(components)).toEqual(["ReplyAState", "ReplyAll", "ReplyOrNull"])
    expect(components["ReplyAState"]).toEqual({
      type: "string",
      enum: ["A", "to-do", "C"],
      "x-enum-varnames": ["REPLY_A_STATE_A", "REPLY_A_STATE_TO_DO", "REPLY_A_STATE_C"],
    })
  })

  test("equal texts of many schemas have one name", () => {
    const { schema, components } = printed(closed({ first: enumeration("GB", "US"), second: enumeration("GB", "US") }))
    expect(schema).toMatchObject({
      properties: { first: reference("Jurisdiction"), second: reference("Jurisdiction") },
    })
    expect(Object.keys(components)).toEqual(["Jurisdiction"])
  })

  test("a truth value that is constant says so", () => {
    expect(form(Type.Literal(false))).toEqual({ type: "boolean", description: "Always false" })
    expect(form(Type.Literal(true, { description: "Why" }))).toEqual({
      type: "boolean",
      description: "Why. Always true",
    })
  })

  test("texts under a reserved word are a component, because their type has its name", () => {
    const { schema, components } = printed(closed({ for: enumeration("A", "B"), default: Type.Literal("A") }))
    expect(schema).toMatchObject({ properties: { for: reference("ReplyFor"), default: reference("ReplyDefault") } })
    expect(components).toEqual({
      ReplyDefault: { type: "string", enum: ["A"] },
      ReplyFor: { type: "string", enum: ["A", "B"], "x-enum-varnames": ["REPLY_FOR_A", "REPLY_FOR_B"] },
    })
    expect(printed(closed({ default: Type.String() })).schema).toMatchObject({
      properties: { default: { type: "string" } },
    })
  })

  test("null is one of the types, or an alternative of its own", () => {
    const orNull = (schema: TSchema) => form(Type.Union([schema, Type.Null()], { description: "why" }))
    expect(orNull(Type.Integer())).toEqual({ type: ["integer", "null"], description: "why" })
    expect(orNull(Type.Literal("A"))).toEqual({
      description: "why",
      anyOf: [{ type: "string", enum: ["A"] }, { type: "null" }],
    })
    expect(orNull(inner)).toEqual({ description: "why", anyOf: [reference("Inner"), { type: "null" }] })
    const both = [Type.String(), Type.Integer()]
    expect(form(Type.Union([...both, Type.Null()]))).toEqual({
      anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }],
    })
  })

  test("a member that is always null has a type too", () => {
    expect(form(Type.Null())).toEqual({ type: ["string", "null"], maxLength: 0, description: "Always null" })
  })

  test("a tuple has its length, and a list of nothing no item", () => {
    expect(form(Type.Tuple([Type.String(), Type.Integer()]))).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }, { type: "integer" }],
      minItems: 2,
      maxItems: 2,
    })
    expect(form(Type.Array(Type.Never()))).toEqual({ type: "array", maxItems: 0, items: {} })
  })

  test("a map has a schema for its values, and one for its names if not every text is one", () => {
    expect(form(Type.Record(Type.String(), Type.Integer()))).toEqual({
      type: "object",
      additionalProperties: { type: "integer" },
    })
    expect(form(Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Integer()))).toEqual({
      type: "object",
      propertyNames: { pattern: "^[a-z]+$" },
      additionalProperties: { type: "integer" },
    })
    expect(form(Type.Object({}))).toEqual({ type: "object", additionalProperties: {} })
  })

  test("alternatives that a member tells apart are components with a discriminator", () => {
    const variant = (...kinds: string[]) => closed({ kind: enumeration(...kinds), a: Type.Integer() })
    const { schema, components } = printed(closed({ change: Type.Union([variant("ADD"), variant("CUT", "END")]) }))
    expect(schema).toHaveProperty("properties.change", {
      oneOf: [reference("ReplyChangeAdd"), reference("ReplyChangeCut")],
      discriminator: {
        propertyName: "kind",
        mapping: {
          ADD: reference("ReplyChangeAdd").$ref,
          CUT: reference("ReplyChangeCut").$ref,
          END: reference("ReplyChangeCut").$ref,
        },
      },
    })
    expect(Object.keys(components)).toEqual(["ReplyChangeAdd", "ReplyChangeCut", "ReplyChangeCutKind"])
  })
})
