/**
 * Checks a change of payee for the UK and the US products: the earlier authorization, and a fresh independent challenge that no other
 * request has used.
 */
import type { AnswerDecision } from "../../schemas/business-answer.ts"
import type { ChangeChallenge } from "../../schemas/caller-evidence.ts"
import type { ChangeFacts, ChangeState } from "../../schemas/change-facts.ts"
import type { Observation } from "../../schemas/observation.ts"
import { HOUR, instant } from "../core/time.ts"
import { callerEvidence } from "./caller-evidence.ts"
import { found, type GateFindings } from "./policy/gate.ts"
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

/** `at` is in milliseconds. */
export function changeChallengeGate(
  change: ProposedChange,
  { prior_authorization: prior, challenge_reused: reused }: ChangeFacts,
  thresholds: ChallengeThresholds,
  at: number,
): GateFindings {
  const { challenge, currentFingerprint } = change
  const isSame =
    prior !== null &&
    (prior.vouches ?? prior.subject === change.subject) &&
    prior.payee_fingerprint === currentFingerprint
  // A challenge made before the earlier authorization confirmed another change.
  const isOlder = prior !== null && instant(challenge.verified_at) <= instant(prior.decided_at)
  return found([
    currentFingerprint !== null && prior === null && "PRIOR_AUTHORIZATION_NOT_FOUND",
    currentFingerprint !== null && prior !== null && !isSame && "PRIOR_AUTHORIZATION_DIFFERS",
    reused && "CHALLENGE_REUSED",
    (!isFresh(challenge, thresholds, at) || isOlder) && "CHALLENGE_NOT_FRESH",
    hasEnded(challenge, at) && "CHALLENGE_EXPIRED",
  ])
}

export function challengeEvidence(
  challenge: ChangeChallenge,
  thresholds: ChallengeThresholds,
  at: number,
): Observation {
  return callerEvidence(
    {
      sourceId: "INDEPENDENT_PAYEE_BINDING_EVIDENCE",
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
