import { expect, test } from "bun:test"
import fc from "fast-check"
import { History } from "../../../src/sandbox/chain/history.ts"

const step = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), after: fc.nat(3), value: fc.nat(9) }),
  fc.record({ kind: fc.constant("drop" as const), blocks: fc.nat(4) }),
  fc.record({ kind: fc.constant("try" as const), after: fc.nat(3), value: fc.nat(9) }),
)

test("a history returns the same value for every block as a list with one value for each block", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const history = new History(0)
      let values = [0]
      for (const each of steps) {
        if (each.kind === "drop") {
          values = values.slice(0, Math.max(1, values.length - each.blocks))
          history.dropAfter(values.length - 1)
          continue
        }
        const last = values.at(-1) as number
        const block = values.length - 1 + each.after
        const takeBack = history.mark()
        history.set(block, each.value)
        if (each.kind === "try") takeBack()
        else values = [...values, ...Array<number>(each.after).fill(last)].with(block, each.value)
      }
      expect(values.map((_, block) => history.at(block))).toEqual(values)
      expect([history.get(), history.at(values.length + 5)]).toEqual([values.at(-1) as number, values.at(-1) as number])
    }),
    { numRuns: 500 },
  )
})
