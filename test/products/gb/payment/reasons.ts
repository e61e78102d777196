import type { PayeeChange } from "../../../../schemas/caller-evidence.ts"
import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { DAY, formatInstant, HOUR } from "../../../../src/core/time.ts"
import { type GbPayment, gbPaymentRules } from "../../../../src/products/gb/payment/rules.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import { challenge, GB_OTHER_PAYEE, GB_PAYEE, gbPaymentBody } from "../../../fixtures/gb.ts"
import { changeFacts, GB_FAULTS, gbFacts } from "../../../fixtures/gb-facts.ts"
import type { Fault, ReasonWalk } from "../../../fixtures/reason-walk.ts"

const OTHER = "00000001"
const at = (from: number) => formatInstant(DECIDED_AT + from)

function requestFault(
  code: string,
  changes: (request: GbPaymentRequest) => Partial<GbPaymentRequest>,
  hiddenBy: readonly string[] = [],
): Fault<GbPayment> {
  return { code, hiddenBy, spoil: ({ request }) => ({ request: { ...request, ...changes(request) } }) }
}

function bindingFault(
  code: string,
  changes: Partial<GbPaymentRequest["payee"]["binding_evidence"]>,
  hiddenBy: readonly string[] = [],
): Fault<GbPayment> {
  const changed = ({ payee }: GbPaymentRequest) => ({
    payee: { ...payee, binding_evidence: { ...payee.binding_evidence, ...changes } },
  })
  return requestFault(code, changed, hiddenBy)
}

function nameFault(
  code: string,
  invoice_name: GbPayment["facts"]["invoice_name"],
  hiddenBy: readonly string[] = [],
): Fault<GbPayment> {
  return { code, hiddenBy, spoil: ({ facts }) => ({ facts: { ...facts, invoice_name } }) }
}

function ownFault(
  code: string,
  changes: (change: ChangeFacts) => Partial<ChangeFacts>,
  hiddenBy: readonly string[] = [],
): Fault<GbPayment> {
  return {
    code,
    hiddenBy,
    spoil: ({ facts }) => ({
      facts: { ...facts, change: facts.change && { ...facts.change, ...changes(facts.change) } },
    }),
  }
}

function challengeFault(code: string, changes: Partial<PayeeChange["challenge"]>): Fault<GbPayment> {
  return requestFault(code, ({ vendor_change: change }) =>
    change ? { vendor_change: { ...change, challenge: { ...change.challenge, ...changes } } } : {},
  )
}

function fairRequest(): GbPaymentRequest {
  const { payee, ...body } = gbPaymentBody({}, DECIDED_AT)
  return {
    ...body,
    payee: { ...payee, payee_fingerprint: GB_OTHER_PAYEE },
    vendor_change: {
      current_payee_fingerprint: GB_PAYEE,
      proposed_payee_fingerprint: GB_OTHER_PAYEE,
      prior_authorization_reference: "exe_BBBBBBBBBBBBBBBBBBBBBB",
      challenge: challenge({}, DECIDED_AT),
    },
  }
}

export const WALK: ReasonWalk<GbPayment> = {
  rules: gbPaymentRules,
  input: () => ({
    request: fairRequest(),
    facts: {
      ...gbFacts(gbPaymentRules.id),
      invoice_name: { agrees: true, score: 1, previous_name: null },
      change: changeFacts(),
    },
  }),
  faults: [
    GB_FAULTS.notRegistered,
    GB_FAULTS.notInFile,
    requestFault("SUPPLIER_COMPANY_MISMATCH", ({ supplier }) => ({ supplier: { ...supplier, company_number: OTHER } })),
    ...GB_FAULTS.others,
    requestFault("INVOICE_COMPANY_MISMATCH", ({ invoice }) => ({ invoice: { ...invoice, company_number: OTHER } })),
    nameFault("INVOICE_NAME_MISMATCH", { agrees: false, score: 0.3, previous_name: null }),
    nameFault("INVOICE_NAME_IS_PREVIOUS_NAME", { agrees: false, score: 0.3, previous_name: "OLD LANTERN LTD" }, [
      "INVOICE_NAME_MISMATCH",
    ]),
    nameFault("INVOICE_NAME_SIMILAR", { agrees: false, score: 0.9, previous_name: null }, [
      "INVOICE_NAME_MISMATCH",
      "INVOICE_NAME_IS_PREVIOUS_NAME",
    ]),
    requestFault("PAYEE_COMPANY_MISMATCH", ({ payee }) => ({ payee: { ...payee, company_number: OTHER } })),
    bindingFault("PAYEE_BINDING_EXPIRED", { valid_until: at(0) }),
    bindingFault("PAYEE_BINDING_NOT_YET_VALID", { verified_at: at(1) }),
    bindingFault("PAYEE_BINDING_TOO_OLD", { verified_at: at(-90 * DAY - 1) }, ["PAYEE_BINDING_NOT_YET_VALID"]),
    bindingFault("PAYEE_BINDING_WEAK", { type: "SUPPLIER_STATEMENT" }),
    ownFault("PRIOR_AUTHORIZATION_NOT_FOUND", () => ({ prior_authorization: null })),
    ownFault(
      "PRIOR_AUTHORIZATION_DIFFERS",
      ({ prior_authorization: prior }) => ({ prior_authorization: prior && { ...prior, subject: OTHER } }),
      ["PRIOR_AUTHORIZATION_NOT_FOUND"],
    ),
    ownFault("CHALLENGE_REUSED", () => ({ challenge_reused: true })),
    challengeFault("CHALLENGE_NOT_FRESH", { verified_at: at(-24 * HOUR - 1) }),
    challengeFault("CHALLENGE_EXPIRED", { valid_until: at(0) }),
    GB_FAULTS.accepted,
  ],
}
