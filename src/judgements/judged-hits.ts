/** The hits of a delivered answer that a person judged to be other parties. */
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { hitsOf } from "../case/hits.ts"
import { whyUnjudgeable } from "../case/unjudgeable.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { plainText } from "../core/text/plain-text.ts"
import type { PartyScreening } from "../products/common/party-screening.ts"
import { screenedPartiesOf } from "../products/screened-parties.ts"
import type { Party } from "../sources/records/party.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { type ScreenHit, type ScreenQuery, screen } from "../sources/screening/screen.ts"
import { entryHash } from "../sources/screening/suppress.ts"
import { differencesOf, entryThen } from "./entry-then.ts"
import type { GivenAnswer } from "./given-answer.ts"
import type { JudgingLists } from "./judging-lists.ts"

/** A listed party that a query hits now. */
export interface FoundHit {
  readonly query: ScreenQuery
  readonly listed: Party
  readonly hit: ScreenHit
}

/** Every hit of the query on the entry, by the entry's hash: a renamed entry and the names it lost are two parties of one id. */
export function hitsOnEntry(
  index: NameIndex,
  query: ScreenQuery,
  { sourceId, entryId }: Pick<Party, "sourceId" | "entryId">,
): Map<string, FoundHit> {
  const found = new Map<string, FoundHit>()
  screen(index, query, (listed, hit) => {
    if (listed.sourceId === sourceId && listed.entryId === entryId) found.set(entryHash(listed), { query, listed, hit })
    return null
  })
  return found
}

export const IDENTIFIER_REFUSED =
  "this party carries an identifier of that entry: such a hit cannot be suppressed, because an equal identifier is a fact and not a similarity; if the identifier is wrong, have the buyer correct it with the supplier and ask again, otherwise do not pay"

const WALLET_REFUSED =
  "a listed wallet cannot be suppressed: the money would go to a listed party; if the address is wrong, have the buyer correct it with the supplier and ask again, otherwise do not pay"

interface Place {
  readonly lists: JudgingLists
  /** Folder of all snapshots. Null: those that are not in use are not read, because that stops the process for too long. */
  readonly root: string | null
}

/** The hits of `--hit`, as the lists state their entries now. Exits with the refusal of the first one that nobody can judge. */
export function judgedHits(place: Place, given: GivenAnswer, hits: readonly string[]): readonly FoundHit[] {
  const parties = screenedPartiesOf(given, place.lists.index)
  const own = parties.flatMap((party) => hitsIn(party).map((hit) => ({ party, hit })))
  const count = requireJudgeable(given)
  return numbersOf(hits, count).map((number) => {
    const found = own[number - 1]
    if (!found) throw refused(number, WALLET_REFUSED)
    return judgedHit(place, given, { number, ...found })
  })
}

/** In the order in which a case numbers them. */
function hitsIn({ screening }: PartyScreening): readonly ScreeningHit[] {
  return [...screening.hits, ...(screening.suppressed_hits ?? [])]
}

/** Returns how many hits the case numbers. */
function requireJudgeable({ answer, request, facts }: GivenAnswer): number {
  const [asked, said, known] = [request, answer, facts].map((one) => one as JsonValue)
  const found = hitsOf({ request: asked, answer: said, facts: known, codes: new Set() })
  const [why] = whyUnjudgeable(found)
  if (why !== undefined) throw new CommandError(EXIT.INVALID, plainText(why, Number.POSITIVE_INFINITY))
  const count = found.hits.length
  if (count === 0) throw new CommandError(EXIT.NOT_FOUND, "this answer has no hit, so there is nothing to judge")
  return count
}

function numbersOf(texts: readonly string[], count: number): readonly number[] {
  const known = count === 1 ? "the answer has hit 1" : `the answer has the hits 1 to ${count}`
  if (texts.length === 0) throw new CommandError(EXIT.USAGE, `--hit is needed with --answer: ${known}`)
  const numbers = texts.map((text) => {
    if (!/^[1-9]\d{0,5}$/.test(text))
      throw new CommandError(EXIT.USAGE, `--hit is a number from 1, such as 1,3: ${known}`)
    if (Number(text) > count) throw new CommandError(EXIT.NOT_FOUND, `the answer has no hit ${text}: ${known}`)
    return Number(text)
  })
  return [...new Set(numbers)]
}

interface NumberedHit {
  readonly number: number
  readonly party: PartyScreening
  readonly hit: ScreeningHit
}

function judgedHit(place: Place, given: GivenAnswer, { number, party, hit }: NumberedHit): FoundHit {
  const { lists } = place
  if (hit.basis === "IDENTIFIER") throw refused(number, IDENTIFIER_REFUSED)
  const entry = `${hit.source_id} ${hit.entry_id}`
  const now = hitsOnEntry(lists.index, party.query, {
    sourceId: hit.source_id as Party["sourceId"],
    entryId: hit.entry_id,
  })
  if ([...now.values()].some(({ hit: one }) => one.basis === "IDENTIFIER")) throw refused(number, IDENTIFIER_REFUSED)
  if (now.size === 0) {
    throw refused(
      number,
      `${entry} is no hit of this party on the lists in use, so there is nothing to judge; the buyer asks again`,
      EXIT.NOT_FOUND,
    )
  }
  const then = entryThen(place, given, hit)
  if (then.state === "UNKNOWN") {
    throw refused(
      number,
      `whether ${entry} changed since the answer cannot be told (${then.why}); have the buyer ask again, and judge that answer`,
      EXIT.NOT_CHECKED,
    )
  }
  if (then.state === "PARTY") {
    const same = now.get(entryHash(then.party))
    if (same) return same
  }
  const today = [...now.values()].find(({ listed }) => listed.list === hit.list) ?? [...now.values()][0]!
  const differences = then.state === "PARTY" ? differencesOf(then.party, today.listed) : detailsSince(lists, then.entry)
  if (differences.length === 0) return today
  const wayOut = `read bizauth sources entry ${hit.source_id}:${hit.entry_id}, have the buyer ask again, and judge that answer`
  throw refused(
    number,
    `${entry} changed since this answer, so nobody has judged it as it is now (${differences.join("; ")}); ${wayOut}`,
  )
}

/** What the publisher prints otherwise now. `then`: whole, as the facts keep it. */
function detailsSince(
  { index, entries }: Pick<JudgingLists, "index" | "entries">,
  then: NonNullable<ScreeningHit["entry"]>,
): readonly string[] {
  const snapshotId = index.snapshotIds[then.source_id] ?? ""
  const found = entries?.entryOf(then.source_id, snapshotId, then.entry_id) ?? null
  if (found === null) return ["what its publisher prints now cannot be read"]
  if (found.detailsVersion !== then.details_version)
    return ["this program reads it otherwise than the one that sold the answer"]
  return differencesOf(then, { details_version: found.detailsVersion, ...found.details })
}

/** The buyer and the publisher wrote parts of `why`. */
function refused(
  number: number,
  why: string,
  exit: typeof EXIT.INVALID | typeof EXIT.NOT_FOUND | typeof EXIT.NOT_CHECKED = EXIT.INVALID,
) {
  return new CommandError(exit, `hit ${number}: ${plainText(why, Number.POSITIVE_INFINITY)}`)
}
