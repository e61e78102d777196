/**
 * What a judgement lifts beside its own question: twelve parties that a person could take for the judged one, each screened with and without the
 * judgement. They show its reach and never change it. Pure.
 */
import type { QueryIdentifier } from "./identifiers.ts"
import type { NameIndex } from "./name-index.ts"
import { type ScreenState, screen } from "./screen.ts"
import { entryHash, judgeOf, type ScreenedParty, type SuppressionBook } from "./suppress.ts"

/** A listed entry as its list states it now. */
interface JudgedEntry {
  readonly sourceId: string
  readonly entryId: string
  readonly entryHash: string
}

/** The party of one judgement, and its entry. */
interface Judgement extends JudgedEntry {
  readonly party: ScreenedParty
  /** From this score on a similar name is a hit. */
  readonly threshold: number
}

interface Neighbour {
  readonly what: string
  readonly party: ScreenedParty
}

/**
 * LIFTED: the entry is no hit any more. NOT_LIFTED: it stays a hit. NO_HIT: this party does not hit the entry in any case.
 */
type Reach = "LIFTED" | "NOT_LIFTED" | "NO_HIT"

export interface ScreenedNeighbour extends Neighbour {
  readonly reach: Reach
  /** Of the screening without and with the judgement. A suppressed BLOCK leaves a hold. */
  readonly states: readonly [without: ScreenState, including: ScreenState]
}

interface Books {
  readonly without: SuppressionBook
  readonly including: SuppressionBook
  /** Milliseconds. */
  readonly at: number
}

/** In the order of {@link neighboursOf}. */
export function screenNeighbours(
  index: NameIndex,
  judgement: Judgement,
  { without, including, at }: Books,
): ScreenedNeighbour[] {
  const isListed = (identifier: QueryIdentifier) => index.identifiers.find(identifier).length > 0
  return neighboursOf(judgement.party, isListed).map((neighbour) => {
    const [before, after] = [without, including].map((book) =>
      screenOne(index, { ...judgement, ...neighbour }, book, at),
    )
    const reach = !after!.isHit ? "NO_HIT" : after!.isSuppressed ? "LIFTED" : "NOT_LIFTED"
    return { ...neighbour, reach, states: [before!.state, after!.state] }
  })
}

function screenOne(index: NameIndex, { party, threshold, ...judged }: Judgement, book: SuppressionBook, at: number) {
  const judge = judgeOf(book, party, at)
  let [isHit, isSuppressed] = [false, false]
  const { state } = screen(index, { ...party, threshold }, (listed, hit) => {
    const applied = judge?.(listed, hit) ?? null
    if (listed.sourceId === judged.sourceId && listed.entryId === judged.entryId)
      if (entryHash(listed) === judged.entryHash) [isHit, isSuppressed] = [true, applied !== null]
    return applied
  })
  return { state, isHit, isSuppressed }
}

/** Always twelve. `isListed`: whether a list has the identifier; the added one is on none. */
function neighboursOf(party: ScreenedParty, isListed: (identifier: QueryIdentifier) => boolean): readonly Neighbour[] {
  const { name, identifiers, countries } = party
  const called = (what: string, other: string): Neighbour => ({ what, party: { ...party, name: other } })
  const more = addedTo(party, isListed)
  const isAlone = party.type === null && identifiers.length + countries.length + (party.birthDates ?? []).length === 0
  return [
    called("in other letters", name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()),
    called("with an accent", accented(name)),
    called("with a wider space", name.includes(" ") ? name.replace(" ", "  ") : `${name} `),
    name.endsWith(".") ? called("without its full stop", name.slice(0, -1)) : called("with a full stop", `${name}.`),
    called("with a hyphen", hyphenated(name)),
    called("with Ltd", `${name} Ltd`),
    called("with one word more", `${name} Holdings`),
    called("with one word fewer", shortened(name)),
    { what: "with one identifier more", party: { ...party, identifiers: [...identifiers, more[0]!] } },
    identifiers.length > 0
      ? { what: "with one identifier fewer", party: { ...party, identifiers: identifiers.slice(0, -1) } }
      : { what: "with two identifiers more", party: { ...party, identifiers: more.slice(0, 2) } },
    countries.length > 0
      ? { what: "without its country", party: { ...party, countries: [] } }
      : { what: "with a country", party: { ...party, countries: ["US"] } },
    isAlone
      ? { what: "as an organisation", party: { ...party, type: "org" } }
      : { what: "the name alone", party: { name, type: null, identifiers: [], countries: [] } },
  ]
}

function accented(name: string): string {
  const letter = /[aeiou]/i.test(name) ? /[aeiou]/i : /\p{L}/u
  return name.replace(letter, (one) => `${one}\u0301`.normalize("NFC"))
}

function hyphenated(name: string): string {
  if (name.includes(" ")) return name.replace(" ", "-")
  const letters = [...name]
  const middle = Math.ceil(letters.length / 2)
  return `${letters.slice(0, middle).join("")}-${letters.slice(middle).join("")}`
}

/** A name of one word loses its last letter. */
function shortened(name: string): string {
  const words = name.trim().split(/\s+/)
  return words.length > 1 ? words.slice(0, -1).join(" ") : [...name].slice(0, -1).join("")
}

/** CAGE codes neither of the party nor of a list. Two different codes do not contradict each other, so they change no hit. */
function addedTo({ identifiers }: ScreenedParty, isListed: (identifier: QueryIdentifier) => boolean) {
  const own = new Set(identifiers.map(({ value }) => value))
  const codes = Array.from({ length: 100 }, (_, n) => ({ scheme: "cage", value: `9ZZ${String(n).padStart(2, "0")}` }))
  return codes.filter((code) => !own.has(code.value) && !isListed(code))
}
