/**
 * The US payment authorization: decides whether this obligation may be paid to this approved supplier, now and once. Pure and total. It
 * moves no money.
 */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type { Observation } from "../../../../schemas/observation.ts"
import type {
  PaymentAuthorizationFacts,
  PaymentAuthorizationRequest,
  PaymentAuthorizationResult,
} from "../../../../schemas/us/payment-authorization.ts"
import { ownRecords } from "../../../checks/attested-evidence.ts"
import { answerCore } from "../../../checks/policy/answer.ts"
import type { GateResult } from "../../../checks/policy/gate.ts"
import { supplierApprovalGate } from "../../../checks/us/supplier-approval.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { companyEvidence, paymentEnds, screeningGate, usCoverage } from "../../../checks/us/us-company.ts"
import { invoiceEvidence, invoiceGate } from "../../../checks/us/us-invoice.ts"
import { usRequiredInformation } from "../../../checks/us/us-required-information.ts"
import { instant } from "../../../core/time.ts"
import type { PaymentAuthorizationPolicy } from "./policy.ts"

export function decide(
  request: PaymentAuthorizationRequest,
  facts: PaymentAuthorizationFacts,
  policy: PaymentAuthorizationPolicy,
): AnswerCore<PaymentAuthorizationResult> {
  const supplierKey = checkSupplierIdentifiers(request.company.identifiers).supplierKey ?? ""
  const gates = [
    screeningGate(facts, policy.thresholds),
    obligationGate(request, facts),
    supplierApprovalGate(facts.supplier_approval, request.company, instant(facts.at)),
  ]
  return answerCore(facts, policy, {
    gates,
    observations: [
      ...companyEvidence(request.company, facts),
      invoiceEvidence(request.invoice, facts.at),
      recordsEvidence(facts),
    ],
    coverage: usCoverage(request.company),
    // An authorization never outlasts the approval that it relies on.
    ends: paymentEnds(
      facts,
      policy.thresholds.validity_minutes_max,
      facts.supplier_approval ? [facts.supplier_approval.valid_until] : [],
    ),
    requiredInformation: usRequiredInformation(gates),
    result: ({ authorizationOf }) => ({
      supplier_key: supplierKey,
      payee_fingerprint: request.payee_fingerprint,
      gates: {
        restricted_party: authorizationOf("RESTRICTED_PARTY"),
        invoice_payee: authorizationOf("INVOICE_PAYEE"),
        supplier_approval: authorizationOf("SUPPLIER_APPROVAL"),
      },
      amount: request.amount,
      currency: request.currency,
      authorization_token: "",
      single_use: true,
    }),
  })
}

/** The payee is known only by its fingerprint. Its wallet was not screened, so the answer does not call it clear. */
function obligationGate(
  request: PaymentAuthorizationRequest,
  facts: PaymentAuthorizationFacts,
): GateResult<"INVOICE_PAYEE"> {
  const result = invoiceGate(request, facts, false)
  return { ...result, limitations: [...result.limitations, "PAYEE_WALLET_NOT_SCREENED"] }
}

function recordsEvidence({ at, earlier_answers, supplier_approval }: PaymentAuthorizationFacts): Observation {
  const claims = [
    `EARLIER_ANSWERS:${earlier_answers.length}`,
    `SUPPLIER_APPROVAL:${supplier_approval?.decision ?? "NOT_FOUND"}`,
  ]
  return ownRecords(at, claims, { earlier_answers, supplier_approval })
}
