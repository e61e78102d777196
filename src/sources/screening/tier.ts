import type { Party } from "../records/party.ts"
import { compareBirthDates } from "./birth-dates.ts"
import { identifiersConflict, isWorldwide, type QueryIdentifier } from "./identifiers.ts"
import { typeDiffers } from "./name-search.ts"
import { TIERS } from "./parameters.ts"

type Agreement = "MATCH" | "CONFLICT" | "ABSENT"
export type Tier = "BLOCK" | "HOLD" | "CONDITION" | "NEAR_MISS"
export type Basis = "IDENTIFIER" | "EXACT_NAME" | "FUZZY_NAME" | "WEAK_ALIAS"

/** The second signal besides the score: "same name, no contradiction" is not "confirmed the same party". */
export interface Corroboration {
  readonly identifier: Agreement
  readonly country: Agreement
  /** Always ABSENT: a query carries countries, not addresses. */
  readonly address: Agreement
  readonly birth_date: Agreement
  readonly type: Agreement
}

interface CorroborationQuery {
  readonly type: "person" | "org" | null
  readonly identifiers: readonly QueryIdentifier[]
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
  readonly birthDates?: readonly string[]
}

export function corroborate(query: CorroborationQuery, party: Party, identifierMatched: boolean): Corroboration {
  return {
    identifier: identifierMatched
      ? "MATCH"
      : identifiersConflict(query.identifiers, party.identifiers)
        ? "CONFLICT"
        : "ABSENT",
    country: compareCountries(query.countries, party.countries),
    address: "ABSENT",
    birth_date: compareBirthDates(query.birthDates ?? [], party.birthDates),
    type:
      query.type === null || party.type === "unknown"
        ? "ABSENT"
        : typeDiffers(party.type, query.type)
          ? "CONFLICT"
          : "MATCH",
  }
}

function compareCountries(query: readonly string[], listed: readonly string[]): Agreement {
  if (query.length === 0 || listed.length === 0) return "ABSENT"
  return query.some((country) => listed.includes(country)) ? "MATCH" : "CONFLICT"
}

export interface NameEvidence {
  readonly basis: Basis
  /** Rounded score; 1 for an identifier hit. */
  readonly score: number
  readonly informationSum: number
  readonly corroboration: Corroboration
  /** Scheme of the matching identifier. */
  readonly identifierScheme: string | null
  /** The dates of birth agree in day and month, see birth-dates.ts. */
  readonly sharesBirthDay: boolean
}

/**
 * Returns the effect of a hit. A name alone blocks only where the measured false rate is near zero: an organisation under a strong, rare
 * name without a contradiction. Thousands of people share a common name and a country. So besides the name a person needs the day of birth
 * or an identifier, or two of these: the year of birth, the country, a name that hardly anybody else has. A conflict turns BLOCK into HOLD
 * and never into nothing: two of four true matches measured on real companies had a conflicting country.
 */
export function tierOf(party: Party, evidence: NameEvidence, threshold: number): Tier {
  if (evidence.basis !== "IDENTIFIER" && evidence.score < threshold) return "NEAR_MISS"
  if (party.measure === "hold") return "HOLD"
  if (party.measure === "condition") return "CONDITION"
  return blocks(party, evidence) ? "BLOCK" : "HOLD"
}

function blocks(party: Party, evidence: NameEvidence): boolean {
  const { corroboration } = evidence
  if (evidence.identifierScheme !== null)
    return isWorldwide(evidence.identifierScheme) || corroboration.country !== "CONFLICT"
  if (evidence.basis === "WEAK_ALIAS" || evidence.score < TIERS.blockScoreMin) return false
  if (corroboration.type !== "MATCH") return false
  const against = [corroboration.country, corroboration.identifier, corroboration.birth_date].includes("CONFLICT")
  if (against) return false
  if (party.type === "person") return isSamePerson(evidence)
  return evidence.informationSum >= TIERS.blockInformationMin
}

/** A common name has namesakes in the same country and namesakes of the same year, but hardly any with both. */
function isSamePerson({ corroboration, informationSum, sharesBirthDay }: NameEvidence): boolean {
  const agreeing = [
    corroboration.birth_date === "MATCH",
    corroboration.country === "MATCH",
    informationSum >= TIERS.personBlockInformationMin,
  ]
  return sharesBirthDay || agreeing.filter(Boolean).length > 1
}
