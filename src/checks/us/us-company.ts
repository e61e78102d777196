/** The first checks of every US operation: the company's federal identity and the restricted-party lists. Pure. */
import type { UsAnswerCoverage } from "../../../schemas/business-answer.ts"
import type { Observation } from "../../../schemas/observation.ts"
import type { ScreeningHit } from "../../../schemas/screening-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { Company } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { RecordedSupplier } from "../../../schemas/us/recorded-supplier.ts"
import { instant, MINUTE } from "../../core/time.ts"
import { callerStatement, ownRecords } from "../attested-evidence.ts"
import { sourceEnds } from "../policy/answer.ts"
import type { GateResult } from "../policy/gate.ts"
import { registrationObservation, screeningObservation } from "../policy/observation.ts"
import { type PolicyReason, reasonRow } from "../policy/policy.ts"
import { isAcceptedFact, SOURCE_ACCEPTED } from "../policy/source-provenance.ts"
import { companyIdentityGate } from "./company-identity.ts"
import { judgeRecorded, recordedScreenings } from "./recorded-supplier.ts"
import { restrictedPartyGate } from "./restricted-party.ts"
import {
  type CheckedIdentifier,
  checkSupplierIdentifiers,
  unusedIdentifierLimitations,
} from "./supplier-identifiers.ts"

export interface UsThresholds {
  readonly required_sources: readonly string[]
  readonly restricted_party_review_score: Readonly<Record<Tolerance, string>>
}

export const US_THRESHOLDS: UsThresholds = {
  required_sources: ["US_OFAC_CONSOLIDATED", "US_OFAC_SDN", "US_SAM_EXCLUSIONS", "US_TRADE_CSL"],
  restricted_party_review_score: { LOW: "0.75", MEDIUM: "0.80", HIGH: "0.85" },
}

/** What a US operation never checks. */
export const US_COVERAGE: UsAnswerCoverage = {
  country: "US",
  jurisdiction: "US",
  scope: "FEDERAL_ONLY",
  state_coverage: "NONE_PHASE_1",
  state_good_standing: "NOT_ASSERTED",
  population: "FEDERAL_IDENTIFIER_HOLDERS",
  supported: true,
  limitations: [
    "FEDERAL_LISTS_ONLY",
    "STATE_REGISTERS_NOT_CHECKED",
    "BENEFICIAL_OWNERSHIP_NOT_CHECKED",
    "NO_CONTINUOUS_MONITORING",
  ],
}

/** The same coverage, with the identifiers of this company that were used in no look-up. */
export function usCoverage({ identifiers }: Company): UsAnswerCoverage {
  return { ...US_COVERAGE, limitations: [...US_COVERAGE.limitations, ...unusedIdentifierLimitations(identifiers)] }
}

export function companyGate(company: Company, facts: UsFacts): GateResult<"COMPANY_IDENTITY"> {
  const { identifiers } = checkSupplierIdentifiers(company.identifiers)
  const judged = judgeRecorded(facts, ({ registration }) => {
    const found = companyIdentityGate({ identifiers, registration })
    const isAccepted = (registration?.lookups ?? []).some(isAcceptedFact)
    return { ...found, codes: [...found.codes, ...(isAccepted ? [SOURCE_ACCEPTED] : [])] }
  })
  return { gate: "COMPANY_IDENTITY", ...judged }
}

export function screeningGate(
  facts: UsFacts,
  thresholds: UsThresholds,
  tolerance: Tolerance = "MEDIUM",
): GateResult<"RESTRICTED_PARTY"> {
  return {
    gate: "RESTRICTED_PARTY",
    ...judgeRecorded(facts, ({ screening }) =>
      restrictedPartyGate({
        screening,
        sources: facts.sources,
        requiredSources: thresholds.required_sources,
        accepted: "CONDITION",
        reviewScore: Number(thresholds.restricted_party_review_score[tolerance]),
        at: instant(facts.at),
      }),
    ),
  }
}

/** Evidence from the lists, the registers, and the caller's own statements about the company, labelled as such. */
export function companyEvidence(
  company: Company,
  facts: UsFacts,
  walletHits: readonly ScreeningHit[] = [],
): Observation[] {
  const { identifiers } = checkSupplierIdentifiers(company.identifiers)
  const { screening, recorded_supplier: recorded } = facts
  return [
    ...facts.sources.map((source) => screeningObservation(source, screening, walletHits, recordedScreenings(facts))),
    ...(facts.registration?.lookups ?? []).map(registrationObservation),
    ...(recorded ? [recordedEvidence(facts.at, recorded)] : []),
    identityEvidence(facts.at, identifiers, company),
  ]
}

/** How many identifiers the records know, without their values. */
function recordedEvidence(at: string, recorded: RecordedSupplier): Observation {
  const claims = [`RECORDED_IDENTIFIERS:${recorded.identifiers.length}`]
  return ownRecords(at, claims, recorded)
}

