/** The rows of judgements, and what they lift. */
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestOf } from "../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant } from "../core/time.ts"
import { bookOf } from "../sources/boards/suppression-book.ts"
import { type ScreenedNeighbour, screenNeighbours } from "../sources/screening/neighbours.ts"
import { entryHash, joinBooks, screenedPartyDigest } from "../sources/screening/suppress.ts"
import type { SuppressionRow } from "../store/sources/suppressions.ts"
import type { FoundHit } from "./judged-hits.ts"
import type { JudgingLists } from "./judging-lists.ts"

/** What a person writes beside a judgement. */
export interface JudgementRecord {
  readonly author: string
  readonly reason: string
  /** Milliseconds. */
  readonly expiresAt: number
}

export interface Judged extends FoundHit {
  readonly row: SuppressionRow
}

export interface Reached extends Judged {
  readonly neighbours: readonly ScreenedNeighbour[]
}

/** When the judgement is made, in milliseconds, and what its id is made of. */
type Making = Pick<Machine, "random"> & { readonly now: number }

/** One row for each hit. */
export function rowsOf(
  lists: JudgingLists,
  hits: readonly FoundHit[],
  record: JudgementRecord,
  making: Making,
): readonly Judged[] {
  return hits.map((found) => ({ ...found, row: rowOf(lists, found, record, making) }))
}

function rowOf(
  { index, entries }: JudgingLists,
  { query, listed }: FoundHit,
  { author, reason, expiresAt }: JudgementRecord,
  { now, random }: Making,
): SuppressionRow {
  const { threshold: _, ...party } = query
  const { sourceId, entryId } = listed
  const partyDigest = screenedPartyDigest(party)
  if (partyDigest === null)
    throw new CommandError(EXIT.INVALID, "the name cannot be read completely, so it cannot be judged")
  const printed = entries?.entryOf(sourceId, index.snapshotIds[sourceId] ?? "", entryId) ?? null
  return {
    suppressionId: formatId("sup", random(ID_RANDOM_BYTES)),
    partyDigest,
    party: canonicalize(party),
    ...{ sourceId, entryId, entryHash: entryHash(listed), author, reason },
    createdAt: formatInstant(now),
    expiresAt: formatInstant(expiresAt),
    detailsVersion: printed?.detailsVersion ?? null,
    detailsDigest: printed && digestOf(printed.details),
  }
}

/** All of them count together, because they are recorded together. */
export function reachOf({ index, suppressions: without, at }: JudgingLists, judged: readonly Judged[]): Reached[] {
  const including = joinBooks(without, bookOf(judged.map(({ row }) => row)))
  return judged.map((one) => {
    const { threshold, ...party } = one.query
    const { sourceId, entryId, entryHash } = one.row
    const judgement = { party, threshold, sourceId, entryId, entryHash }
    return { ...one, neighbours: screenNeighbours(index, judgement, { without, including, at }) }
  })
}
