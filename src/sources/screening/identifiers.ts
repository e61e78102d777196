import type { Party, PartyIdentifier } from "../party.ts"

export interface QueryIdentifier {
  readonly scheme: string
  readonly value: string
}

/** A party found by an identifier that equals one of its own. */
export interface IdentifierMatch {
  readonly party: number
  readonly identifier: PartyIdentifier
}

/** Given out once in the world: equality is the same party. The others are only unique within one register. */
const WORLDWIDE = new Set(["lei", "uei", "cage", "cik", "imo", "npi", "wallet"])
/** Each party has at most one of these, so two unlike values speak against the match. */
const SINGLE_VALUED = new Set(["lei", "uei", "imo"])
/** Register numbers of fewer characters repeat from country to country. */
const NATIONAL_LENGTH_MIN = 6
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/

/** An EIN is the United States' tax number; lists print it as `tax`. */
const schemeOf = (scheme: string): string => (scheme === "ein" ? "tax" : scheme)

export const isWorldwide = (scheme: string): boolean => WORLDWIDE.has(scheme)

/** The comparable form, or null where the value is too short to mean one party. */
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

/** EVM addresses are one account in any letter case (EIP-55 uses case only as a checksum); other chains are case-sensitive. */
function walletKey(value: string): string {
  const trimmed = value.trim()
  const lower = trimmed.toLowerCase()
  return EVM_ADDRESS.test(lower) ? lower : trimmed
}

export class IdentifierIndex {
  readonly #matches = new Map<string, IdentifierMatch[]>()

  constructor(parties: readonly Party[]) {
    for (const [party, listed] of parties.entries())
      for (const identifier of listed.identifiers) {
        const key = keyOf(identifier.scheme, identifier.value)
        if (key === null) continue
        const match = { party, identifier }
        const known = this.#matches.get(key)
        if (known === undefined) this.#matches.set(key, [match])
        else if (known.at(-1)?.party !== party) known.push(match)
      }
  }

  /** Parties that share the identifier. An EIN does not match a tax number of a country other than the United States. */
  find(query: QueryIdentifier): readonly IdentifierMatch[] {
    const key = keyOf(query.scheme, query.value)
    const matches = key === null ? [] : (this.#matches.get(key) ?? [])
    if (query.scheme !== "ein") return matches
    return matches.filter(({ identifier }) => identifier.country === undefined || identifier.country === "US")
  }

  /** `address` is `0x` and 40 hex characters in any case. Throws a TypeError for anything else: it cannot be screened. */
  findWallet(address: string): readonly IdentifierMatch[] {
    if (!EVM_ADDRESS.test(address.toLowerCase())) throw new TypeError("a wallet is screened by its EVM address")
    return this.find({ scheme: "wallet", value: address })
  }
}

/** Whether both sides state a single-valued identifier of the same scheme and the values differ. */
export function identifiersConflict(query: readonly QueryIdentifier[], listed: readonly PartyIdentifier[]): boolean {
  return query.some(({ scheme, value }) => {
    if (!SINGLE_VALUED.has(scheme)) return false
    const same = listed.filter((identifier) => identifier.scheme === scheme)
    return same.length > 0 && same.every((identifier) => keyOf(scheme, identifier.value) !== keyOf(scheme, value))
  })
}
