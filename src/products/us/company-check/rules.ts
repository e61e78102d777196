import {
  COMPANY_CHECK_PRODUCT,
  type CompanyCheckFacts,
  type CompanyCheckRequest,
  type CompanyCheckResult,
  checkCompany,
  companyCheckSchemas,
} from "../../../../schemas/us/company-check.ts"
import { US_COVERAGE } from "../../../checks/us/us-company.ts"
import type { BusinessAnswerRules } from "../../common/answer-rules.ts"
import type { RecordedCompany } from "../company-facts.ts"
import { decide } from "./decide.ts"
import { COMPANY_CHECK_POLICIES, type CompanyCheckPolicy } from "./policy.ts"

export interface CompanyCheck {
  readonly request: CompanyCheckRequest
  readonly facts: CompanyCheckFacts
  readonly records: RecordedCompany
  readonly result: CompanyCheckResult
  readonly policy: CompanyCheckPolicy
}

export const companyCheckRules: BusinessAnswerRules<CompanyCheck> = {
  id: COMPANY_CHECK_PRODUCT,
  country: "US",
  path: checkCompany.path,
  description: "US company check, one delivered answer",
  price: checkCompany.price.amount,
  schemas: companyCheckSchemas,
  policies: COMPANY_CHECK_POLICIES,
  coverage: US_COVERAGE,
  decide,
}
