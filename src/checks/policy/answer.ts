/**
 * Builds the signed core of an answer from the findings of the gates, with the same steps for each answer product. Pure and total.
 */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type {
  AnswerAction,
  AnswerAuthorization,
  AnswerCore,
  AnswerDecision,
  BusinessAnswer,
} from "../../../schemas/business-answer.ts"
import type { Observation } from "../../../schemas/observation.ts"
import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { NO_TOKEN_ISSUED } from "../../core/capsule/answer-view.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { AnswerPolicyDocument } from "./answer-policy.ts"
import type { GateResult } from "./gate.ts"
import { type Judgement, judgeGates } from "./judge-gates.ts"
import { DECISION_GATE } from "./policy.ts"
import { policyChecksum } from "./policy-checksum.ts"

interface AnswerRow {
  readonly decision: AnswerDecision
  readonly authorization: AnswerAuthorization
  readonly machineAction: AnswerAction
}

/** What each outcome of a policy says in the answer. Every answer product has the same rows. */
export const ANSWER_ROWS: Readonly<Record<GateOutcome, AnswerRow>> = {
  PASS: { decision: "APPROVE", authorization: "ALLOW", machineAction: "CONTINUE" },
  CONDITION: {
    decision: "CONDITIONAL",
    authorization: "ALLOW_WITH_CONDITIONS",
    machineAction: "CONTINUE_WITH_DECLARED_CONDITIONS",
  },
  HOLD: { decision: "REVIEW", authorization: "HOLD", machineAction: "HOLD_FOR_HUMAN_REVIEW" },
  INCONCLUSIVE: { decision: "REVIEW", authorization: "HOLD", machineAction: "HOLD_FOR_HUMAN_REVIEW" },
  BLOCK: { decision: "BLOCK", authorization: "DENY", machineAction: "STOP" },
}

/** The results of a product's gates, evidence and records. */
interface AnswerFindings<Result> {
  readonly gates: readonly GateResult<string>[]
  /** Products without a tolerance use MEDIUM (rulings 51). */
  readonly tolerance?: Tolerance
  readonly observations: readonly Observation[]
  /** Coverage of the product. The limitations that the gates found follow it. */
  readonly coverage: BusinessAnswer["coverage"]
  /** Possible ends in milliseconds. The earliest is the end of the answer. */
  readonly ends: readonly number[]
  /** JSON pointers of members that the caller could supply to improve the answer. */
  readonly requiredInformation?: readonly string[]
  readonly result: (judged: JudgedAnswer) => Result
}

interface JudgedAnswer extends AnswerRow {
  /** Authorization of one gate. A gate without findings, or that did not run, allows. */
  readonly authorizationOf: (gate: string) => AnswerAuthorization
  /** RFC 3339. */
  readonly validUntil: string
}

/** True if the caller may continue. Only then is a token issued. */
export function mayContinue({ decision }: Pick<AnswerCore, "decision">): boolean {
  return decision === "APPROVE" || decision === "CONDITIONAL"
}

export function answerCore<Result extends object>(
  facts: AnswerFacts,
  policy: AnswerPolicyDocument,
  findings: AnswerFindings<Result>,
): AnswerCore<Result> {
  const judged = judgeGates(policy, findings.tolerance ?? "MEDIUM", findings.gates)
  const row = ANSWER_ROWS[judged.outcome]
  const validUntil = formatInstant(Math.min(...findings.ends))
  const result = findings.result({
    ...row,
    authorizationOf: (gate) => ANSWER_ROWS[judged.outcomeOf(gate) ?? "PASS"].authorization,
    validUntil,
  })
  const issuesTokens = Object.hasOwn(result, "authorization_token")
  return {
    schema_version: "1.0.0",
    product_or_solution: facts.product,
    request_id: facts.request_id,
    execution_id: facts.execution_id,
    delivery_id: facts.delivery_id,
    replayed: false,
    decision: row.decision,
    authorization: row.authorization,
    machine_action: row.machineAction,
    policy: { id: policy.id, version: policy.version, checksum: policyChecksum(policy) },
    reason_codes: reasonCodes(judged, policy),
    conditions: remediationOf(judged, ["CONDITION"]),
    required_information: [...(findings.requiredInformation ?? [])],
    limitations: [
      ...(policy.limitations ?? []),
      ...judged.limitations,
      ...(issuesTokens && !mayContinue(row) ? [NO_TOKEN_ISSUED] : []),
    ],
    coverage: findings.coverage,
    source_health: sourceHealth(facts, findings.observations),
    evidence: sortedEvidence(findings.observations),
    valid_as_of: facts.at,
    valid_until: validUntil,
    result,
  }
}

/**
 * Health of lists, registers and the caller's own evidence. Every source that is not a list has answered; otherwise there would be no
 * decision.
 */
function sourceHealth({ sources }: AnswerFacts, observations: readonly Observation[]): BusinessAnswer["source_health"] {
  return {
    ...Object.fromEntries(observations.map(({ source_id: id }) => [id, "HEALTHY" as const])),
    ...Object.fromEntries(sources.map(({ source_id: id, health }) => [id, health])),
  }
}

/** Sorts by id and removes duplicates. */
function sortedEvidence(observations: readonly Observation[]): Observation[] {
  const byId = new Map(observations.map((observation) => [observation.evidence_id, observation]))
  return [...byId.values()].sort((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1))
}

/**
 * CHOICE: `CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE` closes only an answer in which every gate passed. Together with a reason to stop, it
 * would read as if part of the result were in order.
 */
function reasonCodes(judged: Judgement<string>, policy: AnswerPolicyDocument): string[] {
  const fired = judged.reasons.filter((row) => row.outcome !== "PASS").map((row) => row.code)
  if (judged.outcome !== "PASS") return [...fired, ...(policy.always ?? [])]
  return policy.reasons.filter((row) => row.gate === DECISION_GATE).map((row) => row.code)
}

function remediationOf(judged: Judgement<string>, outcomes: readonly string[]): string[] {
  const rows = judged.reasons.filter((row) => outcomes.includes(row.outcome))
  return [...new Set(rows.map((row) => row.remediation))]
}

/** The end of every list, in milliseconds. */
export function sourceEnds({ sources }: Pick<AnswerFacts, "sources">): number[] {
  return sources.map((source) => instant(source.stale_at))
}
