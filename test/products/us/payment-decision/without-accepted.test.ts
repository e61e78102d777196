/** A source that an operator accepted is STALE to a Payment Decision; all other sources stay unchanged. */
import { expect, test } from "bun:test"
import { type Evidence, withoutAccepted } from "../../../../src/products/us/payment-decision/without-accepted.ts"
import type { RegisterState } from "../../../../src/sources/boards/register-board.ts"
import type { SourceState } from "../../../../src/sources/boards/source-board.ts"

const healthy = { health: "HEALTHY", freshness: "AGING", reasonCodes: ["SOURCE_AGING"] } as const

function seen(state: object): object[] {
  const evidence = {
    sources: { index: () => null, states: () => [state as SourceState] },
    registers: { find: () => null, states: () => [state as RegisterState] },
  } as unknown as Evidence
  const { sources, registers } = withoutAccepted(evidence)
  return [...sources.states(0), ...registers.states(0)]
}

test("an accepted list and an accepted register are STALE, and the reason says that the operator accepted them", () => {
  const stale = {
    isAccepted: true,
    sourceId: "ANY",
    health: "STALE",
    freshness: "STALE",
    reasonCodes: ["SOURCE_STALE", "SOURCE_ACCEPTED_BY_OPERATOR"],
  }
  expect(seen({ ...healthy, sourceId: "ANY", isAccepted: true })).toEqual([stale, stale])
})

test("sources that nobody accepted stay unchanged", () => {
  const state = { ...healthy, isAccepted: false }
  for (const one of seen(state)) expect(one).toBe(state)
})

test("an accepted list that is unusable for another reason keeps that reason", () => {
  for (const health of ["DISABLED", "UNAVAILABLE", "SCHEMA_BREAK", "STALE"] as const) {
    const state = { health, freshness: "STALE", reasonCodes: [`SOURCE_${health}`], isAccepted: true }
    for (const one of seen(state)) expect(one).toBe(state)
  }
})

test("the index and the register are queried unchanged", () => {
  const index = {}
  const found = {}
  const evidence = {
    sources: { index: () => index, states: () => [] },
    registers: { find: (...requests: readonly string[]) => ({ found, requests }), states: () => [] },
  } as unknown as Evidence
  const { sources, registers } = withoutAccepted(evidence)
  expect(sources.index()).toBe(index as never)
  expect(registers.find("GLEIF_LEI", "lei", "X")).toEqual({ found, requests: ["GLEIF_LEI", "lei", "X"] } as never)
})
