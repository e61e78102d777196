import { expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import fc from "fast-check"
import { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { expectation } from "../../../src/jobs/buyer-signing/expectation.ts"
import { findMismatch, type JsonSchema } from "../../../src/jobs/buyer-signing/match-schema.ts"
import { requirementSchema } from "../../../src/jobs/buyer-signing/requirement-schema.ts"
import { sample } from "../../core/sample-of-schema.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const DRAFT = requirementSchema() as JsonSchema

test("the signing module's schema reader agrees with the service's compiler", () => {
  const compiled = TypeCompiler.Compile<TSchema>(AcpRequirementDraft)
  let refused = 0
  fc.assert(
    fc.property(sample(AcpRequirementDraft), fc.nat(), (drawn, pick) => {
      const value = JSON.parse(JSON.stringify(drawn)) as JsonValue
      expect(findMismatch(DRAFT, value)).toBeNull()
      const all = edits(value)
      const other = all[pick % all.length]?.value ?? null
      expect(findMismatch(DRAFT, other) === null).toBe(compiled.Check(other))
      if (!compiled.Check(other)) refused++
    }),
  )
  expect(refused).toBeGreaterThan(20)
})

test("it supports every keyword of the draft's schema", () => {
  let nodes = 0
  const everyNode = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("type" in node || "anyOf" in node || "const" in node) {
      nodes++
      mismatchOfAnything(node as JsonSchema)
    }
    for (const child of Object.values(node)) everyNode(child)
  }
  everyNode(DRAFT)
  expect(nodes).toBeGreaterThan(50)
})

/** Throws for a keyword that the reader does not support. Its result does not matter here. */
function mismatchOfAnything(schema: JsonSchema): void {
  // A member named `type` is one of our properties, not a keyword.
  if (typeof schema["type"] === "object") return
  findMismatch(schema, null)
}

test("an unknown keyword throws, so that no rule is skipped", () => {
  expect(() => findMismatch({ type: "string", format: "email" }, "a")).toThrow("format")
  expect(() => findMismatch({ type: "object", allOf: [] }, {})).toThrow("allOf")
  expect(() => findMismatch({ type: "object", patternProperties: { "^a": {} } }, { a: 1 })).toThrow("pattern")
})

test.each([
  [{ type: "number", minimum: 0 }, "must be a number (minimum 0)"],
  [{ type: "boolean" }, "must be a boolean"],
  [{ type: "string", maxLength: 2 }, "must be a text (maxLength 2)"],
  [{ type: "object", properties: {} }, "must be an object"],
  [{}, "must be there"],
] as [JsonSchema, string][])("what %j expects is one sentence", (schema, sentence) => {
  expect(expectation({ pointer: "/a", schema })).toBe(sentence)
})

test("an object may be open, and a record may have any name", () => {
  const member = { type: "number", minimum: 0 }
  expect(findMismatch({ type: "object", properties: { a: member } }, { a: 0.5, b: null })).toBe(null)
  expect(findMismatch({ type: "object", properties: { a: member } }, { a: -1 })?.pointer).toBe("/a")
  const record = { type: "object", patternProperties: { "^(.*)$": member } }
  expect([findMismatch(record, { x: 1 }), findMismatch(record, { x: "1" })?.pointer]).toEqual([null, "/x"])
  const set = { type: "array", items: {}, uniqueItems: true }
  expect([findMismatch(set, [1, "1"]), findMismatch(set, [1, 1])?.pointer]).toEqual([null, ""])
  const equal = { a: 1, b: 2 }
  expect(findMismatch(set, [equal, { b: 2, a: 1 }])?.pointer).toBe("")
})
