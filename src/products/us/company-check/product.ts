import type { Machine } from "../../../base/machine.ts"
import { formatId, ID_RANDOM_BYTES } from "../../../core/ids.ts"
import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { companySubject } from "../company-record.ts"
import { recordedIdentifiers } from "../recorded-supplier.ts"
import { companyParty, companySupplier } from "../supplier-naming.ts"
import { companyPassport } from "./passport.ts"
import { type CompanyCheck, companyCheckRules } from "./rules.ts"

export function companyCheck(machine: Machine, context: UsSources): BusinessAnswerProduct<CompanyCheck> {
  return {
    ...companyCheckRules,
    validations: [companyIdentifier],
    checksBeforeQuote: [evaluationTime, legalName(context)],
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(context, request, at),
    *reserve({ company }, { payer }) {
      return { recorded: yield* recordedIdentifiers(company, [payer]) }
    },
    gather: (request, base, recorded) => ({
      ...gatherCompany(context, request, base, recorded),
      passport_id: formatId("psp", machine.random(ID_RANDOM_BYTES)),
    }),
    undecided: () => ({
      identity_state: "ATTESTED_ONLY",
      restricted_party: { state: "NOT_SCREENED", candidates: [] },
      passport: null,
    }),
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(company, registration),
    record: ({ company }) => companySubject(company),
    attachment: companyPassport,
  }
}
