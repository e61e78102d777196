/** The US company check: decides whether this company is what it claims to be, and whether it is on a list. Pure and total. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type { ScreeningHit, ScreeningState } from "../../../../schemas/screening-facts.ts"
import type {
  Candidate,
  CompanyCheckFacts,
  CompanyCheckRequest,
  CompanyCheckResult,
} from "../../../../schemas/us/company-check.ts"
import type { IdentityState } from "../../../../schemas/us/operation-request.ts"
import { answerCore, mayContinue, sourceEnds } from "../../../checks/policy/answer.ts"
import { recordedScreenings } from "../../../checks/us/recorded-supplier.ts"
import { companyEvidence, companyGate, screeningGate, usCoverage } from "../../../checks/us/us-company.ts"
import { usRequiredInformation } from "../../../checks/us/us-required-information.ts"
import { DAY, instant } from "../../../core/time.ts"
import type { CompanyCheckPolicy } from "./policy.ts"

export function decide(
  request: CompanyCheckRequest,
  facts: CompanyCheckFacts,
  policy: CompanyCheckPolicy,
): AnswerCore<CompanyCheckResult> {
  const gates = [companyGate(request.company, facts), screeningGate(facts, policy.thresholds)]
  return answerCore(facts, policy, {
    gates,
    requiredInformation: usRequiredInformation(gates),
    observations: companyEvidence(request.company, facts),
    coverage: usCoverage(request.company),
    ends: [instant(facts.at) + policy.thresholds.passport_days_max * DAY, ...sourceEnds(facts)],
    result: (judged) => ({
      identity_state: identityState(facts),
      restricted_party: restrictedParty(facts),
      passport: mayContinue(judged)
        ? {
            passport_id: facts.passport_id,
            uri: `${facts.base_url}/v1/us/company-passports/${facts.passport_id}`,
            valid_until: judged.validUntil,
          }
        : null,
    }),
  })
}

/** The strictest of the company as it is named and as the records know it, as in the gates. */
function identityState({ registration, recorded_supplier: recorded }: CompanyCheckFacts): IdentityState {
  const own = registeredState(registration)
  const all = recorded ? registeredState(recorded.registration) : own
  return CONTRADICTING.find((state) => own === state || all === state) ?? own
}

const CONTRADICTING: readonly IdentityState[] = ["NAME_DIFFERS", "NOT_IN_REGISTER"]

function registeredState(registration: CompanyCheckFacts["registration"]): IdentityState {
  if (registration === null) return "ATTESTED_ONLY"
  if (!registration.name_agrees) return "NAME_DIFFERS"
  if (registration.found) return "REGISTERED"
  const lookups = registration.lookups ?? []
  const absent = lookups.filter((one) => !one.found)
  // A register below its minimum size proves no absence.
  const isProven = absent.length === 0 || absent.some((one) => one.is_incomplete === undefined)
  if (isProven) return "NOT_IN_REGISTER"
  return lookups.some((one) => one.found) ? "REGISTERED" : "ATTESTED_ONLY"
}

function restrictedParty(facts: CompanyCheckFacts): CompanyCheckResult["restricted_party"] {
  const { screening } = facts
  if (!facts.recorded_supplier) return { state: screening.state, candidates: screening.hits.map(candidate) }
  const screenings = [screening, ...recordedScreenings(facts)]
  const states = screenings.map(({ state }) => state)
  const candidates = new Map(
    screenings.flatMap(({ hits }) => hits).map((hit) => [`${hit.source_id}\n${hit.entry_id}`, hit]),
  )
  return {
    state: STRICTEST.find((state) => states.includes(state)) ?? screening.state,
    candidates: [...candidates.values()].map(candidate),
  }
}

const STRICTEST: readonly ScreeningState[] = [
  "MATCH",
  "POSSIBLE_MATCH",
  "SCRIPT_UNSUPPORTED",
  "INSUFFICIENT",
  "PROGRAM_CONDITION",
]

function candidate(hit: ScreeningHit): Candidate {
  return {
    source_id: hit.source_id,
    entry_id: hit.entry_id,
    score: hit.score,
    matched_on: hit.basis,
    explanation: `${hit.tier}: ${hit.name_kind} name "${hit.matched_name}", list ${hit.list}`,
  }
}
