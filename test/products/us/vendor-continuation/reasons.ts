import type {
  ContinuedAuthorization,
  VendorContinuationFacts,
  VendorContinuationRequest,
} from "../../../../schemas/us/vendor-continuation.ts"
import { formatInstant, HOUR } from "../../../../src/core/time.ts"
import {
  type VendorContinuation,
  vendorContinuationRules,
} from "../../../../src/products/us/vendor-continuation/rules.ts"
import { usBody } from "../../../fixtures/answers.ts"
import { DECIDED_AT, SOURCE_IDS, sourceFact } from "../../../fixtures/decision.ts"
import type { DecisionInput, Fault, ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"

export function continuationRequest(changes: Partial<VendorContinuationRequest> = {}): VendorContinuationRequest {
  return { ...usBody(), prior_authorization_reference: "exe_BBBBBBBBBBBBBBBBBBBBBB", ...changes }
}

/** Given an hour ago on the same lists as {@link continuationFacts}. */
export function continuedAuthorization(changes: Partial<ContinuedAuthorization> = {}): ContinuedAuthorization {
  const { screening } = usFacts(vendorContinuationRules.id)
  return {
    execution_id: "exe_BBBBBBBBBBBBBBBBBBBBBB",
    product: "us.supplier.approve.v1",
    subject: "uei:ZQGGHJH74DW7",
    name_key: "harborlightinstrumentsllc",
    decided_at: formatInstant(DECIDED_AT - HOUR),
    withdrawn: false,
    lists: SOURCE_IDS.map((id) => ({ source_id: id, source_version: sourceFact(id).source_version })),
    screening: { state: "CLEAR", scorer_version: screening.scorer_version, entries: [] },
    registrations: [],
    ...changes,
  }
}

export function continuationFacts(changes: Partial<VendorContinuationFacts> = {}): VendorContinuationFacts {
  return { ...usFacts(vendorContinuationRules.id), prior_authorization: continuedAuthorization(), ...changes }
}

/** The prior screening found no less; otherwise today's lists would withdraw it too. */
function asBefore(fault: Fault<VendorContinuation>): Fault<VendorContinuation> {
  return {
    ...fault,
    spoil: (input) => {
      const { facts = input.facts } = fault.spoil(input)
      return {
        facts: changed(facts, { screening: { ...continuedAuthorization().screening, state: facts.screening.state } }),
      }
    },
  }
}

function changed(facts: VendorContinuationFacts, prior: Partial<ContinuedAuthorization>): VendorContinuationFacts {
  const { prior_authorization: given } = facts
  return { ...facts, prior_authorization: given && { ...given, ...prior } }
}

const withPrior =
  (prior: Partial<ContinuedAuthorization>) =>
  ({ facts }: DecisionInput<VendorContinuation>) => ({ facts: changed(facts, prior) })

export const WALK: ReasonWalk<VendorContinuation> = {
  rules: vendorContinuationRules,
  input: () => ({ request: continuationRequest(), facts: continuationFacts() }),
  faults: [
    asBefore(US_FAULTS.match),
    asBefore(US_FAULTS.possibleMatch),
    {
      code: "PRIOR_AUTHORIZATION_NOT_FOUND",
      spoil: ({ facts }) => ({ facts: { ...facts, prior_authorization: null } }),
    },
    {
      code: "PRIOR_AUTHORIZATION_DIFFERS",
      spoil: withPrior({ subject: "uei:N5HX2R8Q4KL9" }),
      hiddenBy: ["PRIOR_AUTHORIZATION_NOT_FOUND"],
    },
    {
      code: "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
      spoil: withPrior({ withdrawn: true }),
      hiddenBy: ["PRIOR_AUTHORIZATION_NOT_FOUND", "PRIOR_AUTHORIZATION_DIFFERS"],
    },
    US_FAULTS.insufficient,
    US_FAULTS.programCondition,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
