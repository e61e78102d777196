import { expect, test } from "bun:test"
import { documentKind } from "../../../src/offline/kinds/document-kinds.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { DELIVERABLES } from "../../fixtures/acp-vectors/deliverables.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import { deliveredDecision } from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"

test("decisions, answers, passports and deliverables are recognised, alone and in bundles; unknown documents go to the decision verifier", () => {
  const decided = deliveredDecision()
  const answered = deliveredAnswer(companyCheckRules, companyCheckRequest(), companyCheckFacts())
  for (const bytes of [decided.bytes, decided.bundle]) expect(documentKind(bytes)).toBe("DECISION")
  for (const bytes of [answered.copies.fetched, answered.bundleBytes]) expect(documentKind(bytes)).toBe("ANSWER")
  expect(documentKind(passportOf().bytes)).toBe("PASSPORT")
  for (const { text } of DELIVERABLES) expect(documentKind(new TextEncoder().encode(text))).toBe("DELIVERABLE")
  for (const text of ["", "{", "[]", "null", '{"payload":{}}', '"product_or_solution"', "{}"]) {
    expect(documentKind(new TextEncoder().encode(text))).toBe("DECISION")
  }
})
