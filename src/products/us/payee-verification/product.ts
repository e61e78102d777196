import type { PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { digestFaults } from "../../../checks/policy/digests.ts"
import { payeeBindingFindings } from "../../../checks/us/payee-binding.ts"
import { readSupplierSet } from "../../../store/sales/supplier-sets.ts"
import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { policyInForce } from "../../common/answer-rules.ts"
import { digestRefusal } from "../../common/request-faults.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { earlierAnswers, invoiceSubject } from "../earlier-answers.ts"
import { walletHits } from "../screening.ts"
import { companyParty, companySupplier, namingOf } from "../supplier-naming.ts"
import { type PayeeVerification, payeeVerificationRules } from "./rules.ts"

const BINDING = "/binding_evidence"
const { thresholds } = policyInForce(payeeVerificationRules)

export function payeeVerification(context: UsSources): BusinessAnswerProduct<PayeeVerification> {
  return {
    ...payeeVerificationRules,
    validations: [
      { id: "DIGESTS", needs: ["payee", "payment_destination"], judge: ({ request }) => checkFingerprints(request) },
      companyIdentifier,
    ],
    checksBeforeQuote: [evaluationTime, legalName(context)],
    fixedOutcome: {
      needs: ["binding_evidence"],
      evidence: ({ binding_evidence: attested }) => [{ pointer: BINDING, attested }],
      findings: ({ binding_evidence }, _, at) => payeeBindingFindings(binding_evidence, thresholds, at),
      pointer: () => BINDING,
    },
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(context, request, at),
    *reserve(request, { payer }) {
      const set = yield* readSupplierSet(payer, namingOf(request.company))
      return { earlier: yield* earlierAnswers(payer, request, set), recorded: set.recorded }
    },
    gather: (request, base, { earlier, recorded }) => ({
      ...gatherCompany(context, request, base, { recorded }),
      wallet_hits: walletHits(context.sources.index(), request),
      earlier_answers: earlier,
    }),
    undecided: ({ payee }) => ({
      gates: { company: "HOLD", restricted_party: "HOLD", invoice_payee: "HOLD", binding: "HOLD" },
      payee_fingerprint: payee.fingerprint,
    }),
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(company, registration),
    record: (request) => ({
      ...invoiceSubject(request),
      payeeFingerprint: request.payee.fingerprint,
      destinationFingerprint: request.payment_destination.fingerprint,
    }),
  }
}

function checkFingerprints({ payee, payment_destination }: PayeeVerificationRequest): ServiceError | null {
  const faults = digestFaults({ payee, payment_destination })
  return faults.length === 0 ? null : digestRefusal(faults)
}
