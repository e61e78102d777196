/** The printed schema accepts the same values as the original: both judge values drawn from the original, and changes of them. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { Type } from "@sinclair/typebox"
import Ajv2020 from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { operations } from "../../../scripts/docs/operations.ts"
import { selfContained } from "../../../src/endpoints/mcp/tool-schema.ts"
import { isTool } from "../../../src/endpoints/mcp/tools.ts"
import { compile } from "../../../src/http/read-body.ts"
import { chance } from "../../fixtures/chance.ts"
import { changed, type Printed, valid } from "../../fixtures/schema-values.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

const DRAWS = 40
const ajv = new Ajv2020({ strict: false })
addFormats(ajv)
const bodies = (await operations()).filter((row) => isTool(row) && row.body !== undefined)

describe("the printed schema of a body", () => {
  test.each(bodies.map((row) => [row.id, row] as const))("%s judges as the service does", (_id, { body }) => {
    if (!body) throw new Error("no body")
    const printed = ajv.compile(selfContained(body))
    const check = compile(body)
    const draw = chance(1)
    for (let n = 0; n < DRAWS; n++) {
      for (const value of [valid(body as Printed, draw), changed(body as Printed, draw)]) {
        expect([printed(value), value]).toEqual([check.Check(value), value])
      }
    }
  })
})

test("repeated schemas are named once, constants become an enumeration, a tuple has prefix items, and no id is left", () => {
  const Long = Type.Object(
    { text: Type.String({ pattern: "^[a-z]{1,40}$", description: "forty letters" }) },
    { $id: "L" },
  )
  const Word = Type.Union([Type.Literal("A"), Type.Literal("B")])
  const schema = selfContained(Type.Object({ one: Long, two: Long, word: Word, pair: Type.Tuple([Word, Long]) }))
  expect(schema).toEqual({
    type: "object",
    properties: {
      one: { $ref: "#/$defs/d1" },
      two: { $ref: "#/$defs/d1" },
      word: { enum: ["A", "B"] },
      pair: {
        type: "array",
        prefixItems: [{ enum: ["A", "B"] }, { $ref: "#/$defs/d1" }],
        items: false,
        minItems: 2,
        maxItems: 2,
      },
    },
    required: ["one", "two", "word", "pair"],
    $defs: {
      d1: {
        type: "object",
        properties: { text: { type: "string", pattern: "^[a-z]{1,40}$", description: "forty letters" } },
        required: ["text"],
      },
    },
  })
})
