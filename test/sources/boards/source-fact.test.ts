import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { SourceFact } from "../../../schemas/source-fact.ts"
import { formatInstant, HOUR, instant, MINUTE } from "../../../src/core/time.ts"
import { requestStaleAt, sourceFact } from "../../../src/sources/boards/source-fact.ts"
import { staticBoard } from "../../fixtures/test-server.ts"

const AT = instant("2026-11-20T12:00:00Z")

function state() {
  const [first] = staticBoard([]).states(AT)
  if (!first) throw new Error("the board has no source")
  return { ...first, checkedAt: formatInstant(AT - HOUR), staleAt: formatInstant(AT + HOUR) }
}

test("a source in use gives a fact of the schema, with the end of its validity", () => {
  const fact = sourceFact(state(), AT + MINUTE)
  expect([...Value.Errors(SourceFact, fact)]).toEqual([])
  expect(fact?.stale_at).toBe(formatInstant(AT + MINUTE))
})

test("a source that was never imported gives no fact and never becomes stale", () => {
  const never = { ...state(), snapshot: null, staleAt: null, checkedAt: null }
  expect([sourceFact(never, AT), requestStaleAt(never, 60)]).toEqual([null, null])
})

test("a request can shorten a source's window and never extend it", () => {
  expect(requestStaleAt(state(), 90 * 60)).toBe(AT + 30 * MINUTE)
  expect(requestStaleAt(state(), 604_800)).toBe(AT + HOUR)
})
