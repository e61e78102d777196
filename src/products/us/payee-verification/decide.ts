/**
 * The US invoice and payee verification: decides whether this payee belongs to the company, and whether this invoice was seen before with
 * other content. Pure and total.
 */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type { Observation } from "../../../../schemas/observation.ts"
import type {
  PayeeVerificationFacts,
  PayeeVerificationRequest,
  PayeeVerificationResult,
} from "../../../../schemas/us/payee-verification.ts"
import { callerStatement, ownRecords } from "../../../checks/attested-evidence.ts"
import { answerCore } from "../../../checks/policy/answer.ts"
import { found, type GateResult } from "../../../checks/policy/gate.ts"
import { payeeBindingEvidence, payeeBindingGate } from "../../../checks/us/payee-binding.ts"
import { companyEvidence, companyGate, paymentEnds, screeningGate, usCoverage } from "../../../checks/us/us-company.ts"
import { invoiceEvidence, invoiceGate } from "../../../checks/us/us-invoice.ts"
import { usRequiredInformation } from "../../../checks/us/us-required-information.ts"
import { instant } from "../../../core/time.ts"
import type { PayeeVerificationPolicy } from "./policy.ts"

export function decide(
  request: PayeeVerificationRequest,
  facts: PayeeVerificationFacts,
  policy: PayeeVerificationPolicy,
): AnswerCore<PayeeVerificationResult> {
  const { thresholds } = policy
  const wallets = [facts.wallet_hits.payee, facts.wallet_hits.payment_destination].filter((hit) => hit !== null)
  const gates = [
    companyGate(request.company, facts),
    screeningGate(facts, thresholds),
    invoiceGate(request, facts, wallets.length > 0),
    bindingGate(request, facts, policy),
  ]
  return answerCore(facts, policy, {
    gates,
    observations: [
      ...companyEvidence(request.company, facts, wallets),
      invoiceEvidence(request.invoice, facts.at),
      paymentEvidence(request, facts.at),
      payeeBindingEvidence(request.binding_evidence, thresholds, instant(facts.at)),
      ownRecords(facts.at, [`EARLIER_ANSWERS:${facts.earlier_answers.length}`], facts.earlier_answers),
    ],
    coverage: usCoverage(request.company),
    ends: paymentEnds(facts, thresholds.validity_minutes_max, [request.binding_evidence.valid_until]),
    requiredInformation: usRequiredInformation(gates),
    result: ({ authorizationOf }) => ({
      gates: {
        company: authorizationOf("COMPANY_IDENTITY"),
        restricted_party: authorizationOf("RESTRICTED_PARTY"),
        invoice_payee: authorizationOf("INVOICE_PAYEE"),
        binding: authorizationOf("PAYEE_BINDING"),
      },
      payee_fingerprint: request.payee.fingerprint,
    }),
  })
}

/** CHOICE: the evidence covers the payee only. If the money goes to another destination, the answer states this as a limitation. */
function bindingGate(
  { binding_evidence: binding, payee, payment_destination: destination }: PayeeVerificationRequest,
  { at }: PayeeVerificationFacts,
  { thresholds }: PayeeVerificationPolicy,
): GateResult<"PAYEE_BINDING"> {
  const { codes } = payeeBindingGate(binding, thresholds, instant(at))
  const differs = payee.fingerprint !== destination.fingerprint && "DESTINATION_DIFFERS_FROM_PAYEE"
  return { gate: "PAYEE_BINDING", ...found(codes, [differs]) }
}

function paymentEvidence({ payee, payment_destination }: PayeeVerificationRequest, at: string): Observation {
  const given = { sourceId: "CALLER_PAYMENT_DETAILS", kind: "payment-details", at }
  return callerStatement(given, { payee, payment_destination })
}
