/**
 * What an answer states about the publications it used: the age of their content, the terms of acceptance, and the findings of their
 * import.
 */
import type { SourceLimitation } from "../../../schemas/publication.ts"
import { reasonRow } from "./policy.ts"

/** A condition of the answer products, and a limitation of every answer. */
export const SOURCE_ACCEPTED = "SOURCE_ACCEPTED_BY_OPERATOR"

/** Facts of a list or a register. Facts of earlier releases have none of these members. */
interface Provenance {
  readonly published_at?: string
  readonly published_from?: string
  readonly limitations?: readonly SourceLimitation[]
  readonly import_findings?: readonly string[]
}

/** True only in a live directory: a test directory accepts old or small content as a sample. */
export function isAcceptedFact({ limitations = [] }: Provenance): boolean {
  return limitations.some(isAcceptance) && !limitations.includes("SAMPLE")
}

/** Returns the limitations of an answer without duplicates. */
export function provenanceLimitations(facts: readonly Provenance[]): readonly string[] {
  const all = new Set(facts.flatMap(({ limitations = [] }) => limitations))
  return [
    ...(all.has("SAMPLE") ? ["SOURCE_IS_SAMPLE"] : []),
    ...(all.has("PUBLICATION_UNKNOWN") ? ["PUBLICATION_UNKNOWN"] : []),
    ...([...all].some(isAcceptance) ? [SOURCE_ACCEPTED] : []),
  ]
}

/** Returns the claims of an observation, with one colon each (rulings 5). */
export function provenanceClaims(fact: Provenance): readonly string[] {
  const { published_at: at, published_from: from, limitations = [], import_findings: findings = [] } = fact
  return [
    ...(at === undefined ? [] : [`PUBLISHED:${at.slice(0, 10)}`]),
    ...(from === undefined ? [] : [`PUBLISHED_FROM:${from}`]),
    ...limitations.map((limitation) => `SOURCE_LIMITATION:${limitation}`),
    ...findings.map((code) => `IMPORT_FINDING:${code}`),
  ]
}

/** Returns the row of a policy whose `gate` checks such a source. */
export function acceptedRow(gate: string) {
  return reasonRow(
    SOURCE_ACCEPTED,
    gate,
    "CONDITION",
    "CONFIRM_WITH_A_CURRENT_SOURCE",
    "The operator accepted a list or register that is too old or too small, and says so in the limitations.",
  )
}

function isAcceptance(limitation: SourceLimitation): boolean {
  return limitation === "ACCEPTED_OLD" || limitation === "ACCEPTED_SMALL"
}
