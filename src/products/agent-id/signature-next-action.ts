import type { SignatureNextAction, SignatureOutcomes } from "../../../schemas/agent-id/signature-outcomes.ts"

interface Row {
  readonly when: (outcomes: SignatureOutcomes) => boolean
  readonly action: SignatureNextAction
}

/** Maps five outcomes to one next action. The first matching row wins; the worst cases come first. */
const TABLE: readonly Row[] = [
  // State that could not be read proves nothing about the signature.
  { when: ({ lifecycle }) => lifecycle.outcome === "NOT_EVALUATED", action: "REFRESH_AND_RETRY" },
  { when: ({ cryptographic }) => cryptographic.outcome !== "VALID", action: "REJECT_SIGNATURE" },
  { when: ({ replay }) => replay.outcome === "SEEN", action: "REJECT_REPLAY" },
  { when: ({ lifecycle }) => lifecycle.outcome !== "KEY_ACTIVE", action: "REVIEW_LIFECYCLE" },
  {
    when: ({ lifecycle: { claimed_time_relation: relation } }) =>
      relation !== "WITHIN_KEY_VALIDITY" && relation !== "NO_TIME_CLAIM",
    action: "REVIEW_LIFECYCLE",
  },
  // Only the signer can fix a window that does not include now, with a new statement.
  {
    when: ({ temporal }) => temporal.outcome !== "WITHIN_WINDOW" && temporal.outcome !== "NO_TIME_CLAIM",
    action: "REFRESH_AND_RETRY",
  },
]

export function nextSignatureAction(outcomes: SignatureOutcomes): SignatureNextAction {
  return TABLE.find(({ when }) => when(outcomes))?.action ?? "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY"
}
