/** The response members that are the same in every decision, and the small ones that follow from a few facts. */
import { BASE_NETWORK } from "../../../../schemas/network.ts"
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore, DecisionCost, GateOutcome } from "../../../../schemas/us/decision-response.ts"
import { PAYMENT_DECISION_PATH, PAYMENT_DECISION_PRICE } from "../../../../schemas/us/payment-decision.ts"
import type { Decision, MachineAction, UsCoverage } from "../../../../schemas/us/proof-capsule.ts"
import { isUsable } from "../../../checks/us/restricted-party.ts"
import { formatInstant, instant, MINUTE } from "../../../core/time.ts"

/** The interface fixes `network` and the capsule signs it, so stored decisions replay with the same bytes on any network. */
export const DECISION_COST: DecisionCost = {
  ...PAYMENT_DECISION_PRICE,
  network: BASE_NETWORK,
}

/** `machine_action` is for a machine that reads nothing else. Unmet conditions hold the payment. */
export const ANSWER: Readonly<Record<GateOutcome, { decision: Decision; machineAction: MachineAction }>> = {
  PASS: { decision: "ALLOW", machineAction: "RELEASE_PAYMENT" },
  CONDITION: { decision: "ALLOW_WITH_CONDITIONS", machineAction: "HOLD_PAYMENT" },
  INCONCLUSIVE: { decision: "UNDETERMINED", machineAction: "HOLD_PAYMENT" },
  HOLD: { decision: "HOLD", machineAction: "HOLD_PAYMENT" },
  BLOCK: { decision: "BLOCK", machineAction: "BLOCK_PAYMENT" },
}

/** What a decision of this product never checks. */
const LIMITATIONS = [
  "FEDERAL_LISTS_ONLY",
  "STATE_REGISTERS_NOT_CHECKED",
  "BENEFICIAL_OWNERSHIP_NOT_CHECKED",
  "DESTINATION_OWNERSHIP_NOT_PROVEN",
  "INVOICE_CONTENT_NOT_READ",
  "RECORDS_OF_THIS_ORGANIZATION_ONLY",
  "NO_CONTINUOUS_MONITORING",
]

export function coverage(found: readonly string[]): UsCoverage {
  return {
    jurisdiction: "US",
    scope: "FEDERAL_ONLY",
    state_coverage: "NONE_PHASE_1",
    state_good_standing: "NOT_ASSERTED",
    limitations: [...new Set([...LIMITATIONS, ...found])],
  }
}

/** A decision is returned again only by recover, to its owner (rulings 20). The reference names the decision. */
export function replayOf(facts: DecisionFacts): DecisionCore["replay"] {
  return {
    reference: `${facts.base_url}${PAYMENT_DECISION_PATH}/recover#${facts.decision_id}`,
    deterministic: true,
    sources_reexecuted: false,
    additional_charge: false,
  }
}

/** The earliest of at + 60 min, the mandate's end, the delegation's end and the first source to go stale (rulings 41). */
export function validUntil(facts: DecisionFacts, mandateEnd: string, minutesMax: number): string {
  return formatInstant(
    Math.min(
      instant(facts.at) + minutesMax * MINUTE,
      instant(mandateEnd),
      instant(facts.mandate.valid_until),
      instant(facts.delegation.valid_until),
      ...facts.sources.map((source) => instant(source.stale_at)),
    ),
  )
}

/** From the retrieval of the oldest list used until the first list goes stale. */
export function freshness(facts: DecisionFacts): DecisionCore["freshness"] {
  const at = instant(facts.at)
  const retrieved = facts.sources.map((source) => instant(source.retrieved_at))
  const stale = facts.sources.map((source) => instant(source.stale_at))
  return {
    status: facts.sources.length > 0 && facts.sources.every((source) => isUsable(source, at)) ? "FRESH" : "STALE",
    valid_as_of: formatInstant(Math.min(at, ...retrieved)),
    valid_until: formatInstant(stale.length > 0 ? Math.min(...stale) : at),
  }
}
