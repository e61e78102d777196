/**
 * The names of one list, folded and split into words. This is most of the work of an index, and none of it depends on another list. An
 * unchanged list keeps its result and is only merged again.
 */
import type { Party, PartyType } from "../records/party.ts"
import { foldName } from "./fold.ts"
import { hash32, PAIR_VALUE_LIMIT, packPair } from "./hash-pairs.ts"
import { type PackedIdentifiers, packIdentifiers } from "./identifiers.ts"
import { type NameClass, type NameForm, nameForm } from "./name-form.ts"
import { type PackedTexts, packTexts } from "./packed-texts.ts"

/**
 * All numbers are local to the list. Name n has words `words[wordStart[n] .. wordStart[n+1])`. A name without words is not distinctive and
 * is found only by all its letters.
 */
export interface ListedNames extends PackedIdentifiers {
  /** For each party, its position in `PARTY_TYPES`. */
  readonly types: Uint8Array
  /** For each name, its party. */
  readonly party: Uint32Array
  /** For each name, its position among that party's `names`. */
  readonly ordinal: Uint16Array
  /** For each name, 1 for a weak alias. */
  readonly weak: Uint8Array
  readonly legalForms: Uint8Array
  /** For each name, its text in `numberTexts`. */
  readonly numbers: Uint32Array
  readonly numberTexts: PackedTexts
  readonly wordStart: Uint32Array
  readonly words: Uint32Array
  /** In order of first appearance. */
  readonly wordTexts: PackedTexts
  /** `packPair` of the hash of joined words and a name, in any order. A name without words has the hash of all its letters. */
  readonly joined: Float64Array
}

export const PARTY_TYPES: readonly PartyType[] = ["person", "org", "vessel", "aircraft", "unknown"]
export const PERSON = PARTY_TYPES.indexOf("person")

/** Shorter joined words would equal too many different names. */
export const JOINED_LENGTH_MIN = 5
/** With `hashMore` and `hashEnd`: the hash of words without spaces. */
export const JOINED_SEED = 2166136261

export const joinedHash = (joined: string): number => hash32(joined, JOINED_SEED)

const WHOLE_SEED = 1540483477

/** The hash of all letters of a name that is not distinctive. */
export const wholeHash = (letters: string): number => hash32(letters, WHOLE_SEED)

/** Throws a RangeError above 2^20 names, distinct words or identifiers, or 65,536 names of one party. */
export function readListedNames(
  parties: readonly Party[],
  { comparesEveryName }: { readonly comparesEveryName: boolean },
): ListedNames {
  const party: number[] = []
  const ordinal: number[] = []
  const weak: number[] = []
  const legalForms: number[] = []
  const numbers: number[] = []
  const numberIds = new Map<string, number>()
  const wordStart = [0]
  const words: number[] = []
  const wordIds = new Map<string, number>()
  const joined: number[] = []

  for (const [at, listed] of parties.entries()) {
    if (listed.names.length > 65_535) throw new RangeError(`entry ${listed.entryId} has ${listed.names.length} names`)
    for (const [nameAt, name] of listed.names.entries()) {
      const form = listedForm(listed, name.text)
      if (form.tokens.length === 0) continue
      const isCompared = form.distinctive || comparesEveryName
      if (!isCompared) joined.push(packPair(wholeHash(form.letters), party.length))
      else
        for (const text of listedJoinedTexts(listed, name.text, form))
          joined.push(packPair(joinedHash(text), party.length))
      party.push(at)
      ordinal.push(nameAt)
      weak.push(name.kind === "weak" ? 1 : 0)
      legalForms.push(form.legalForms)
      numbers.push(numberOf(numberIds, form.numbers))
      if (isCompared) for (const token of form.tokens) words.push(numberOf(wordIds, token))
      wordStart.push(words.length)
    }
  }
  requireNumbered(party.length, "names")
  const identifiers = packIdentifiers(parties)
  requireNumbered(identifiers.identifierParty.length, "identifiers")
  return {
    types: Uint8Array.from(parties, ({ type }) => PARTY_TYPES.indexOf(type)),
    party: Uint32Array.from(party),
    ordinal: Uint16Array.from(ordinal),
    weak: Uint8Array.from(weak),
    legalForms: Uint8Array.from(legalForms),
    numbers: Uint32Array.from(numbers),
    numberTexts: packTexts([...numberIds.keys()]),
    wordStart: Uint32Array.from(wordStart),
    words: Uint32Array.from(words),
    wordTexts: packTexts([...wordIds.keys()]),
    joined: Float64Array.from(joined),
    ...identifiers,
  }
}

/**
 * The names that are found only by all their letters, see {@link NameForm.distinctive}. `names` was read of `parties`, and may have others after
 * them.
 */
export function undistinctiveNames(
  parties: readonly Party[],
  { party: partyOf, ordinal, wordStart }: Pick<ListedNames, "party" | "ordinal" | "wordStart">,
): { readonly party: Party; readonly name: string }[] {
  return [...partyOf].flatMap((at, name) => {
    const party = parties[at]
    if (!party || wordStart[name] !== wordStart[name + 1]) return []
    return [{ party, name: party.names[ordinal[name]!]!.text }]
  })
}

export function numberOf(ids: Map<string, number>, text: string): number {
  const known = ids.get(text)
  if (known !== undefined) return known
  ids.set(text, ids.size)
  return ids.size - 1
}

/** Throws if the numbers do not suffice: an index must never omit a listed name. */
export function requireNumbered(count: number, what: string): void {
  if (count >= PAIR_VALUE_LIMIT) throw new RangeError(`${count} ${what} are more than the index can number`)
}

/** Returns how a listed name is read; a native-script name is read phonetically. */
export function listedForm(party: Party, name: string): NameForm {
  return nameForm(foldName(name).readings[0] ?? "", classOf(party))
}

/**
 * Returns the spellings without spaces under which a name is found. For a person's `SURNAME, Given` also the order in which people write
 * it.
 */
export function listedJoinedTexts(party: Party, name: string, form: NameForm): readonly string[] {
  const [, family, given] = (party.type === "person" && SURNAME_FIRST.exec(name)) || []
  if (given === undefined) return joinedTexts(form)
  return [...new Set([...joinedTexts(form), ...joinedTexts(listedForm(party, `${given} ${family}`))])]
}

const SURNAME_FIRST = /^([^,]+),([^,]+)$/

/** Returns the spellings of a form without spaces, with and without its legal form. */
export function joinedTexts(form: NameForm): string[] {
  const texts = form.joined === form.letters ? [form.joined] : [form.joined, form.letters]
  return texts.filter((text) => text.length >= JOINED_LENGTH_MIN)
}

/** Ships and aircraft have names like companies. An entry without a stated type may be either. */
function classOf(party: Party): NameClass {
  return party.type === "person" || party.type === "unknown" ? party.type : "org"
}
