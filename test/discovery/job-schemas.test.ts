import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import Ajv from "ajv"
import fc from "fast-check"
import { AcpDeliverable } from "../../schemas/acp/deliverable.ts"
import { AcpOfferingRequirement } from "../../schemas/acp/requirement.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { deliverableSchema, offering, requirementSchema } from "../../src/discovery/job-schemas.ts"
import { DELIVERABLES } from "../fixtures/acp-vectors/deliverables.ts"
import { VECTORS } from "../fixtures/acp-vectors/vectors.ts"
import { edits } from "../fixtures/json-edits.ts"
import { runs } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** As the ACP client of a buyer makes it: no option. The logger collects the complaints of Ajv's strict mode. */
function compiled(schema: object = requirementSchema()) {
  const complaints: unknown[] = []
  const log = (...said: unknown[]) => complaints.push(said)
  const ajv = new Ajv({ logger: { log, warn: log, error: log } })
  return { check: ajv.compile(schema), complaints }
}

test("Ajv without options compiles the schema without a complaint", () => {
  expect(compiled().complaints).toEqual([])
  expect(() => new Ajv({ logger: false }).compile({ ...requirementSchema() })).not.toThrow()
  expect(requirementSchema()["$schema"]).toBe("http://json-schema.org/draft-07/schema#")
})

test("it accepts each draft and each final requirement", () => {
  const { check } = compiled()
  for (const { draft, final } of VECTORS) {
    expect([check(draft), check.errors]).toEqual([true, null])
    expect([check(final), check.errors]).toEqual([true, null])
  }
})

test("it refuses what the service's own schema refuses, but for dates that no calendar has", () => {
  const { check } = compiled()
  const all = edits(VECTORS[1]?.draft as unknown as JsonValue).filter(({ pointer }) => !isDate(pointer))
  let refused = 0
  fc.assert(
    fc.property(fc.nat(all.length - 1), (pick) => {
      const { pointer, value } = all[pick] ?? { pointer: "", value: null }
      const isValid = Value.Check(AcpOfferingRequirement, value)
      expect([pointer, check(value)]).toEqual([pointer, isValid])
      if (!isValid) refused++
    }),
    { numRuns: runs(2000) },
  )
  expect(refused).toBeGreaterThan(20)
})

test("the deliverable's schema accepts what is delivered and refuses what the verifier refuses", () => {
  const { check, complaints } = compiled(deliverableSchema())
  expect(complaints).toEqual([])
  for (const { text } of DELIVERABLES) expect([check(JSON.parse(text)), check.errors]).toEqual([true, null])
  const all = edits(JSON.parse(DELIVERABLES[1]?.text ?? "") as JsonValue).filter(({ pointer }) => !isDate(pointer))
  const judged = all.map(({ pointer, value }) => [pointer, check(value)])
  expect(judged).toEqual(all.map(({ pointer, value }) => [pointer, Value.Check(AcpDeliverable, value)]))
  expect(judged.filter(([, isValid]) => !isValid).length).toBeGreaterThan(100)
})

test("the offering has the fixed terms of the interface and both schemas", () => {
  expect(offering()).toEqual({
    name: "Payment Decision",
    slaMinutes: 15,
    priceType: "fixed",
    priceValue: 0.79,
    requiredFunds: false,
    requirements: requirementSchema(),
    deliverable: deliverableSchema(),
  })
})

function isDate(pointer: string): boolean {
  return /\/(valid_from|valid_until|evaluated_at|valid_as_of|issued_at|assessed_at)$/.test(pointer)
}
