/**
 * Suppressions ("not the same party"): a recorded judgement of an operator removes one hit from the decision, but not from the shown
 * result. Pure: the same query, entry, judgements and time give the same answer.
 */

import { type Digest, digestOf } from "../../core/digest.ts"
import { instant } from "../../core/time.ts"
import type { Party } from "../records/party.ts"
import { foldName } from "./fold.ts"
import { nameProblemsOf } from "./query-forms.ts"
import type { AppliedSuppression, HitJudge, ScreenQuery } from "./screen.ts"

/** The screened party: everything of a query except the threshold. */
export type ScreenedParty = Omit<ScreenQuery, "threshold">

export interface Suppression extends AppliedSuppression {
  readonly sourceId: string
  readonly entryId: string
}

/** Suppressions that are not revoked, by party digest. */
export type SuppressionBook = ReadonlyMap<string, readonly Suppression[]>

export const NO_SUPPRESSIONS: SuppressionBook = new Map()

export function joinBooks(one: SuppressionBook, other: SuppressionBook): SuppressionBook {
  const joined = new Map(one)
  for (const [party, judgements] of other) joined.set(party, [...(joined.get(party) ?? []), ...judgements])
  return joined
}

/**
 * CHOICE: a screened party is its name in every reading of the folding, its type, and all its queried identifiers, countries and birth
 * dates. One more or one fewer is another party: nobody has judged the party with an added word, identifier or country that agrees with the
 * list. Null for a name that cannot be read completely, because two different names may then look the same.
 */
export function screenedPartyDigest(party: ScreenedParty): Digest | null {
  if (nameProblemsOf(party).length > 0) return null
  const readings = foldName(party.name).readings.map((reading) => reading.replace(/\s+/g, " ").trim())
  if (readings.every((reading) => reading === "")) return null
  return digestOf({
    form: "svc.screened-party.v1",
    readings: sorted(readings),
    type: party.type,
    identifiers: sorted(party.identifiers.map(({ scheme, value }) => `${scheme}:${identifierText(scheme, value)}`)),
    countries: sorted(party.countries),
    birth_dates: sorted(party.birthDates ?? []),
  })
}

/** Only EVM addresses ignore letter case; wallets of other chains do not. */
function identifierText(scheme: string, value: string): string {
  const text = value.normalize("NFKC").replace(/\s+/g, "")
  if (scheme !== "wallet") return text.toUpperCase()
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text
}

const hashes = new WeakMap<Party, Digest>()

/**
 * Digest of everything the list states about an entry, without its publication: neither lines nor the order of rows. With an added name,
 * identifier or country it is another entry, which nobody has judged.
 */
export function entryHash(party: Party): Digest {
  const known = hashes.get(party)
  if (known) return known
  const { line: _, ...content } = party
  const hash = digestOf({
    form: "svc.listed-entry.v1",
    ...content,
    programs: sorted(content.programs),
    names: sorted(content.names.map((name) => JSON.stringify([name.kind, name.text]))),
    identifiers: sorted(
      content.identifiers.map((one) =>
        JSON.stringify([one.scheme, one.value, one.country ?? null, one.currency ?? null]),
      ),
    ),
    birthDates: sorted(content.birthDates),
    countries: sorted(content.countries),
    addresses: sorted(content.addresses),
  })
  hashes.set(party, hash)
  return hash
}

/**
 * Returns which hits of this query are suppressed at `at` (ms), or undefined if none can be. INVARIANT: an equal identifier is never
 * suppressed: it is a fact, not a similarity.
 */
export function judgeOf(book: SuppressionBook, party: ScreenedParty, at: number): HitJudge | undefined {
  if (book.size === 0) return undefined
  // Few names have hits, so the suppressions of the party are computed at the first hit.
  let inForce: readonly Suppression[] | undefined
  return (listed, hit) => {
    if (hit.basis === "IDENTIFIER") return null
    inForce ??= inForceFor(book, party, at)
    const found = inForce.find(
      (one) =>
        one.sourceId === listed.sourceId && one.entryId === listed.entryId && one.entryHash === entryHash(listed),
    )
    return found ? appliedOf(found) : null
  }
}

function inForceFor(book: SuppressionBook, party: ScreenedParty, at: number): readonly Suppression[] {
  const digest = screenedPartyDigest(party)
  return (digest === null ? [] : (book.get(digest) ?? [])).filter(({ expiresAt }) => instant(expiresAt) > at)
}

function appliedOf({ sourceId: _, entryId: __, ...applied }: Suppression): AppliedSuppression {
  return applied
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()
