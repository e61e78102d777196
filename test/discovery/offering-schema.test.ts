import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import Ajv from "ajv"
import fc from "fast-check"
import { AcpOfferingRequirement } from "../../schemas/acp/requirement.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { offeringSchema } from "../../src/discovery/offering-schema.ts"
import { VECTORS } from "../fixtures/acp-vectors/vectors.ts"
import { edits } from "../fixtures/json-edits.ts"
import { runs } from "../fixtures/long.ts"

/** As the ACP client of a buyer makes it: no option. The logger collects the complaints of Ajv's strict mode. */
function compiled() {
  const complaints: unknown[] = []
  const log = (...said: unknown[]) => complaints.push(said)
  const ajv = new Ajv({ logger: { log, warn: log, error: log } })
  return { check: ajv.compile(offeringSchema()), complaints }
}

test("Ajv without options compiles the schema without a complaint", () => {
  expect(compiled().complaints).toEqual([])
  expect(() => new Ajv({ logger: false }).compile({ ...offeringSchema() })).not.toThrow()
  expect(offeringSchema()["$schema"]).toBe("http://json-schema.org/draft-07/schema#")
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

function isDate(pointer: string): boolean {
  return /\/(valid_from|valid_until|evaluated_at)$/.test(pointer)
}
