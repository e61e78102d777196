/**
 * "Not the same party": an operator's recorded judgement takes one hit out of what decides, and leaves it in what is shown. Pure:
 * the same question, entry, judgements and moment give the same answer.
 */
import { type Digest, digestOf } from "../../core/digest.ts"
import { instant } from "../../core/time.ts"
import type { Party } from "../records/party.ts"
import { foldName } from "./fold.ts"
import type { HitJudge, ScreenQuery } from "./screen.ts"
import { nameProblemsOf } from "./screen.ts"

/** The party as it was asked about: everything of a query but the threshold. */
export type ScreenedParty = Omit<ScreenQuery, "threshold">

/** What a result shows of the judgement that was applied; author and reason stay with the operator, under `recordDigest`. */
export interface AppliedSuppression {
  readonly suppressionId: string
  readonly partyDigest: string
  readonly entryHash: string
  readonly recordDigest: string
  readonly createdAt: string
  /** RFC 3339; the judgement no longer counts from this moment on. */
  readonly expiresAt: string
}

export interface Suppression extends AppliedSuppression {
  readonly sourceId: string
  readonly entryId: string
}

/** Judgements that were not revoked, by party digest. */
export type SuppressionBook = ReadonlyMap<string, readonly Suppression[]>

export const NO_SUPPRESSIONS: SuppressionBook = new Map()

/**
 * CHOICE: a screened party is its name in every reading of the folding, its type, and all identifiers, countries and birth dates it was
 * asked about with. One more or one less is another party: whoever adds a word, an identifier or a country that agrees with the list
 * has not been judged. Null for a name that cannot be read completely, since two unlike names may look the same then.
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

/** Only EVM addresses are the same in any letter case; another chain's wallet is not. */
function identifierText(scheme: string, value: string): string {
  const text = value.normalize("NFKC").replace(/\s+/g, "")
  if (scheme !== "wallet") return text.toUpperCase()
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text
}

const hashes = new WeakMap<Party, Digest>()

/**
 * Everything the list says of an entry, and nothing of the publication it stands in: neither lines nor the order of rows. A name, an
 * identifier or a country more is another entry, which has not been judged.
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
 * Which hits of this question are judged not to be the same party, at `at` (ms); undefined when none can be.
 * INVARIANT: an identifier that equals a listed one is never judged away: it is a fact, not a likeness.
 */
export function judgeOf(book: SuppressionBook, party: ScreenedParty, at: number): HitJudge | undefined {
  if (book.size === 0) return undefined
  // Few names hit anything: who was asked about is worked out when the first one does.
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
