import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import type { VendorChangeFacts, VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR } from "../../../../src/core/time.ts"
import { type VendorChange, vendorChangeRules } from "../../../../src/products/us/vendor-change/rules.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import type { Fault, ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"
import { CURRENT_PAYEE, vendorChangeBody } from "../../../fixtures/vendor-change.ts"

const PRIOR = "exe_BBBBBBBBBBBBBBBBBBBBBB"
const at = (from: number) => formatInstant(DECIDED_AT + from)

export function changeRequest(changes: Partial<VendorChangeRequest> = {}): VendorChangeRequest {
  const named = { current_payee_fingerprint: CURRENT_PAYEE, prior_authorization_reference: PRIOR }
  return vendorChangeBody({ ...named, ...changes }, { at: DECIDED_AT })
}

export function changeFacts(changes: Partial<ChangeFacts> = {}): VendorChangeFacts {
  return {
    ...usFacts(vendorChangeRules.id),
    change: {
      prior_authorization: {
        execution_id: PRIOR,
        product: "us.payment.authorize.v1",
        decision: "APPROVE",
        subject: "uei:ZQGGHJH74DW7",
        payee_fingerprint: CURRENT_PAYEE,
        decided_at: at(-30 * DAY),
      },
      challenge_reused: false,
      ...changes,
    },
    delegation: { delegation_id: "dgn_test", valid_until: at(DAY) },
  }
}

function ownFault(
  code: string,
  changes: (change: ChangeFacts) => Partial<ChangeFacts>,
  hiddenBy: readonly string[] = [],
): Fault<VendorChange> {
  return {
    code,
    hiddenBy,
    spoil: ({ facts }) => ({ facts: { ...facts, change: { ...facts.change, ...changes(facts.change) } } }),
  }
}

function challengeFault(code: string, changes: Partial<VendorChangeRequest["challenge"]>): Fault<VendorChange> {
  return {
    code,
    spoil: ({ request }) => ({ request: { ...request, challenge: { ...request.challenge, ...changes } } }),
  }
}

export const WALK: ReasonWalk<VendorChange> = {
  rules: vendorChangeRules,
  input: () => ({ request: changeRequest(), facts: changeFacts() }),
  faults: [
    US_FAULTS.match,
    US_FAULTS.possibleMatch,
    ownFault("PRIOR_AUTHORIZATION_NOT_FOUND", () => ({ prior_authorization: null })),
    ownFault(
      "PRIOR_AUTHORIZATION_DIFFERS",
      ({ prior_authorization: prior }) => ({
        prior_authorization: prior && { ...prior, payee_fingerprint: digestOf("somebody else's payee") },
      }),
      ["PRIOR_AUTHORIZATION_NOT_FOUND"],
    ),
    ownFault("CHALLENGE_REUSED", () => ({ challenge_reused: true })),
    challengeFault("CHALLENGE_NOT_FRESH", { verified_at: at(-24 * HOUR - 1) }),
    challengeFault("CHALLENGE_EXPIRED", { valid_until: at(0) }),
    US_FAULTS.insufficient,
    US_FAULTS.programCondition,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
