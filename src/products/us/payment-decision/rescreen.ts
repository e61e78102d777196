/**
 * Screens again what a delivered decision was screened for, on the bytes it was screened against, and compares: the stored facts then
 * follow from the publishers' own files, and were not only written down consistently (rulings 17).
 */
import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { instant } from "../../../core/time.ts"
import type { Report } from "../../../delivery/report.ts"
import { type KeptSource, readKept, rebuildIndex } from "../../../sources/rebuild-index.ts"
import type { NameIndex } from "../../../sources/screening/name-index.ts"
import { PARAMETER_DIGEST, SCORER_VERSION } from "../../../sources/screening/parameters.ts"
import { screen } from "../../../sources/screening/screen.ts"
import { screeningFact, screeningHit } from "../../../sources/screening/screening-fact.ts"
import { judgeOf, type Suppression, type SuppressionBook } from "../../../sources/screening/suppress.ts"
import { named } from "../registered-name.ts"
import { supplierQuery, walletHit } from "../screening.ts"
import { decisionTolerance } from "./decide.ts"

/** Adds one line for each source, and where all of them are kept one for the name and one for the wallets. */
export function rescreen(report: Report, root: string, request: DecisionRequest, facts: DecisionFacts): void {
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
  else compareOrSay(report, kept, request, facts)
}

function compareOrSay(
  report: Report,
  kept: readonly KeptSource[],
  request: DecisionRequest,
  facts: DecisionFacts,
): void {
  try {
    compare(report, rebuildIndex(kept, facts.at), request, facts)
  } catch (error) {
    // The closed schema has accepted the facts; the one thing it cannot see is a calendar date that does not exist.
    if (!(error instanceof TypeError)) throw error
    report.check("screening", false, "", "the stored facts cannot be screened")
  }
}

function compare(report: Report, index: NameIndex, request: DecisionRequest, facts: DecisionFacts): void {
  const query = supplierQuery(named(request.supplier, facts.registration), decisionTolerance(request, facts))
  const judge = judgeOf(judgedThen(facts), query, instant(facts.at))
  const again = screeningFact(screen(index, query, judge), query.threshold)
  report.check(
    "screening",
    canonicalize(again) === canonicalize(facts.screening),
    `${again.state}, byte for byte`,
    `screening again gives ${again.state} with ${again.hit_count} hits, or the same with other details`,
  )
  const [payee, destination] = [request.payee, request.payment_destination].map((one) => walletHit(index, one))
  const wallets = {
    payee: payee ? screeningHit(payee) : null,
    payment_destination: destination ? screeningHit(destination) : null,
  }
  const same = canonicalize(wallets) === canonicalize(facts.wallet_hits)
  report.check("wallets", same, "byte for byte", "screening the wallets again gives another result")
  if (facts.registration !== null) report.note("registration", "not looked up again")
}

/**
 * The judgements the facts name, no others: which the operator had is in the operator's records, under the digest the facts state. One that
 * does not fit the party and the entry as they were then is not applied, and shows as another result.
 */
function judgedThen({ screening }: DecisionFacts): SuppressionBook {
  const book = new Map<string, Suppression[]>()
  for (const { source_id, entry_id, suppression } of screening.suppressed_hits ?? []) {
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
