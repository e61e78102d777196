import { expect, test } from "bun:test"
import { paymentEnds, statedEnds, US_COVERAGE, usCoverage } from "../../../src/checks/us/us-company.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"
import { DECIDED_AT, SOURCE_IDS, sourceFact } from "../../fixtures/decision.ts"
import { usFacts } from "../../fixtures/us-facts.ts"

const at = (from: number) => formatInstant(DECIDED_AT + from)

test("the six US operations state the designed coverage and what they never check", () => {
  const operations = ANSWER_RULES.filter(({ country }) => country === "US")
  expect(operations.length).toBe(6)
  for (const { coverage } of operations) {
    expect(coverage).toEqual({
      country: "US",
      jurisdiction: "US",
      scope: "FEDERAL_ONLY",
      state_coverage: "NONE_PHASE_1",
      state_good_standing: "NOT_ASSERTED",
      population: "FEDERAL_IDENTIFIER_HOLDERS",
      supported: true,
      limitations: [
        "FEDERAL_LISTS_ONLY",
        "STATE_REGISTERS_NOT_CHECKED",
        "BENEFICIAL_OWNERSHIP_NOT_CHECKED",
        "NO_CONTINUOUS_MONITORING",
      ],
    })
  }
})

test("an answer ends at the earliest of its longest time, a list and its evidence; an end that has passed does not count", () => {
  const ends = (list: number, ...stated: number[]) => {
    const [first = "", ...rest] = SOURCE_IDS
    const sources = [{ ...sourceFact(first), stale_at: at(list) }, ...rest.map((id) => sourceFact(id))]
    return Math.min(...statedEnds(usFacts("any", { sources }), DECIDED_AT + DAY, stated.map(at))) - DECIDED_AT
  }
  expect([ends(2 * DAY), ends(HOUR), ends(2 * DAY, HOUR), ends(2 * DAY, -HOUR, 0)]).toEqual([DAY, HOUR, HOUR, DAY])
  expect(Math.min(...paymentEnds(usFacts("any"), 60)) - DECIDED_AT).toBe(60 * MINUTE)
})

test("an identifier that is not used here is named in the coverage, after what is never checked", () => {
  const company = { legal_name: "Harbor Light", identifiers: { uei: "ZQGGHJH74DW7", "Web site": "x", duns: "1" } }
  const { limitations } = usCoverage(company)
  expect(limitations.slice(0, US_COVERAGE.limitations.length)).toEqual(US_COVERAGE.limitations)
  expect(limitations.slice(US_COVERAGE.limitations.length)).toEqual([
    "IDENTIFIER_NOT_USED:Web%20site",
    "IDENTIFIER_NOT_USED:duns",
  ])
})
