/**
 * Screens again what a delivered decision or answer was screened for, on the bytes it was screened against, and compares: the stored
 * facts then follow from the publishers' own files, and were not only written down consistently (rulings 17).
 */
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { instant } from "../../core/time.ts"
import type { Report } from "../../delivery/report.ts"
import { type KeptSource, readKept, rebuildIndex } from "../../sources/rebuild-index.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { PARAMETER_DIGEST, SCORER_VERSION } from "../../sources/screening/parameters.ts"
import { type ScreenQuery, screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type Suppression, type SuppressionBook } from "../../sources/screening/suppress.ts"
import { named } from "./registered-name.ts"
import { supplierQuery } from "./screening.ts"

/** Of the facts, what screening again needs. */
export type ScreenedFacts = Pick<UsFacts, "at" | "sources" | "screening" | "registration">

/** An operation's company. The threshold is the one the facts state; whether it was the right one is the policy's matter. */
export function rescreenOperation(
  report: Report,
  root: string,
  { company }: Pick<UsOperationRequest, "company">,
  facts: ScreenedFacts,
): void {
  const query = supplierQuery(named(company, facts.registration), "MEDIUM")
  rescreenParty(report, root, { ...query, threshold: facts.screening.threshold }, facts)
}

/** Adds one line for each source, and where all of them are kept one for the party; `more` looks at what else they were asked for. */
export function rescreenParty(
  report: Report,
  root: string,
  query: ScreenQuery,
  facts: ScreenedFacts,
  more: (index: NameIndex) => void = () => {},
): void {
  const { scorer_version: scorer, parameter_digest: parameters } = facts.screening
  const kept: KeptSource[] = []
  for (const source of facts.sources) {
    const used = {
      sourceId: source.source_id,
      snapshotId: source.snapshot_id,
      rawSha256: source.raw_sha256,
      sourceVersion: source.source_version,
      parserVersion: source.parser_version,
    }
    const check = `bytes of ${used.sourceId}`
    const found = readKept(root, used)
    if (found.state === "ABSENT") report.unchecked(check, found.why)
    else if (report.check(check, found.state === "SAME", used.snapshotId, found.state === "SAME" ? "" : found.why)) {
      if (found.state === "SAME") kept.push({ ...used, stored: found.stored })
    }
  }
  if (scorer !== SCORER_VERSION || parameters !== PARAMETER_DIGEST) {
    report.unchecked(
      "screening",
      `screened by ${scorer} ${parameters}; this program has ${SCORER_VERSION} ${PARAMETER_DIGEST}`,
    )
  } else if (kept.length < facts.sources.length)
    report.unchecked("screening", "not every list it was screened against is here")
  else {
    compareOrSay(report, facts, () => {
      const index = rebuildIndex(kept, facts.at)
      compare(report, index, query, facts)
      more(index)
    })
  }
}

function compareOrSay(report: Report, { registration }: ScreenedFacts, compareAll: () => void): void {
  try {
    compareAll()
  } catch (error) {
    // The closed schema has accepted the facts; the one thing it cannot see is a calendar date that does not exist.
    if (!(error instanceof TypeError)) throw error
    report.check("screening", false, "", "the stored facts cannot be screened")
    return
  }
  if (registration !== null) report.note("registration", "not looked up again")
}

function compare(report: Report, index: NameIndex, query: ScreenQuery, { at, screening }: ScreenedFacts): void {
  const judge = judgeOf(judgedThen(screening), query, instant(at))
  const again = screeningFact(screen(index, query, judge), query.threshold)
  report.check(
    "screening",
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
