import { type CompanyCheck, companyCheckRules } from "../../../../src/products/us/company-check/rules.ts"
import { usBody } from "../../../fixtures/answers.ts"
import type { ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"

export const WALK: ReasonWalk<CompanyCheck> = {
  rules: companyCheckRules,
  input: () => ({
    request: usBody(),
    facts: { ...usFacts(companyCheckRules.id), passport_id: "psp_AAAAAAAAAAAAAAAAAAAAAA" },
  }),
  faults: [
    US_FAULTS.match,
    US_FAULTS.nameMismatch,
    US_FAULTS.possibleMatch,
    US_FAULTS.insufficient,
    US_FAULTS.notRegistered,
    US_FAULTS.programCondition,
    US_FAULTS.attestedOnly,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
