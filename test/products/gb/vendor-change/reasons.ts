import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import { formatInstant, HOUR } from "../../../../src/core/time.ts"
import { type GbVendorChange, gbVendorChangeRules } from "../../../../src/products/gb/vendor-change/rules.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import { GB_OTHER_PAYEE, gbChangeBody } from "../../../fixtures/gb.ts"
import { changeFacts, GB_FAULTS, gbFacts } from "../../../fixtures/gb-facts.ts"
import type { Fault, ReasonWalk } from "../../../fixtures/reason-walk.ts"

const at = (from: number) => formatInstant(DECIDED_AT + from)

function ownFault(
  code: string,
  changes: (change: ChangeFacts) => Partial<ChangeFacts>,
  hiddenBy: readonly string[] = [],
): Fault<GbVendorChange> {
  return {
    code,
    hiddenBy,
    spoil: ({ facts }) => ({ facts: { ...facts, change: { ...facts.change, ...changes(facts.change) } } }),
  }
}

function challengeFault(code: string, changes: Partial<GbVendorChange["request"]["challenge"]>): Fault<GbVendorChange> {
  return {
    code,
    spoil: ({ request }) => ({ request: { ...request, challenge: { ...request.challenge, ...changes } } }),
  }
}

export const WALK: ReasonWalk<GbVendorChange> = {
  rules: gbVendorChangeRules,
  input: () => ({
    request: gbChangeBody({}, DECIDED_AT),
    facts: { ...gbFacts(gbVendorChangeRules.id), change: changeFacts() },
  }),
  faults: [
    GB_FAULTS.notRegistered,
    GB_FAULTS.notInFile,
    ...GB_FAULTS.others,
    ownFault("PRIOR_AUTHORIZATION_NOT_FOUND", () => ({ prior_authorization: null })),
    ownFault(
      "PRIOR_AUTHORIZATION_DIFFERS",
      ({ prior_authorization: prior }) => ({
        prior_authorization: prior && { ...prior, payee_fingerprint: GB_OTHER_PAYEE },
      }),
      ["PRIOR_AUTHORIZATION_NOT_FOUND"],
    ),
    ownFault("CHALLENGE_REUSED", () => ({ challenge_reused: true })),
    challengeFault("CHALLENGE_NOT_FRESH", { verified_at: at(-24 * HOUR - 1) }),
    challengeFault("CHALLENGE_EXPIRED", { valid_until: at(0) }),
    GB_FAULTS.accepted,
  ],
}
