import type { DistributionOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"

export type DistributionFacts =
  | { readonly kind: "NO_STATEMENT" | "STATE_UNAVAILABLE" }
  | { readonly kind: "LOOKED"; readonly isRegistered: boolean }

/**
 * Checks whether exactly this statement was registered here. Registration is not acceptance and does not show where else the statement was
 * sent.
 */
export function distributionOutcome(facts: DistributionFacts): DistributionOutcome {
  switch (facts.kind) {
    case "NO_STATEMENT":
      return { outcome: "NOT_EVALUATED", reason_codes: ["NO_STATEMENT"] }
    case "STATE_UNAVAILABLE":
      return { outcome: "TRACKING_UNAVAILABLE", reason_codes: ["STATE_UNAVAILABLE"] }
    case "LOOKED":
      return { outcome: facts.isRegistered ? "REGISTERED" : "NOT_REGISTERED", reason_codes: [] }
  }
}
