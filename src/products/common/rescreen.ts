/**
 * Repeats the screening of a delivered decision or answer against the same list bytes, and compares the result. This shows that the stored
 * facts follow from the publishers' own files, and not only that they are consistent (rulings 17).
 */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { instant } from "../../core/time.ts"
import type { Report } from "../../offline/report.ts"
import { type KeptSource, readKept, rebuildIndex, usedSource } from "../../sources/boards/rebuild-index.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { SCORER, scorerOf } from "../../sources/screening/scorer.ts"
import { screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type Suppression, type SuppressionBook } from "../../sources/screening/suppress.ts"
import type { PartyScreening } from "./party-screening.ts"
import { rescreenEntries } from "./rescreen-entries.ts"
import { type ScreenedMembers, screeningWithoutEntries } from "./stored-entries.ts"

/** One screened party and the result in the facts. */
interface RescreenedParty extends PartyScreening {
  /** Name of the line in the report. */
  readonly check: string
}

interface Rescreening {
  /** Time of the screening, the lists that it used, and the members with hits. */
  readonly facts: Pick<AnswerFacts, "at" | "sources"> & ScreenedMembers
  /** All screenings of the facts. */
  readonly screenings: readonly ScreeningFact[]
  /** Called with the rebuilt index, because the queried identifiers may depend on the list. */
  readonly parties: (index: NameIndex) => readonly RescreenedParty[]
  /** Checks the other queries to the lists. */
  readonly more?: (index: NameIndex) => void
}

/** Adds one line per list to the report. If `root` has all of the lists, adds one line per party. */
export function rescreen(report: Report, root: string, rescreening: Rescreening): void {
  const { facts, screenings } = rescreening
  const kept = keptSources(report, root, facts)
  rescreenEntries(report, root, facts, kept)
  const scorers = new Map(screenings.map((one) => [`${one.scorer_version} ${one.parameter_digest}`, one]))
  const [first] = scorers.values()
  const scorer = first ? scorerOf(first.scorer_version, first.parameter_digest) : SCORER
  if (!scorer || scorers.size > 1) {
    const then = [...scorers.keys()].join(", ")
    report.unchecked("screening", `screened by ${then}; this program has ${SCORER.version} ${SCORER.parameterDigest}`)
  } else if (kept.length < facts.sources.length) {
    report.unchecked("screening", "this data directory lacks at least one of the lists that were used")
  } else compareAll(report, rebuildIndex(kept, facts.at, scorer), rescreening)
}

function keptSources(report: Report, root: string, { sources }: Rescreening["facts"]): KeptSource[] {
  return sources.flatMap((source) => {
    const used = usedSource(source)
    const check = `bytes of ${used.sourceId}`
    const found = readKept(root, used)
    if (found.state === "ABSENT") {
      report.unchecked(check, found.why)
      return []
    }
    report.check(check, found.state === "SAME", {
      ok: used.snapshotId,
      invalid: found.state === "SAME" ? "" : found.why,
    })
    return found.state === "SAME" ? [{ ...used, stored: found.stored }] : []
  })
}

function compareAll(report: Report, index: NameIndex, { facts, parties, more }: Rescreening): void {
  for (const party of parties(index)) compare(report, index, party, facts.at)
  more?.(index)
}

function compare(report: Report, index: NameIndex, { check, query, screening }: RescreenedParty, at: string): void {
  const judge = judgeOf(judgedThen(screening), query, instant(at))
  const again = screeningFact(screen(index, query, judge), query.threshold)
  report.check(check, canonicalize(again) === canonicalize(screeningWithoutEntries(screening)), {
    ok: `${again.state}, byte for byte`,
    invalid: `screening again gives ${again.state} with ${again.hit_count} hits, or the same with other details`,
  })
}

/**
 * Uses only the suppressions that the facts name. The operator's other suppressions are in the operator's records, under the digest in the
 * facts. A suppression that does not match the party and the entry of that time is not applied, and the result then differs.
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
