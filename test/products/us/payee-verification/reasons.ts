import type { BindingEvidence } from "../../../../schemas/caller-evidence.ts"
import type { PayeeVerificationFacts, PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { payeeVerificationExample } from "../../../../src/products/us/payee-verification/example.ts"
import { type PayeeVerification, payeeVerificationRules } from "../../../../src/products/us/payee-verification/rules.ts"
import { freshCall } from "../../../fixtures/answers.ts"
import { DECIDED_AT, screeningHit } from "../../../fixtures/decision.ts"
import type { ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"
import { EARLIER_FAULTS } from "../../../fixtures/us-invoice.ts"

/** `at` in milliseconds. */
export function verificationBody(
  at: number,
  changes: Partial<PayeeVerificationRequest> = {},
): PayeeVerificationRequest {
  return { ...payeeVerificationExample(freshCall(at)), ...changes }
}

export function verificationFacts(changes: Partial<PayeeVerificationFacts> = {}): PayeeVerificationFacts {
  return {
    ...usFacts(payeeVerificationRules.id),
    wallet_hits: { payee: null, payment_destination: null },
    earlier_answers: [],
    ...changes,
  }
}

type Input = { readonly request: PayeeVerificationRequest }

function bindingFault(code: string, changes: Partial<BindingEvidence>, hiddenBy: readonly string[] = []) {
  return {
    code,
    hiddenBy,
    spoil: ({ request }: Input) => ({
      request: { ...request, binding_evidence: { ...request.binding_evidence, ...changes } },
    }),
  }
}

const since = (by: number) => formatInstant(DECIDED_AT + by)

export const WALK: ReasonWalk<PayeeVerification> = {
  rules: payeeVerificationRules,
  input: () => ({ request: verificationBody(DECIDED_AT), facts: verificationFacts() }),
  faults: [
    US_FAULTS.match,
    {
      code: "WALLET_RESTRICTED",
      spoil: ({ facts }) => ({
        facts: { ...facts, wallet_hits: { payee: null, payment_destination: screeningHit({ tier: "BLOCK" }) } },
      }),
    },
    EARLIER_FAULTS.alreadyAuthorized,
    US_FAULTS.nameMismatch,
    US_FAULTS.possibleMatch,
    EARLIER_FAULTS.authorizedBefore,
    EARLIER_FAULTS.documentChanged,
    EARLIER_FAULTS.documentReused,
    bindingFault("PAYEE_BINDING_EXPIRED", { valid_until: since(0) }),
    bindingFault("PAYEE_BINDING_NOT_YET_VALID", { verified_at: since(1) }),
    bindingFault("PAYEE_BINDING_TOO_OLD", { verified_at: since(-90 * DAY - 1) }, ["PAYEE_BINDING_NOT_YET_VALID"]),
    US_FAULTS.insufficient,
    US_FAULTS.notRegistered,
    US_FAULTS.programCondition,
    bindingFault("PAYEE_BINDING_WEAK", { type: "SUPPLIER_STATEMENT" }),
    US_FAULTS.attestedOnly,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
