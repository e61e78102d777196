import { describe, expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import fc from "fast-check"
import { EventProof, ServiceHistory } from "../../../schemas/agent-id/export.ts"
import { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { Jwks } from "../../../schemas/discovery/jwks.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { placeOf, shapeFault } from "../../../src/offline/steps/shape.ts"
import { sample } from "../../core/sample-of-schema.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const place = (schema: TSchema, value: JsonValue) => {
  const fault = shapeFault(schema, value)
  return fault && placeOf(fault)
}

describe("an offline check of a schema agrees with the service's compiled check", () => {
  const schemas = { KeyEvent, AgentStatus, Jwks, EventProof, ServiceHistory }
  test.each(Object.entries(schemas))("%s", (_, schema) => {
    const compiled = TypeCompiler.Compile<TSchema>(schema)
    let refused = 0
    fc.assert(
      fc.property(sample(schema), fc.nat(), (drawn, pick) => {
        const value = JSON.parse(JSON.stringify(drawn)) as JsonValue
        expect(shapeFault(schema, value)).toBeNull()
        const all = edits(value)
        const other = all[pick % all.length]?.value ?? null
        expect(shapeFault(schema, other) === null).toBe(compiled.Check(other))
        if (!compiled.Check(other)) refused++
      }),
    )
    expect(refused).toBeGreaterThan(20)
  })
})

test("a fault names the member and never repeats the input", () => {
  const { keys } = { keys: [] } as { keys: JsonValue[] }
  expect(place(Jwks, { keys })).toBeNull()
  expect(place(Jwks, {})).toBe("/keys")
  expect(place(Jwks, { keys, secret: "text" })).toBe("/(unknown member)")
  expect(place(Jwks, { keys: [{ kty: "OKP" }] })).toBe("/keys/0/crv")
  expect(place(KeyEvent, [])).toBe("/")
})
