import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { companySubject } from "../company-record.ts"
import { recordedIdentifiers } from "../recorded-supplier.ts"
import { named } from "../registered-name.ts"
import { companyParty, companySupplier } from "../supplier-naming.ts"
import { type SupplierApproval, supplierApprovalRules } from "./rules.ts"

export function supplierApproval(context: UsSources): BusinessAnswerProduct<SupplierApproval> {
  return {
    ...supplierApprovalRules,
    validations: [companyIdentifier],
    checksBeforeQuote: [evaluationTime, legalName(context)],
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(context, request, at),
    *reserve({ company }, { payer }) {
      return { recorded: yield* recordedIdentifiers(company, [payer]) }
    },
    gather: (request, base, recorded) => gatherCompany(context, request, base, recorded),
    undecided: () => ({ approval_reference: null, approved_until: null }),
    // The approval is recorded under the screened name.
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(named(company, registration), registration),
    record: ({ company }, { registration }) => companySubject(named(company, registration)),
  }
}
