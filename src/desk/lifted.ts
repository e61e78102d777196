/** What a judgement lifts, screened on the lists in use. */
import type { ReviewRecord } from "../../schemas/review.ts"
import { DAY, formatInstant } from "../core/time.ts"
import { type LiftedQuestions, liftedQuestions } from "../judgements/lifted-questions.ts"
import { boardOf } from "../products/screened-parties.ts"
import { bookOf } from "../sources/boards/suppression-book.ts"
import { type ScreenedNeighbour, screenNeighbours } from "../sources/screening/neighbours.ts"
import { TOLERANCE_THRESHOLD } from "../sources/screening/screen.ts"
import { joinBooks, type ScreenedParty } from "../sources/screening/suppress.ts"
import type { JudgedParty } from "../store/review/review-records.ts"
import type { DeskDeps } from "./deps.ts"

export interface Lifted {
  readonly party: ScreenedParty
  readonly questions: LiftedQuestions
  readonly neighbours: readonly ScreenedNeighbour[]
}

interface JudgedHit {
  readonly product: string
  readonly party: JudgedParty
  readonly hit: NonNullable<ReviewRecord["hit"]>
}

export function liftedBy({ lists }: Pick<DeskDeps, "lists">, { product, party: judged, hit }: JudgedHit): Lifted {
  const { index, suppressions: without, at } = lists(boardOf(product))
  const party = JSON.parse(judged.party) as ScreenedParty
  const { source_id: sourceId, entry_id: entryId, entry_hash: entryHash, party_digest: partyDigest } = hit
  const row = {
    ...{ suppressionId: "sup_proposed", partyDigest, party: judged.party, sourceId, entryId, entryHash },
    ...{ author: "", reason: "", createdAt: formatInstant(at), expiresAt: formatInstant(at + DAY) },
    ...{ detailsVersion: null, detailsDigest: null },
  }
  const including = joinBooks(without, bookOf([row]))
  const judgement = { party, threshold: TOLERANCE_THRESHOLD.MEDIUM, sourceId, entryId, entryHash }
  return {
    party,
    questions: liftedQuestions(party, sourceId),
    neighbours: screenNeighbours(index, judgement, { without, including, at }),
  }
}
