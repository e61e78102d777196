import { expect, test } from "bun:test"
import { restrictedPartyGate } from "../../../src/checks/us/restricted-party.ts"
import { DECIDED_AT, SOURCE_IDS, screeningFact, sourceFact, suppressedHit } from "../../fixtures/decision.ts"

const gate = (screening: ReturnType<typeof screeningFact>) =>
  restrictedPartyGate({
    accepted: "CONDITION",
    screening,
    sources: SOURCE_IDS.map((id) => sourceFact(id)),
    requiredSources: SOURCE_IDS,
    reviewScore: 0.8,
    at: DECIDED_AT,
  })

test("a suppression by the operator is a limitation that every reader of the answer sees", () => {
  expect(gate(screeningFact()).limitations).toEqual([])
  const suppressed = gate(screeningFact({ suppressed_hits: [suppressedHit()] }))
  expect([suppressed.codes, suppressed.limitations]).toEqual([[], ["OPERATOR_SUPPRESSION_APPLIED"]])
})

test.each<readonly [what: string, hit: Parameters<typeof suppressedHit>[0]]>([
  ["a hit that blocks", { tier: "BLOCK" }],
  ["an identifier", { basis: "IDENTIFIER" }],
])("facts that call a name CLEAR although %s was suppressed are insufficient evidence", (_what, hit) => {
  expect(gate(screeningFact({ suppressed_hits: [suppressedHit(hit)] })).codes).toEqual(["EVIDENCE_INSUFFICIENT"])
})
