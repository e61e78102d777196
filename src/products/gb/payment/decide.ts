/** The UK business payment: decides whether this company may be paid, on this invoice, at this payee. Pure and total. It moves no money. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type { GbPaymentFacts, GbPaymentRequest, GbPaymentResult } from "../../../../schemas/gb/payment.ts"
import { challengeEvidence } from "../../../checks/change-challenge.ts"
import { answerEnds } from "../../../checks/gb/answer-ends.ts"
import { gbCoverage } from "../../../checks/gb/coverage.ts"
import { invoiceEvidence, supplierEvidence } from "../../../checks/gb/evidence.ts"
import { invoiceGate } from "../../../checks/gb/invoice.ts"
import { payeeGate } from "../../../checks/gb/payee.ts"
import { requiredInformation } from "../../../checks/gb/required-information.ts"
import { supplierGate } from "../../../checks/gb/supplier.ts"
import { answerCore } from "../../../checks/policy/answer.ts"
import { payeeBindingEvidence } from "../../../checks/us/payee-binding.ts"
import { instant, MINUTE } from "../../../core/time.ts"
import type { GbPaymentPolicy } from "./policy.ts"

export function decide(
  request: GbPaymentRequest,
  facts: GbPaymentFacts,
  policy: GbPaymentPolicy,
): AnswerCore<GbPaymentResult> {
  const { company_number: companyNumber, supplier, payee, vendor_change: change } = request
  const { thresholds } = policy
  const at = instant(facts.at)
  const gates = [
    supplierGate({ companyNumber, supplierNumber: supplier.company_number }, facts, thresholds),
    invoiceGate(request, facts, thresholds),
    payeeGate(request, facts, thresholds),
  ]
  const stated = [payee.binding_evidence.valid_until, ...(change ? [change.challenge.valid_until] : [])]
  return answerCore(facts, policy, {
    gates,
    observations: [
      ...supplierEvidence(companyNumber, facts),
      invoiceEvidence(request.invoice, facts),
      payeeBindingEvidence(payee.binding_evidence, thresholds, at),
      ...(change ? [challengeEvidence(change.challenge, thresholds, at)] : []),
    ],
    coverage: gbCoverage(facts.company),
    ends: answerEnds(facts, at + thresholds.validity_minutes_max * MINUTE, stated),
    requiredInformation: requiredInformation(
      gates.flatMap(({ codes }) => codes),
      "/vendor_change",
    ),
    result: ({ authorizationOf }) => ({
      company_number: companyNumber,
      payee_fingerprint: payee.payee_fingerprint,
      gates: {
        supplier: authorizationOf("SUPPLIER"),
        // Without a name in the register no name was compared, so the invoice gate must not say ALLOW.
        invoice:
          facts.invoice_name === null && authorizationOf("INVOICE") === "ALLOW" ? "HOLD" : authorizationOf("INVOICE"),
        payee: authorizationOf("PAYEE"),
      },
      amount: request.amount,
      currency: request.currency,
      authorization_token: "",
      single_use: true,
    }),
  })
}
