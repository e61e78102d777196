import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { instant } from "../../core/time.ts"
import { found, type GateFindings } from "../policy/gate.ts"
import { restrictedPartyGate } from "../us/restricted-party.ts"

export interface SanctionsThresholds {
  readonly required_sources: readonly string[]
  /** From this screening score on, a listed party is a possible match. */
  readonly sanctions_review_score: string
}

/**
 * Maps the codes of the US gate to the UK codes. CHOICE: the UK list has no mere conditions. If a list sets one, it counts as a possible
 * match, and a person reads it.
 */
const CODE: Readonly<Record<string, string>> = {
  RESTRICTED_PARTY_MATCH: "SANCTIONS_MATCH",
  RESTRICTED_PARTY_POSSIBLE_MATCH: "SANCTIONS_POSSIBLE_MATCH",
  RESTRICTED_PARTY_PROGRAM_CONDITION: "SANCTIONS_POSSIBLE_MATCH",
  EVIDENCE_INSUFFICIENT: "EVIDENCE_INSUFFICIENT",
  SOURCE_ACCEPTED_BY_OPERATOR: "SOURCE_ACCEPTED_BY_OPERATOR",
}

/** Screens every name of the company against the UK list. The worst result counts. */
export function sanctionsFindings(facts: GbFacts, thresholds: SanctionsThresholds): GateFindings {
  const { screened_names: names, sources, company } = facts
  const judged = names.map(({ screening }) =>
    restrictedPartyGate({
      screening,
      sources,
      requiredSources: thresholds.required_sources,
      accepted: "CONDITION",
      reviewScore: Number(thresholds.sanctions_review_score),
      at: instant(facts.at),
    }),
  )
  const codes = judged.flatMap((one) => one.codes).flatMap((code) => CODE[code] ?? [])
  const isUnscreened = company.outcome === "FOUND" && !names.some(({ role }) => role === "REGISTERED_NAME")
  return found(
    [...new Set(codes), isUnscreened && "EVIDENCE_INSUFFICIENT"],
    [
      ...new Set(judged.flatMap((one) => one.limitations)),
      names.length === 0 && "SANCTIONS_NOT_SCREENED",
      facts.previous_names_left_out > 0 && "PREVIOUS_NAMES_NOT_ALL_SCREENED",
    ],
  )
}
