import type { DistributionOutcome } from "../../../../schemas/agent-id/signature-outcomes.ts"

export type DistributionFacts =
  | { readonly kind: "NO_STATEMENT" | "STATE_UNAVAILABLE" }
  | { readonly kind: "LOOKED"; readonly isRegistered: boolean }

/** Was exactly this statement registered here? Registration is not acceptance, and says nothing of where else it went. */
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