/** The supplier as the caller states it, and how far its identifiers were checked. */
export function identityEvidence(at: string, identifiers: readonly CheckedIdentifier[], supplier: object): Observation {
  const claims = identifiers.map(({ kind, assurance }) => `${kind.toUpperCase()}:${assurance}`)
  return callerStatement({ sourceId: "CALLER_SUPPLIER_IDENTITY", kind: "supplier-identity", at, claims }, supplier)
}

/**
 * Returns the latest possible ends of an answer in milliseconds (rulings 41): its own maximum lifetime, the lists, and the ends that the
 * caller's evidence states. An end in the past is a reason in the answer; it does not end the answer.
 */
export function statedEnds(facts: UsFacts, longest: number, stated: readonly string[]): number[] {
  const at = instant(facts.at)
  return [longest, ...[...sourceEnds(facts), ...stated.map(instant)].filter((end) => end > at)]
}

/** The same for an answer about one payment. */
export function paymentEnds(facts: UsFacts, minutesMax: number, stated: readonly string[] = []): number[] {
  return statedEnds(facts, instant(facts.at) + minutesMax * MINUTE, stated)
}

/** Each policy places these rows in its own order of precedence, among the rows of its other gates. */
export const COMPANY_ROWS = {
  match: reasonRow(
    "RESTRICTED_PARTY_MATCH",
    "RESTRICTED_PARTY",
    "BLOCK",
    "STOP",
    "The company is on a federal list that forbids payment.",
  ),
  nameMismatch: reasonRow(
    "SUPPLIER_NAME_MISMATCH",
    "COMPANY_IDENTITY",
    "HOLD",
    "CORRECT_SUPPLIER_IDENTITY",
    "The registered name of the identifier is another one.",
  ),
  possibleMatch: reasonRow(
    "RESTRICTED_PARTY_POSSIBLE_MATCH",
    "RESTRICTED_PARTY",
    "HOLD",
    "REVIEW_SCREENING_HITS",
    "The company resembles a listed party; a person must tell them apart.",
  ),
  insufficient: reasonRow(
    "EVIDENCE_INSUFFICIENT",
    "RESTRICTED_PARTY",
    "INCONCLUSIVE",
    "RETRY_WITH_BETTER_EVIDENCE",
    "The lists or the name did not suffice to say clear.",
  ),
  notRegistered: reasonRow(
    "REGISTRATION_NOT_FOUND",
    "COMPANY_IDENTITY",
    "CONDITION",
    "CONFIRM_SUPPLIER_REGISTRATION",
    "The identifier is not in the imported register.",
  ),
  programCondition: reasonRow(
    "RESTRICTED_PARTY_PROGRAM_CONDITION",
    "RESTRICTED_PARTY",
    "CONDITION",
    "CONFIRM_PROGRAM_PERMITS_PAYMENT",
    "The company is listed under a program that restricts without forbidding payment.",
  ),
} as const satisfies Readonly<Record<string, PolicyReason>>

/** For products with a tolerance: a condition at LOW tolerance, a limitation above it. */
export const LOW_TOLERANCE_ROWS = {
  attestedOnly: reasonRow(
    "IDENTITY_ATTESTED_ONLY",
    "COMPANY_IDENTITY",
    "CONDITION",
    "CONFIRM_SUPPLIER_REGISTRATION",
    "No register was imported, so the identity is the caller's word, and the tolerance is low.",
    ["LOW"],
  ),
  aging: reasonRow(
    "SOURCE_AGING",
    "RESTRICTED_PARTY",
    "CONDITION",
    "CONFIRM_LISTS_ARE_CURRENT",
    "A list is older than its publisher's rhythm, and the tolerance is low.",
    ["LOW"],
  ),
} as const satisfies Readonly<Record<string, PolicyReason>>

function stated(code: string, gate: string, tolerances?: readonly Tolerance[]): PolicyReason {
  return reasonRow(code, gate, "PASS", "", "Stated as a limitation.", tolerances)
}

const ABOVE_LOW = ["MEDIUM", "HIGH"] as const satisfies readonly Tolerance[]
export const STATED_ABOVE_LOW: readonly PolicyReason[] = [
  stated("IDENTITY_ATTESTED_ONLY", "COMPANY_IDENTITY", ABOVE_LOW),
  stated("SOURCE_AGING", "RESTRICTED_PARTY", ABOVE_LOW),
]

/** For products that only screen the company. */
export const STATED_AGING = stated("SOURCE_AGING", "RESTRICTED_PARTY")

/** Findings without an effect in products that have no tolerance. The answer states them as limitations. */
export const STATED_ONLY: readonly PolicyReason[] = [stated("IDENTITY_ATTESTED_ONLY", "COMPANY_IDENTITY"), STATED_AGING]
