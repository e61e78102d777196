/**
 * The policy of a business answer: the rows that its gates fire, and the effect of a failed required source. It is data, like all policies.
 */
import { DECISION_GATE, type Policy, type PolicyReason, reasonRow } from "./policy.ts"

/** RETRY: a later attempt may succeed. NO_DECISION: a later attempt does not help (rulings 27). Neither is charged, quoted or stored. */
type UnchargedDecision = "RETRY" | "NO_DECISION"

export interface UnchargedReason {
  readonly code: string
  readonly decision: UnchargedDecision
  readonly why: string
  readonly remediation: string
}

export interface AnswerPolicyDocument<Thresholds = unknown> extends Policy<Thresholds> {
  /** Rows in order of precedence. If one of them applies, no gate runs. */
  readonly uncharged: readonly UnchargedReason[]
  /** Codes of closing rows that every answer states, whatever it decides. If absent, closing rows apply only when every gate passed. */
  readonly always?: readonly string[]
  /** Tokens that `limitations` of every answer have, uncharged ones too. Absent if there are none. */
  readonly limitations?: readonly string[]
}

/** The limits of the checks apply to a BLOCK as much as to an APPROVE (rulings 77). */
export const ALWAYS_STATED: readonly string[] = ["LIMITED_COVERAGE"]

/** A person reviews the answer before the payment (Interface, rule 7). Every UK answer is limited, whatever it decides (rulings 91). */
export const HUMAN_REVIEW: readonly string[] = ["HUMAN_REVIEW_OF_LIMITED_RESULT"]

/** The rows of every business-answer policy for failed required sources. */
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

/** An additional row to {@link SOURCE_REASONS}, for a register that is smaller than its minimum size. */
export const SOURCE_INCOMPLETE: UnchargedReason = {
  code: "SOURCE_INCOMPLETE",
  decision: "NO_DECISION",
  why: "The imported register has fewer companies than it must have, so that a number it lacks proves nothing.",
  remediation: "SEEK_ALTERNATIVE",
}

/** Returns the rows of a policy with further rows inserted before the closing rows. */
export function beforeClosing(reasons: readonly PolicyReason[], ...added: readonly PolicyReason[]): PolicyReason[] {
  const closing = reasons.filter(({ gate }) => gate === DECISION_GATE)
  return [...reasons.filter((row) => !closing.includes(row)), ...added, ...closing]
}

/** The last rows of every policy. They apply when every gate passed. */
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
