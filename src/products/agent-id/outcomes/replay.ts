import type { ReplayOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"

export type ReplayFacts =
  /** The signature has no nonce. */
  | { readonly kind: "NO_NONCE" | "KEY_UNAVAILABLE" | "STATE_UNAVAILABLE" }
  /** `seen`: the nonce is already recorded, and not by this verifier under this verifier_nonce. */
  | { readonly kind: "LOOKED"; readonly seen: boolean; readonly refusedToRecord: boolean }
  /** This call recorded the nonce, or an earlier call of the same verifier did. */
  | { readonly kind: "RECORDED"; readonly recordId: string }

/**
 * Checks whether the nonce of this statement was recorded before. OBSERVE only reads, so one statement can be observed any number of times.
 */
export function replayOutcome(facts: ReplayFacts, mode: ReplayOutcome["mode"]): ReplayOutcome {
  switch (facts.kind) {
    case "NO_NONCE":
      return verdict(mode, "NOT_TRACKED", ["NO_NONCE"])
    case "KEY_UNAVAILABLE":
    case "STATE_UNAVAILABLE":
      return verdict(mode, "NOT_EVALUATED", [facts.kind])
    case "LOOKED":
      return verdict(mode, facts.seen ? "SEEN" : "NOT_SEEN", facts.refusedToRecord ? ["NONCE_NOT_RECORDED"] : [])
    case "RECORDED":
      return { ...verdict(mode, "NOT_SEEN", []), nonce_consumed: true, record_id: facts.recordId }
  }
}

function verdict(
  mode: ReplayOutcome["mode"],
  outcome: ReplayOutcome["outcome"],
  reasons: ReplayOutcome["reason_codes"],
): ReplayOutcome {
  return {
    mode,
    nonce_consumed: false,
    outcome,
    reason_codes: reasons,
    record_id: null,
    scope: "AGENT_KEY_AUDIENCE_NONCE",
  }
}
