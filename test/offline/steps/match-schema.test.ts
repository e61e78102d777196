import { describe, expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import fc from "fast-check"
import { AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { EventProof, ServiceHistory } from "../../../schemas/agent-id/export.ts"
import { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { Jwks } from "../../../schemas/discovery/jwks.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { bundleSchema } from "../../../src/offline/module/bundle-schema.ts"
import { type JsonSchema, mismatch } from "../../../src/offline/steps/match-schema.ts"
import { sample } from "../../core/sample-of-schema.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const plain = (schema: TSchema) => JSON.parse(JSON.stringify(schema)) as JsonSchema

describe("the verifier's schema reader agrees with the service's compiler", () => {
  const schemas = { KeyEvent, AgentStatus, Jwks, EventProof, ServiceHistory, AcpRequirementDraft }
  test.each(Object.entries(schemas))("%s", (_, schema) => {
    const compiled = TypeCompiler.Compile<TSchema>(schema)
    let refused = 0
    fc.assert(
      fc.property(sample(schema), fc.nat(), (drawn, pick) => {
        const value = JSON.parse(JSON.stringify(drawn)) as JsonValue
        expect(mismatch(plain(schema), value)).toBeNull()
        const all = edits(value)
        const other = all[pick % all.length]?.value ?? null
        expect(mismatch(plain(schema), other) === null).toBe(compiled.Check(other))
        if (!compiled.Check(other)) refused++
      }),
    )
    expect(refused).toBeGreaterThan(20)
  })
})

test("it supports every keyword of the bundle's schema", () => {
  const bare = JSON.stringify(bundleSchema())
  expect(bare.length).toBeGreaterThan(5_000)
  const everyNode = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("type" in node || "anyOf" in node || "const" in node) mismatchOfAnything(node as JsonSchema)
    for (const child of Object.values(node)) everyNode(child)
  }
  everyNode(JSON.parse(bare))
})

/** Throws for a keyword that the reader does not support. Its result does not matter here. */
function mismatchOfAnything(schema: JsonSchema): void {
  // A member named `type` is one of our properties, not a keyword.
  if (typeof schema["type"] === "object") return
  mismatch(schema, null)
}

test("an unknown keyword throws, so that no rule is skipped", () => {
  expect(() => mismatch({ type: "string", format: "email" }, "a")).toThrow("format")
  expect(() => mismatch({ type: "object", properties: {} }, {})).toThrow("closed")
})

test("a mismatch names the member and never repeats the input", () => {
  const schema = plain(KeyEvent)
  expect(mismatch(schema, { secret: "text" })).not.toContain("secret")
  expect(mismatch(schema, [])).toBe("/")
})
