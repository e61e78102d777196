import type { PaymentAuthorizationRequest } from "../../../../schemas/us/payment-authorization.ts"
import { approvalFindings } from "../../../checks/us/supplier-approval.ts"
import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { NOT_EVALUATED } from "../../common/pre-quote-check.ts"
import { checkAmount } from "../../common/request-faults.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { companySubject } from "../company-record.ts"
import { invoiceSubject } from "../earlier-answers.ts"
import { companyParty, companySupplier } from "../supplier-naming.ts"
import { approvalOf, reserveAuthorization } from "./reserve.ts"
import { type PaymentAuthorization, paymentAuthorizationRules } from "./rules.ts"

export function paymentAuthorization(context: UsSources): BusinessAnswerProduct<PaymentAuthorization> {
  return {
    ...paymentAuthorizationRules,
    validations: [
      { id: "AMOUNT_AND_CURRENCY", needs: ["amount", "currency"], judge: ({ request }) => checkAmount(request) },
      companyIdentifier,
    ],
    checksBeforeQuote: [
      evaluationTime,
      legalName(context),
      // Not evaluated before the payment: the payer is known only after the payment's signature was verified. The reserving transaction
      // runs this check (rulings 67).
      { id: "EARLIER_AUTHORIZATION", needs: [], judge: () => NOT_EVALUATED },
    ],
    fixedOutcome: {
      needs: ["company", "supplier_approval_reference"],
      evidence: () => [],
      *named({ supplier_approval_reference: reference, company }) {
        return { approval: yield* approvalOf(null, reference, company) }
      },
      findings: ({ company }, named, at) => (named ? approvalFindings(named.approval, company, at) : []),
      pointer: () => "/supplier_approval_reference",
    },
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(context, request, at),
    reserve: reserveAuthorization,
    gather: (request, base, { earlier, approval, recorded }) => ({
      ...gatherCompany(context, request, base, { recorded }),
      earlier_answers: earlier,
      supplier_approval: approval,
    }),
    undecided: (request) => ({
      ...boundOf(request),
      gates: { restricted_party: "HOLD", invoice_payee: "HOLD", supplier_approval: "HOLD" },
      authorization_token: "",
      single_use: true,
    }),
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(company, registration),
    record: (request) => ({ ...invoiceSubject(request), payeeFingerprint: request.payee_fingerprint }),
    token: (request, { payer: wallet }) => ({ kind: "PAYMENT", binding: { ...boundOf(request), wallet } }),
  }
}

/** The subject of the answer, to which its token is bound together with the buying wallet (rulings 58). */
function boundOf({ company, payee_fingerprint, amount, currency }: PaymentAuthorizationRequest) {
  return { supplier_key: companySubject(company).subject, payee_fingerprint, amount, currency }
}
