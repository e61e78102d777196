import type { Tolerance } from "../../../../schemas/us/payment-decision.ts"

const STRICTEST_FIRST = ["LOW", "MEDIUM", "HIGH"] as const satisfies readonly Tolerance[]

/** A request may be stricter than its buyer's record, never less strict (rulings 47). */
export function stricterTolerance(a: Tolerance, b: Tolerance): Tolerance {
  return STRICTEST_FIRST.find((tolerance) => tolerance === a || tolerance === b) ?? "LOW"
}
