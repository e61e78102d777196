import type {
  ApprovalFact,
  PaymentAuthorizationFacts,
  PaymentAuthorizationRequest,
} from "../../../../schemas/us/payment-authorization.ts"
import { legalNameKey } from "../../../../src/core/legal-name-key.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { paymentAuthorizationExample } from "../../../../src/products/us/payment-authorization/example.ts"
import {
  type PaymentAuthorization,
  paymentAuthorizationRules,
} from "../../../../src/products/us/payment-authorization/rules.ts"
import { freshCall } from "../../../fixtures/answers.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import type { ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"
import { EARLIER_FAULTS } from "../../../fixtures/us-invoice.ts"

export const APPROVAL = "exe_CCCCCCCCCCCCCCCCCCCCCC"

export function authorizationBody(changes: Partial<PaymentAuthorizationRequest> = {}): PaymentAuthorizationRequest {
  return { ...paymentAuthorizationExample(freshCall()), supplier_approval_reference: APPROVAL, ...changes }
}

/** Of the supplier of the fixtures, given a day ago. */
export function approvalFact(changes: Partial<ApprovalFact> = {}): ApprovalFact {
  return {
    execution_id: APPROVAL,
    decision: "APPROVE",
    supplier_key: "uei:ZQGGHJH74DW7",
    name_key: legalNameKey("Harbor Light Instruments LLC"),
    decided_at: formatInstant(DECIDED_AT - DAY),
    valid_until: formatInstant(DECIDED_AT + 29 * DAY),
    ...changes,
  }
}

export function authorizationFacts(changes: Partial<PaymentAuthorizationFacts> = {}): PaymentAuthorizationFacts {
  return {
    ...usFacts(paymentAuthorizationRules.id),
    earlier_answers: [],
    supplier_approval: approvalFact(),
    ...changes,
  }
}

type Input = { readonly facts: PaymentAuthorizationFacts }

function approvalFault(code: string, changes: Partial<ApprovalFact>) {
  return {
    code,
    hiddenBy: ["SUPPLIER_APPROVAL_NOT_FOUND"],
    spoil: ({ facts }: Input) => ({
      facts: { ...facts, supplier_approval: { ...(facts.supplier_approval ?? approvalFact()), ...changes } },
    }),
  }
}

export const WALK: ReasonWalk<PaymentAuthorization> = {
  rules: paymentAuthorizationRules,
  input: () => ({ request: authorizationBody(), facts: authorizationFacts() }),
  faults: [
    US_FAULTS.match,
    EARLIER_FAULTS.alreadyAuthorized,
    US_FAULTS.possibleMatch,
    EARLIER_FAULTS.authorizedBefore,
    EARLIER_FAULTS.documentChanged,
    EARLIER_FAULTS.documentReused,
    {
      code: "SUPPLIER_APPROVAL_NOT_FOUND",
      spoil: ({ facts }) => ({ facts: { ...facts, supplier_approval: null } }),
    },
    approvalFault("SUPPLIER_APPROVAL_EXPIRED", { valid_until: formatInstant(DECIDED_AT) }),
    approvalFault("SUPPLIER_APPROVAL_DIFFERS", { supplier_key: "uei:ABCDEFGHJKL1" }),
    US_FAULTS.insufficient,
    US_FAULTS.programCondition,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
