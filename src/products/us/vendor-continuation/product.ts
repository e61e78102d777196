import { namedAuthorizationFindings } from "../../../checks/us/continuation.ts"
import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { companySubject } from "../company-record.ts"
import { recordedIdentifiers } from "../recorded-supplier.ts"
import { companyParty, companySupplier } from "../supplier-naming.ts"
import { readNamedPrior, readPrior } from "./read-prior.ts"
import { type VendorContinuation, vendorContinuationRules } from "./rules.ts"

export function vendorContinuation(context: UsSources): BusinessAnswerProduct<VendorContinuation> {
  return {
    ...vendorContinuationRules,
    validations: [companyIdentifier],
    checksBeforeQuote: [evaluationTime, legalName(context)],
    fixedOutcome: {
      needs: ["company", "prior_authorization_reference"],
      evidence: () => [],
      *named({ prior_authorization_reference: reference, company }) {
        return { prior: yield* readNamedPrior(reference, company) }
      },
      findings: ({ company }, named) => (named ? namedAuthorizationFindings(companySubject(company), named.prior) : []),
      pointer: () => "/prior_authorization_reference",
    },
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(context, request, at),
    *reserve(request, { payer }) {
      const { prior_authorization_reference: reference, company } = request
      return {
        prior: yield* readPrior(payer, reference, company),
        recorded: yield* recordedIdentifiers(company, [payer]),
      }
    },
    gather: (request, base, { prior, recorded }) => ({
      ...gatherCompany(context, request, base, { recorded }),
      prior_authorization: prior,
    }),
    undecided: (request) => ({
      prior_authorization_reference: request.prior_authorization_reference,
      continued_until: null,
      changed_since: [],
    }),
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(company, registration),
    record: ({ company }) => companySubject(company),
  }
}
