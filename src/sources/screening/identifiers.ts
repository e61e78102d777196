import type { Party, PartyIdentifier } from "../records/party.ts"
import { type HashPairs, hash32, packPair } from "./hash-pairs.ts"
import type { PartyAt } from "./party-list.ts"

export interface QueryIdentifier {
  readonly scheme: string
  readonly value: string
}

/** A party with an identifier that equals one in the query. */
export interface IdentifierMatch {
  readonly party: number
  readonly identifier: PartyIdentifier
}

/** Unique in the world: equality proves the same party. The other schemes are only unique within one register. */
const WORLDWIDE = new Set(["lei", "uei", "cage", "cik", "imo", "npi", "wallet"])
/** Each party has at most one of these, so two different values contradict the match. */
const SINGLE_VALUED = new Set(["lei", "uei", "imo"])
/** Shorter register numbers repeat from country to country. */
const NATIONAL_LENGTH_MIN = 6
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/

/** An EIN is the United States' tax number; lists print it as `tax`. */
const schemeOf = (scheme: string): string => (scheme === "ein" ? "tax" : scheme)

export const isWorldwide = (scheme: string): boolean => WORLDWIDE.has(scheme)

/** Returns the comparable form, or null if the value is too short to identify one party. */
function keyOf(scheme: string, value: string): string | null {
  const name = schemeOf(scheme)
  if (name === "wallet") return `wallet:${walletKey(value)}`
  const plain = value.replace(/[^A-Za-z0-9]/g, "").toUpperCase()
  if (plain === "") return null
  if (name === "cik" || name === "imo") {
    const number = plain.replace(/^(?:CIK|IMO)?0*/, "")
    return number === "" ? null : `${name}:${number}`
  }
  return WORLDWIDE.has(name) || plain.length >= NATIONAL_LENGTH_MIN ? `${name}:${plain}` : null
}

/** EVM addresses are equal in any letter case (EIP-55 uses case only as a checksum); other chains are case-sensitive. */
function walletKey(value: string): string {
  const trimmed = value.trim()
  const lower = trimmed.toLowerCase()
  return EVM_ADDRESS.test(lower) ? lower : trimmed
}

const KEY_SEED = 2166136261

/** All identifiers of the parties as numbers. The text is read from the party on demand. */
export interface PackedIdentifiers {
  /** `packPair` of the hash of the comparable form and the identifier's number. */
  readonly identifiers: Float64Array
  /** For each identifier, its party and its position among that party's `identifiers`. */
  readonly identifierParty: Uint32Array
  readonly identifierOrdinal: Uint32Array
}

export function packIdentifiers(parties: readonly Party[]): PackedIdentifiers {
  const pairs: number[] = []
  const party: number[] = []
  const ordinal: number[] = []
  for (const [at, { identifiers }] of parties.entries())
    for (const [identifierAt, { scheme, value }] of identifiers.entries()) {
      const key = keyOf(scheme, value)
      if (key === null) continue
      pairs.push(packPair(hash32(key, KEY_SEED), party.length))
      party.push(at)
      ordinal.push(identifierAt)
    }
  return {
    identifiers: Float64Array.from(pairs),
    identifierParty: Uint32Array.from(party),
    identifierOrdinal: Uint32Array.from(ordinal),
  }
}

interface IdentifierTables extends Omit<PackedIdentifiers, "identifiers"> {
  readonly identifiers: HashPairs
  readonly partyAt: PartyAt
}

export class IdentifierIndex {
  readonly #tables: IdentifierTables

  constructor(tables: IdentifierTables) {
    this.#tables = tables
  }

  /** Returns the parties that share the identifier. An EIN does not match a tax number of a country other than the United States. */
  find(query: QueryIdentifier): readonly IdentifierMatch[] {
    const key = keyOf(query.scheme, query.value)
    const matches = key === null ? [] : this.#matchesOf(key)
    if (query.scheme !== "ein") return matches
    return matches.filter(({ identifier }) => identifier.country === undefined || identifier.country === "US")
  }

  /** Returns the first equal identifier of each party, in list order. */
  #matchesOf(key: string): IdentifierMatch[] {
    const matches: IdentifierMatch[] = []
    this.#tables.identifiers.each(hash32(key, KEY_SEED), (number) => {
      const party = this.#tables.identifierParty[number]!
      const identifier = this.#tables.partyAt(party).identifiers[this.#tables.identifierOrdinal[number]!]!
      // The hash only proposes; compare the full form.
      if (keyOf(identifier.scheme, identifier.value) !== key || matches.at(-1)?.party === party) return
      matches.push({ party, identifier })
    })
    return matches
  }

  /** `address` is `0x` and 40 hex characters in any case. Throws a TypeError for anything else, because it cannot be screened. */
  findWallet(address: string): readonly IdentifierMatch[] {
    if (!EVM_ADDRESS.test(address.toLowerCase())) throw new TypeError("a wallet is screened by its EVM address")
    return this.find({ scheme: "wallet", value: address })
  }
}

/** Returns whether both sides state a single-valued identifier of the same scheme with different values. */
export function identifiersConflict(query: readonly QueryIdentifier[], listed: readonly PartyIdentifier[]): boolean {
  return query.some(({ scheme, value }) => {
    if (!SINGLE_VALUED.has(scheme)) return false
    const same = listed.filter((identifier) => identifier.scheme === scheme)
    return same.length > 0 && same.every((identifier) => keyOf(scheme, identifier.value) !== keyOf(scheme, value))
  })
}
