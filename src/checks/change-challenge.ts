/**
 * Checks a change of payee for the UK and the US products: the earlier authorization, and a fresh independent challenge that no other
 * request has used.
 */
import type { AnswerDecision } from "../../schemas/business-answer.ts"
import type { ChangeChallenge } from "../../schemas/caller-evidence.ts"
import type { ChangeFacts, ChangeState } from "../../schemas/change-facts.ts"
import type { Observation } from "../../schemas/observation.ts"
import { HOUR, instant } from "../core/time.ts"
import { callerEvidence, PAYEE_EVIDENCE } from "./attested-evidence.ts"
import type { UnchargedReason } from "./policy/answer-policy.ts"
import { found, type GateFindings } from "./policy/gate.ts"
import { codesOf, type Finding, finding, findings } from "./policy/origins.ts"
import { type PolicyReason, reasonRow } from "./policy/policy.ts"

export interface ChallengeThresholds {
  readonly challenge_hours_max: number
}

export interface ProposedChange {
  /** The company, as records of earlier answers identify it. */
  readonly subject: string
  /** Null if the company was never paid. Then no earlier authorization is required. */
  readonly currentFingerprint: string | null
  readonly challenge: ChangeChallenge
}

export function proposedChange(
  subject: string,
  change: { readonly current_payee_fingerprint: string | null; readonly challenge: ChangeChallenge },
): ProposedChange {
  return { subject, currentFingerprint: change.current_payee_fingerprint, challenge: change.challenge }
}

/** `at` is in milliseconds. Every finding of this gate is never sold. */
export function changeChallengeGate(
  change: ProposedChange,
  facts: ChangeFacts,
  thresholds: ChallengeThresholds,
  at: number,
): GateFindings {
  return found(codesOf(changeFindings(change, facts, thresholds, at)))
}

/** The findings of the gate. `facts` is null if the service's own records were not read. */
export function changeFindings(
  change: ProposedChange,
  facts: ChangeFacts | null,
  thresholds: ChallengeThresholds,
  at: number,
): Finding[] {
  const { challenge } = change
  const age = at - instant(challenge.verified_at)
  return [
    ...(facts ? recordFindings(change, facts) : []),
    ...findings(
      age > thresholds.challenge_hours_max * HOUR && finding("CHALLENGE_NOT_FRESH", "EVIDENCE_ENDED"),
      age < 0 && finding("CHALLENGE_NOT_FRESH", "BODY"),
      hasEnded(challenge, at) && finding("CHALLENGE_EXPIRED"),
    ),
  ]
}

function recordFindings(
  { challenge, currentFingerprint, subject }: ProposedChange,
  { prior_authorization: prior, challenge_reused: reused }: ChangeFacts,
): Finding[] {
  const isSame =
    prior !== null && (prior.vouches ?? prior.subject === subject) && prior.payee_fingerprint === currentFingerprint
  // A challenge made before the earlier authorization confirmed another change.
  const isOlder = prior !== null && instant(challenge.verified_at) <= instant(prior.decided_at)
  return findings(
    currentFingerprint !== null && prior === null && finding("PRIOR_AUTHORIZATION_NOT_FOUND"),
    currentFingerprint !== null && prior !== null && !isSame && finding("PRIOR_AUTHORIZATION_DIFFERS"),
    reused && finding("CHALLENGE_REUSED"),
    isOlder && finding("CHALLENGE_NOT_FRESH", "OWN_RECORDS"),
  )
}

export function challengeEvidence(
  challenge: ChangeChallenge,
  thresholds: ChallengeThresholds,
  at: number,
): Observation {
  return callerEvidence(
    {
      sourceId: PAYEE_EVIDENCE,
      kind: "vendor-challenge",
      observedAt: instant(challenge.verified_at),
      retrievedAt: at,
      isCurrent: isFresh(challenge, thresholds, at) && !hasEnded(challenge, at),
      claims: [`CHALLENGE_TYPE:${challenge.type}`],
    },
    challenge,
  )
}

function isFresh({ verified_at: since }: ChangeChallenge, thresholds: ChallengeThresholds, at: number): boolean {
  const age = at - instant(since)
  return age >= 0 && age <= thresholds.challenge_hours_max * HOUR
}

function hasEnded({ valid_until: end }: ChangeChallenge, at: number): boolean {
  return instant(end) <= at
}

/** Rows in order of precedence, for the gate of the product that checks the change. */
export function changeChallengeRows(gate: string): readonly PolicyReason[] {
  return [
    reasonRow(
      "PRIOR_AUTHORIZATION_NOT_FOUND",
      gate,
      "HOLD",
      "REFERENCE_PRIOR_AUTHORIZATION",
      "The reference names no answer to this payer on which it could go on.",
    ),
    reasonRow(
      "PRIOR_AUTHORIZATION_DIFFERS",
      gate,
      "HOLD",
      "REVIEW_PRIOR_AUTHORIZATION",
      "The earlier answer is about another company, or authorized another payee than the current one.",
    ),
    reasonRow(
      "CHALLENGE_REUSED",
      gate,
      "HOLD",
      "OBTAIN_FRESH_CHALLENGE",
      "A challenge of this reference was used for an earlier answer.",
    ),
    reasonRow(
      "CHALLENGE_NOT_FRESH",
      gate,
      "HOLD",
      "OBTAIN_FRESH_CHALLENGE",
      "The challenge is too old, in the future, or from before the earlier authorization.",
    ),
    reasonRow("CHALLENGE_EXPIRED", gate, "HOLD", "OBTAIN_FRESH_CHALLENGE", "The challenge is past its own end."),
  ]
}

/** Rows of a challenge that is a stale source: the answer is not decided and not charged. */
export const CHALLENGE_ENDED: readonly UnchargedReason[] = [
  {
    code: "CHALLENGE_NOT_FRESH",
    decision: "NO_DECISION",
    why: "The challenge was made longer ago than the policy accepts.",
    remediation: "OBTAIN_FRESH_CHALLENGE",
  },
  {
    code: "CHALLENGE_EXPIRED",
    decision: "NO_DECISION",
    why: "The challenge is past its own end.",
    remediation: "OBTAIN_FRESH_CHALLENGE",
  },
]

/** Pointers to the members that could improve the answer, relative to the object that states the change. */
export const CHANGE_POINTERS: Readonly<Record<string, string>> = {
  PRIOR_AUTHORIZATION_NOT_FOUND: "/prior_authorization_reference",
  PRIOR_AUTHORIZATION_DIFFERS: "/prior_authorization_reference",
  CHALLENGE_REUSED: "/challenge",
  CHALLENGE_NOT_FRESH: "/challenge",
  CHALLENGE_EXPIRED: "/challenge",
}

const CHANGE_STATES: Readonly<Record<AnswerDecision, ChangeState>> = {
  APPROVE: "AUTHORIZED",
  CONDITIONAL: "AUTHORIZED_WITH_CONDITIONS",
  REVIEW: "REVIEW_REQUIRED",
  BLOCK: "DENIED",
  RETRY: "REVIEW_REQUIRED",
  NO_DECISION: "REVIEW_REQUIRED",
}

export function changeStateOf(decision: AnswerDecision): ChangeState {
  return CHANGE_STATES[decision]
}
