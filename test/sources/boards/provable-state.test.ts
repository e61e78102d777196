import { expect, test } from "bun:test"
import { provableState } from "../../../src/sources/boards/provable-state.ts"
import type { SourceHealth, SourceState } from "../../../src/sources/boards/source-board.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import type { ScreenState } from "../../../src/sources/screening/screen.ts"

function sources(last: SourceHealth): SourceState[] {
  return REQUIRED_US_SOURCES.map((sourceId, at) => ({
    sourceId,
    health: at === 3 ? last : "HEALTHY",
    freshness: "FRESH",
    staleAt: null,
    ageSeconds: null,
    checkedAt: null,
    nextAttemptAt: null,
    reasonCodes: [],
    isAccepted: false,
    snapshot: null,
    lastAttempt: null,
  }))
}

const ALL: readonly ScreenState[] = [
  "CLEAR",
  "POSSIBLE_MATCH",
  "MATCH",
  "PROGRAM_CONDITION",
  "SCRIPT_UNSUPPORTED",
  "INSUFFICIENT",
]

test.each(ALL)("with every required list healthy, %s stays the same", (state) => {
  expect(provableState(state, sources("HEALTHY"))).toBe(state)
})

const ILL: readonly SourceHealth[] = ["STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"]
test.each(ILL)("with one list %s no clear result stays, and a result that stops a payment does", (health) => {
  expect(ALL.map((state) => provableState(state, sources(health)))).toEqual([
    "INSUFFICIENT",
    "POSSIBLE_MATCH",
    "MATCH",
    "INSUFFICIENT",
    "SCRIPT_UNSUPPORTED",
    "INSUFFICIENT",
  ])
})
