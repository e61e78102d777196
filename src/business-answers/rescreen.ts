/**
 * Screens again what a delivered decision or answer was screened for, on the bytes it was screened against, and compares: the stored
 * facts then follow from the publishers' own files, and were not only written down consistently (rulings 17).
 */
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import type { ScreeningFact } from "../../schemas/screening-facts.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { instant } from "../core/time.ts"
import type { Report } from "../documents/report.ts"
import { type KeptSource, readKept, rebuildIndex } from "../sources/lists/rebuild-index.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { PARAMETER_DIGEST, SCORER_VERSION } from "../sources/screening/parameters.ts"
import { type ScreenQuery, screen } from "../sources/screening/screen.ts"
import { screeningFact } from "../sources/screening/screening-fact.ts"
import { judgeOf, type Suppression, type SuppressionBook } from "../sources/screening/suppress.ts"

/** One party as it was asked about, and what the facts say came of it. */
export interface RescreenedParty {
  /** Name of the line in the report. */
  readonly check: string
  readonly query: ScreenQuery
  readonly screening: ScreeningFact
}

export interface Rescreening {
  /** When it was screened, and against which lists. */
  readonly facts: Pick<AnswerFacts, "at" | "sources">
  /** Everything that was screened then. */
  readonly screenings: readonly ScreeningFact[]
  /** Called with the index as it was: which identifiers are asked about may depend on the list. */
  readonly parties: (index: NameIndex) => readonly RescreenedParty[]
  /** Looks at what else the lists were asked for. */
  readonly more?: (index: NameIndex) => void
}

/** Adds one line for each list to the report, and where all of them are kept in `root` one for each party. */
export function rescreen(report: Report, root: string, rescreening: Rescreening): void {
  const { facts, screenings } = rescreening
  const kept = keptSources(report, root, facts)
  const other = screenings.find(
    (one) => one.scorer_version !== SCORER_VERSION || one.parameter_digest !== PARAMETER_DIGEST,
  )
  if (other) {
    const then = `${other.scorer_version} ${other.parameter_digest}`
    report.unchecked("screening", `screened by ${then}; this program has ${SCORER_VERSION} ${PARAMETER_DIGEST}`)
  } else if (kept.length < facts.sources.length) {
    report.unchecked("screening", "not every list it was screened against is here")
  } else compareAll(report, kept, rescreening)
}

function keptSources(report: Report, root: string, { sources }: Rescreening["facts"]): KeptSource[] {
  return sources.flatMap((source) => {
    const used = {
      sourceId: source.source_id,
      snapshotId: source.snapshot_id,
      rawSha256: source.raw_sha256,
      sourceVersion: source.source_version,
      parserVersion: source.parser_version,
    }
    const check = `bytes of ${used.sourceId}`
    const found = readKept(root, used)
    if (found.state === "ABSENT") {
      report.unchecked(check, found.why)
      return []
    }
    report.check(check, found.state === "SAME", used.snapshotId, found.state === "SAME" ? "" : found.why)
    return found.state === "SAME" ? [{ ...used, stored: found.stored }] : []
  })
}

function compareAll(report: Report, kept: readonly KeptSource[], { facts, parties, more }: Rescreening): void {
  const index = rebuildIndex(kept, facts.at)
  for (const party of parties(index)) compare(report, index, party, facts.at)
  more?.(index)
}

function compare(report: Report, index: NameIndex, { check, query, screening }: RescreenedParty, at: string): void {
  const judge = judgeOf(judgedThen(screening), query, instant(at))
  const again = screeningFact(screen(index, query, judge), query.threshold)
  report.check(
    check,
    canonicalize(again) === canonicalize(screening),
    `${again.state}, byte for byte`,
    `screening again gives ${again.state} with ${again.hit_count} hits, or the same with other details`,
  )
}

/**
 * The judgements the facts name, no others: which the operator had is in the operator's records, under the digest the facts state. One that
 * does not fit the party and the entry as they were then is not applied, and shows as another result.
 */
function judgedThen({ suppressed_hits: suppressed = [] }: ScreeningFact): SuppressionBook {
  const book = new Map<string, Suppression[]>()
  for (const { source_id, entry_id, suppression } of suppressed) {
    const one: Suppression = {
      suppressionId: suppression.suppression_id,
      partyDigest: suppression.party_digest,
      sourceId: source_id,
      entryId: entry_id,
      entryHash: suppression.entry_hash,
      recordDigest: suppression.record_digest,
      createdAt: suppression.created_at,
      expiresAt: suppression.expires_at,
    }
    book.set(one.partyDigest, [...(book.get(one.partyDigest) ?? []), one])
  }
  return book
}
