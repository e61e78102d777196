/** A named part of a schema that needs no name is printed in its place. */
import { expect, test } from "bun:test"
import { withShortInPlace } from "../../../src/discovery/openapi/short-in-place.ts"

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const LONG = { type: "object", properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } } }

function printed(schemas: Readonly<Record<string, object>>, uses: readonly object[], derived: readonly string[]) {
  return withShortInPlace({ components: { schemas }, uses }, new Set(derived))
}

test("a part with one use is placed there, with the parts inside it", () => {
  const schemas = { Outer: { type: "array", items: ref("Inner") }, Inner: LONG }
  const document = printed(schemas, [{ schema: ref("Outer") }], ["Outer", "Inner"])
  expect(document).toEqual({ components: { schemas: {} }, uses: [{ schema: { type: "array", items: LONG } }] })
})

test("a long part with several uses keeps its name, a short one does not", () => {
  const schemas = { Long: LONG, Short: { type: "string" } }
  const uses = [ref("Long"), ref("Long"), ref("Short"), ref("Short")]
  expect(printed(schemas, uses, ["Long", "Short"])).toEqual({
    components: { schemas: { Long: LONG } },
    uses: [ref("Long"), ref("Long"), { type: "string" }, { type: "string" }],
  })
})

test("a part whose name callers know keeps it", () => {
  const document = { components: { schemas: { Known: { type: "string" } } }, uses: [ref("Known")] }
  expect(printed(document.components.schemas, document.uses, [])).toEqual(document)
})
