import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { instant } from "../../core/time.ts"
import { found, type GateFindings } from "../policy/gate.ts"
import { restrictedPartyGate } from "../us/restricted-party.ts"

export interface SanctionsThresholds {
  readonly required_sources: readonly string[]
  /** A screening score from which a listed party is a possible match. */
  readonly sanctions_review_score: string
}

/**
 * The gate of the US products in the UK's words. CHOICE: the UK list knows no mere condition; one that a list sets all the same is a
 * possible match here, and a person reads it.
 */
const CODE: Readonly<Record<string, string>> = {
  RESTRICTED_PARTY_MATCH: "SANCTIONS_MATCH",
  RESTRICTED_PARTY_POSSIBLE_MATCH: "SANCTIONS_POSSIBLE_MATCH",
  RESTRICTED_PARTY_PROGRAM_CONDITION: "SANCTIONS_POSSIBLE_MATCH",
  EVIDENCE_INSUFFICIENT: "EVIDENCE_INSUFFICIENT",
  SOURCE_ACCEPTED_BY_OPERATOR: "SOURCE_ACCEPTED_BY_OPERATOR",
}

/** Every name the company goes by against the UK list; the worst of them counts. */
export function sanctionsFindings(facts: GbFacts, thresholds: SanctionsThresholds): GateFindings {
  const { screened_names: names, sources, company } = facts
  const looked = names.map(({ screening }) =>
    restrictedPartyGate({
      screening,
      sources,
      requiredSources: thresholds.required_sources,
      accepted: "CONDITION",
      reviewScore: Number(thresholds.sanctions_review_score),
      at: instant(facts.at),
    }),
  )
  const codes = looked.flatMap((one) => one.codes).flatMap((code) => CODE[code] ?? [])
  const isUnscreened = company.outcome === "FOUND" && !names.some(({ role }) => role === "REGISTERED_NAME")
  return found(
    [...new Set(codes), isUnscreened && "EVIDENCE_INSUFFICIENT"],
    [
      ...new Set(looked.flatMap((one) => one.limitations)),
      names.length === 0 && "SANCTIONS_NOT_SCREENED",
      facts.previous_names_left_out > 0 && "PREVIOUS_NAMES_NOT_ALL_SCREENED",
    ],
  )
}
