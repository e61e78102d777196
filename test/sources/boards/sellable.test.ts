/** What is said to be sold with a list is what the products do: the checks of the Payment Decision and of the answer products are the judge. */
import { describe, expect, test } from "bun:test"
import { formatInstant, instant, MINUTE } from "../../../src/core/time.ts"
import { checkSources, failedSources } from "../../../src/products/common/source-failure.ts"
import { usSourceStates } from "../../../src/products/us/company-facts.ts"
import { listsWithoutAccepted } from "../../../src/products/us/payment-decision/without-accepted.ts"
import { saleLimit, soldWith } from "../../../src/sources/boards/sellable.ts"
import type { SourceState } from "../../../src/sources/boards/source-board.ts"
import { REQUIRED_US_SOURCES, SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { healthyState } from "../../fixtures/list-states.ts"

const AT = Date.UTC(2026, 10, 28)
const HEALTHS = ["HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"] as const
const ENDS = [null, AT - 1, AT + 10 * MINUTE - 1, AT + 10 * MINUTE, AT + 60 * MINUTE]

const states: readonly SourceState[] = SOURCE_IDS.flatMap((id) =>
  HEALTHS.flatMap((health) =>
    ENDS.flatMap((end) =>
      [false, true].map((isAccepted) => ({
        ...healthyState(id, AT),
        health,
        isAccepted,
        staleAt: end === null ? null : formatInstant(end),
      })),
    ),
  ),
).filter(({ health, staleAt }) => health !== "HEALTHY" || staleAt !== null)

/** With every other list in order. */
function paymentDecisionSold(state: SourceState): boolean {
  const board = REQUIRED_US_SOURCES.map((id) => (id === state.sourceId ? state : healthyState(id, AT)))
  const index = () => {
    throw new Error("nothing is screened")
  }
  const sources = listsWithoutAccepted({ index, states: () => board })
  return checkSources(usSourceStates({ sources, fetching: true }, null, AT), AT) === null
}

function answersSold({ sourceId, health, staleAt }: SourceState): boolean {
  const end = staleAt === null ? null : instant(staleAt)
  return failedSources([{ sourceId, health, staleAt: end, neverSetUp: false, reasonCodes: [] }], AT).length === 0
}

test("every health, end and acceptance of every list is judged as the products judge it", () => {
  expect(states).toHaveLength(SOURCE_IDS.length * (HEALTHS.length * ENDS.length - 1) * 2)
  for (const state of states) {
    const answers = answersSold(state)
    const decisions = paymentDecisionSold(state)
    const sold = answers ? (decisions ? "ALL" : "NO_PAYMENT_DECISION") : "NOTHING"
    const isRequired = REQUIRED_US_SOURCES.some((id) => id === state.sourceId)
    if (!answers) expect(isRequired && decisions).toBe(false)
    expect([state, soldWith(state, AT)]).toEqual([state, sold])
  }
})

describe("people read what is not sold", () => {
  test.each([
    [{}, null],
    [{ isAccepted: true }, "no Payment Decision is sold with it"],
    [{ health: "STALE" as const }, "nothing that needs it is sold"],
    [{ staleAt: formatInstant(AT + MINUTE) }, "nothing that needs it is sold"],
  ])("with %p: %p", (change, words) => {
    expect(saleLimit(soldWith({ ...healthyState("US_OFAC_SDN", AT), ...change }, AT))).toBe(words)
  })
})
