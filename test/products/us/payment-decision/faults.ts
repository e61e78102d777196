/** One way to earn each reason, in policy order, so that tests can combine all of them and fix them one by one. */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { MandatePayload } from "../../../../schemas/us/mandate.ts"
import type { DecisionRequest, Tolerance } from "../../../../schemas/us/payment-decision.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR } from "../../../../src/core/time.ts"
import {
  DECIDED_AT,
  decisionFacts,
  destination,
  earlierDecision,
  screeningHit,
  screeningOf,
  signedRequest,
} from "../../../fixtures/decision.ts"

export interface Draft {
  request: DecisionRequest
  facts: DecisionFacts
}

interface Fault {
  readonly code: string
  readonly request?: Partial<DecisionRequest>
  readonly mandate?: Partial<MandatePayload>
  readonly facts?: (draft: Draft) => void
}

const SAME_OBLIGATION = "inv-2026-0042"
const LONG_AGO = formatInstant(DECIDED_AT - 60 * DAY)

export const FAULTS: readonly Fault[] = [
  {
    code: "RESTRICTED_PARTY_MATCH",
    facts: ({ facts }) => {
      facts.screening = screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })])
    },
  },
  {
    code: "WALLET_RESTRICTED",
    facts: ({ facts }) => {
      facts.wallet_hits.payment_destination = screeningHit({ tier: "BLOCK", basis: "IDENTIFIER" })
    },
  },
  {
    code: "OBLIGATION_ALREADY_AUTHORIZED",
    facts: (draft) =>
      addEarlier(draft, {
        obligation_key: SAME_OBLIGATION,
        document_digest: draft.request.invoice.document_digest,
        valid_until: formatInstant(DECIDED_AT + HOUR),
      }),
  },
  {
    code: "SUPPLIER_NAME_MISMATCH",
    facts: ({ facts }) => {
      facts.registration = { source_id: "US_SAM_ENTITY", snapshot_id: "s1", found: true, name_agrees: false }
    },
  },
  {
    code: "RESTRICTED_PARTY_POSSIBLE_MATCH",
    facts: ({ facts }) => {
      facts.screening = screeningOf("POSSIBLE_MATCH", [screeningHit()])
    },
  },
  {
    code: "OBLIGATION_AUTHORIZED_BEFORE",
    facts: (draft) =>
      addEarlier(draft, { obligation_key: SAME_OBLIGATION, document_digest: draft.request.invoice.document_digest }),
  },
  {
    code: "OBLIGATION_DOCUMENT_CHANGED",
    facts: (draft) => {
      const response_digest = digestOf("acknowledged")
      addEarlier(draft, { obligation_key: SAME_OBLIGATION, response_digest, decided_at: LONG_AGO })
      draft.facts.resolved_references.push({
        reference: response_digest,
        kind: "DECISION",
        payee_fingerprint: draft.request.payee.fingerprint,
        destination_fingerprint: draft.request.payment_destination.fingerprint,
        decided_at: LONG_AGO,
      })
    },
  },
  {
    code: "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
    facts: (draft) => addEarlier(draft, { document_digest: draft.request.invoice.document_digest }),
  },
  {
    code: "MANDATE_REVOKED",
    facts: ({ facts }) => {
      facts.mandate.state = "REVOKED"
    },
  },
  {
    code: "MANDATE_NOT_CURRENT",
    facts: ({ facts }) => {
      facts.mandate.valid_until = facts.at
    },
  },
  { code: "MANDATE_LIMIT_EXCEEDED", mandate: { max_payment_amount: "12499.999999" } },
  {
    code: "DELEGATION_NOT_ACTIVE",
    facts: ({ facts }) => {
      facts.delegation.state = "REVOKED"
    },
  },
  {
    code: "PAYMENT_INSTRUCTION_REUSED",
    facts: (draft) => addEarlier(draft, { payment_instruction_digest: draft.request.payment_instruction_digest }),
  },
  { code: "DESTINATION_DIFFERS_FROM_PAYEE", request: { payee: destination(`0x${"cd".repeat(20)}`) } },
  {
    code: "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
    facts: ({ facts }) => {
      facts.known_destinations = [
        { fingerprint: digestOf("old account"), basis: "ALLOW", reference: digestOf("old"), recorded_at: LONG_AGO },
      ]
    },
  },
  {
    code: "FIRST_PAYMENT_TO_DESTINATION",
    facts: ({ facts }) => {
      facts.known_destinations = []
    },
  },
  {
    code: "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    facts: ({ facts }) => {
      facts.prior_authorization = {
        decision_id: "dec_earlier00000000000001",
        response_digest: digestOf("earlier response"),
        decided_at: LONG_AGO,
        screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]),
      }
    },
  },
  {
    code: "EVIDENCE_INSUFFICIENT",
    facts: ({ facts }) => {
      const [first] = facts.sources
      if (first) first.health = "STALE"
    },
  },
  {
    code: "REGISTRATION_NOT_FOUND",
    facts: ({ facts }) => {
      facts.registration = { source_id: "US_SAM_ENTITY", snapshot_id: "s1", found: false, name_agrees: true }
    },
  },
  {
    code: "IDENTITY_ATTESTED_ONLY",
    facts: ({ facts }) => {
      facts.registration = null
    },
  },
  {
    code: "RESTRICTED_PARTY_PROGRAM_CONDITION",
    facts: ({ facts }) => {
      facts.screening = screeningOf("PROGRAM_CONDITION", [screeningHit({ tier: "CONDITION", measure: "condition" })])
    },
  },
  {
    code: "SOURCE_AGING",
    facts: ({ facts }) => {
      const last = facts.sources.at(-1)
      if (last) last.freshness = "AGING"
    },
  },
  { code: "EXPOSURE_DIFFERS_FROM_AMOUNT", request: { payment_exposure_usdc_equivalent_atomic: "1" } },
]

/**
 * A request and facts with exactly these faults. Where two set the same fact the one of higher precedence wins, because faults are
 * applied from the least to the most severe.
 */
export function inputWith(codes: readonly string[], tolerance: Tolerance): Draft {
  const faults = FAULTS.filter((fault) => codes.includes(fault.code))
  const request = signedRequest({
    request: Object.assign({ risk_policy: { policy_id: "p", tolerance } }, ...faults.map((fault) => fault.request)),
    mandate: Object.assign({}, ...faults.map((fault) => fault.mandate)),
  })
  const facts = structuredClone(
    decisionFacts(request, {
      buyer_tolerance: "HIGH",
      registration: { source_id: "US_SAM_ENTITY", snapshot_id: "s1", found: true, name_agrees: true },
    }),
  )
  const draft = { request, facts }
  for (const fault of faults.toReversed()) fault.facts?.(draft)
  return draft
}

function addEarlier({ request, facts }: Draft, changes: Parameters<typeof earlierDecision>[1]): void {
  facts.earlier_decisions.push(earlierDecision(request, changes))
}
