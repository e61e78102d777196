/** Our check of a body and a second validator (Ajv) must agree on values generated from every published request schema. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import Ajv from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { compiledAtFirstUse } from "../../src/core/compiled-at-first-use.ts"
import type { JsonSchema } from "../../src/http/expected-words.ts"
import { schemaFaults } from "../../src/http/schema-faults.ts"
import { chance } from "../fixtures/chance.ts"
import { atLength } from "../fixtures/long.ts"
import { WITH_BODY } from "../fixtures/operations.ts"
import { changed, type Printed, valid } from "../fixtures/schema-values.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Values for each schema; fewer of a schema with whole signed documents in it, where one value takes 80 ms. */
const VALUES = atLength(100, 10_000)
const VALUES_OF_LARGE = atLength(20, 300)
const LARGE_CHARACTERS = 50_000

/** The schema as a caller reads it, compiled by a validator that is independent of ours. */
function secondOpinion(schema: Printed) {
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: false, code: { optimize: false } })
  addFormats(ajv)
  return ajv.compile(schema)
}

setDefaultTimeout(240_000)

describe.each(WITH_BODY.map((row) => [row.id, row] as const))("%s", (_, { body }) => {
  const printed = JSON.parse(JSON.stringify(body)) as Printed
  const check = compiledAtFirstUse(body)
  const ajv = secondOpinion(printed)
  const values = JSON.stringify(printed).length > LARGE_CHARACTERS ? VALUES_OF_LARGE : VALUES

  test(`our check and Ajv judge ${values} generated bodies alike, and each rejected body gets an explanation`, () => {
    const draw = chance(1)
    let accepted = 0
    for (let at = 0; at < values; at++) {
      const value = at % 4 === 0 ? valid(printed, draw) : changed(printed, draw)
      const ours = check().Check(value)
      if (at % 4 === 0 && !ours) throw new Error(`our check refuses a valid value: ${JSON.stringify(value)}`)
      if (ours !== ajv(value)) throw new Error(`ours ${ours}, Ajv ${!ours}: ${JSON.stringify(value)}`)
      const told = [...schemaFaults(body as TSchema & JsonSchema, value)]
      if (ours !== (told.length === 0)) throw new Error(`ours ${ours}, faults ${JSON.stringify([told, value])}`)
      if (!told.every(({ pointer, code, expected }) => /^(\/|$)/.test(pointer) && code !== "" && expected !== "")) {
        throw new Error(`a fault does not say where, what or what else: ${JSON.stringify(told)}`)
      }
      if (ours) accepted++
    }
    expect(accepted).toBeGreaterThanOrEqual(values / 4)
    expect(accepted).toBeLessThan(values)
  })
})
