/** What of an operation's inputs is missing, whatever is stated. */
import { expect, test } from "bun:test"
import { providersOf } from "../../../src/agent-mode/planning/body-inputs.ts"
import { supplierOf } from "../../../src/agent-mode/planning/input-suppliers.ts"
import { missingInputs } from "../../../src/agent-mode/planning/missing-inputs.ts"
import { planningCatalogue } from "../../../src/agent-mode/planning/planning-catalogue.ts"
import { operationTable } from "../../../src/discovery/operations.ts"

const lines = [...planningCatalogue(operationTable([]), "eip155:8453").byIntent.values()].flat()

test("for every need, and every choice of up to two stated pointers, exactly what neither provides is missing, in order", () => {
  expect(lines.length).toBeGreaterThan(20)
  for (const { inputs } of lines) {
    const leaves = inputs.map(({ missing }) => missing.pointer)
    const pointers = [...new Set(leaves.flatMap(providersOf))]
    const [first = ""] = pointers
    for (const [at, pointer] of [...pointers, "/none"].entries()) {
      const other = at % 2 === 0 ? null : (pointers[at >> 1] ?? first)
      const stated = { provided_inputs: [pointer], input_digests: other === null ? {} : { [other]: "d" } }
      const left = leaves.filter((leaf) => !providersOf(leaf).some((one) => one === pointer || one === other))
      expect(missingInputs(stated, inputs)).toEqual(
        left.map((leaf) => ({ pointer: leaf, supplied_by: supplierOf(leaf) })),
      )
    }
  }
})

test("the whole body provides every input", () => {
  for (const { inputs } of lines) {
    expect(missingInputs({ provided_inputs: [""], input_digests: {} }, inputs)).toEqual([])
  }
})
