/** The policy of one of the eight products: the rows its gates fire, and what a required source's failure comes to. Data, like all policies. */
import { DECISION_GATE, type Policy, type PolicyReason, reasonRow } from "./policy.ts"

/** Asking again later may help, or it does not (rulings 27). Neither is charged, quoted or kept. */
export type UnchargedDecision = "RETRY" | "NO_DECISION"

export interface UnchargedReason {
  readonly code: string
  readonly decision: UnchargedDecision
  readonly why: string
  readonly remediation: string
}

export interface AnswerPolicyDocument<Thresholds = unknown> extends Policy<Thresholds> {
  /** In order of precedence; no gate runs where one of them stands. */
  readonly uncharged: readonly UnchargedReason[]
  /** Codes of closing rows that every answer states, whatever it decides. Without it they close only an answer in which every gate passed. */
  readonly always?: readonly string[]
}

/** A limit of what was looked at holds for a BLOCK as it does for an APPROVE (rulings 77). */
export const ALWAYS_STATED: readonly string[] = ["LIMITED_COVERAGE"]

/** What every policy of the eight says of required sources. */
export const SOURCE_REASONS: readonly UnchargedReason[] = [
  {
    code: "SOURCE_SCHEMA_BREAK",
    decision: "NO_DECISION",
    why: "A required source changed its form; nothing is decided on what may have been misread.",
    remediation: "SEEK_ALTERNATIVE",
  },
  {
    code: "SOURCE_DISABLED",
    decision: "NO_DECISION",
    why: "The operator turned a required source off.",
    remediation: "SEEK_ALTERNATIVE",
  },
  {
    code: "SOURCE_NOT_SET_UP",
    decision: "NO_DECISION",
    why: "A required source was never imported, and nothing fetches it.",
    remediation: "SEEK_ALTERNATIVE",
  },
  {
    code: "SOURCE_UNAVAILABLE",
    decision: "RETRY",
    why: "A required source could not be read or asked now.",
    remediation: "RETRY_LATER_WITHOUT_PAYMENT",
  },
  {
    code: "SOURCE_STALE",
    decision: "RETRY",
    why: "A required source is older than its window or the request allows, or will be within ten minutes.",
    remediation: "RETRY_LATER_WITHOUT_PAYMENT",
  },
]

/** What a policy says beside {@link SOURCE_REASONS} of a register that is smaller than it must be. */
export const SOURCE_INCOMPLETE: UnchargedReason = {
  code: "SOURCE_INCOMPLETE",
  decision: "NO_DECISION",
  why: "The imported register has fewer companies than it must have, so that a number it lacks proves nothing.",
  remediation: "SEEK_ALTERNATIVE",
}

/** A policy's rows with further ones before those that close an answer. */
export function beforeClosing(reasons: readonly PolicyReason[], ...added: readonly PolicyReason[]): PolicyReason[] {
  const closing = reasons.filter(({ gate }) => gate === DECISION_GATE)
  return [...reasons.filter((row) => !closing.includes(row)), ...added, ...closing]
}

/** The last rows of every policy: what an answer says in which every gate passed. */
export const CLOSING_ROWS: readonly PolicyReason[] = [
  reasonRow(
    "CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE",
    DECISION_GATE,
    "PASS",
    "",
    "Every gate passed on current evidence.",
  ),
  reasonRow("LIMITED_COVERAGE", DECISION_GATE, "PASS", "", "What was not looked at is named in coverage.limitations."),
]
