import { expect, test } from "bun:test"
import { answerEnds } from "../../../src/checks/gb/answer-ends.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { DECIDED_AT, sourceFact } from "../../fixtures/decision.ts"
import { companyFact, gbFacts } from "../../fixtures/gb-facts.ts"

const at = (from: number) => formatInstant(DECIDED_AT + from)
const LONGEST = DECIDED_AT + DAY
const endOf = (company: number, list: number, ...stated: number[]) => {
  const facts = gbFacts("any", {
    company: companyFact({ stale_at: at(company) }),
    sources: [{ ...sourceFact("UK_SANCTIONS_LIST"), stale_at: at(list) }],
  })
  return Math.min(...answerEnds(facts, LONGEST, stated.map(at))) - DECIDED_AT
}

test("a UK answer ends at the earliest of its longest time, the register's end, the list's end and its evidence's end", () => {
  expect(endOf(2 * DAY, 2 * DAY, 2 * DAY)).toBe(DAY)
  expect(endOf(HOUR, 2 * DAY, 2 * DAY)).toBe(HOUR)
  expect(endOf(2 * DAY, HOUR, 2 * DAY)).toBe(HOUR)
  expect(endOf(2 * DAY, 2 * DAY, 3 * HOUR, HOUR)).toBe(HOUR)
})

test("an end that has passed, or passes at this moment, does not limit the answer", () => {
  expect(endOf(-MINUTE, 0, -HOUR, 2 * HOUR)).toBe(2 * HOUR)
})
