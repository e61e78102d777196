/** The texts of a plan's missing inputs are together that of their list, whatever is stated. */
import { expect, test } from "bun:test"
import { missingInputs, missingList } from "../../../src/agent-mode/planning/missing-inputs.ts"
import { planningCatalogue } from "../../../src/agent-mode/planning/planning-catalogue.ts"
import { operationTable } from "../../../src/catalogue/operations.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"

const lines = [...planningCatalogue(operationTable([])).byIntent.values()].flat()

test("for every need, and every choice of up to two stated pointers, the text is the canonical list", () => {
  expect(lines.length).toBeGreaterThan(20)
  for (const { inputs } of lines) {
    const pointers = [...inputs.providedBy.keys()]
    const [first = ""] = pointers
    for (const [at, pointer] of [...pointers, "/none"].entries()) {
      const stated = {
        provided_inputs: [pointer],
        input_digests: at % 2 === 0 ? {} : { [pointers[at >> 1] ?? first]: "d" },
      }
      const list = missingList(stated, inputs)
      const { texts, hasCallers, hasOrganizations } = missingInputs(stated, inputs)
      expect(`[${texts.join("")}]`).toBe(canonicalize(list))
      expect(hasOrganizations).toBe(list.some(({ supplied_by }) => supplied_by === "BUYER_ORGANIZATION"))
      expect(hasCallers).toBe(list.some(({ supplied_by }) => supplied_by !== "BUYER_ORGANIZATION"))
    }
  }
})

test("the whole body provides every input", () => {
  for (const { inputs } of lines) {
    expect(missingInputs({ provided_inputs: [""], input_digests: {} }, inputs).texts).toEqual([])
  }
})
