import type { Party, PartyIdentifier } from "../../records/party.ts"

/**
 * A party that is excluded several times (by another agency, for another cause) has one SAM number and several rows. The rows become one
 * party with every program, the stricter measure and the longest period.
 */
export function joinExclusions(parties: readonly Party[]): readonly Party[] {
  const byId = new Map<string, Party>()
  for (const party of parties) {
    const earlier = byId.get(party.entryId)
    byId.set(party.entryId, earlier ? join(earlier, party) : party)
  }
  return [...byId.values()]
}

/** Adds the addresses and countries of `further` to the parties with the same id. Every id must exist in `parties`. */
export function joinAddresses(parties: readonly Party[], further: readonly Party[]): readonly Party[] {
  const byId = new Map<string, Party>(parties.map((party) => [party.entryId, party]))
  for (const { entryId, addresses, countries, identifiers } of further) {
    const party = byId.get(entryId)
    if (party === undefined) throw new TypeError("a further address of an unknown entry")
    byId.set(entryId, {
      ...party,
      addresses: [...new Set([...party.addresses, ...addresses])],
      countries: [...new Set([...party.countries, ...countries])],
      identifiers: distinctIdentifiers([...party.identifiers, ...identifiers]),
    })
  }
  return [...byId.values()]
}

function distinctIdentifiers(identifiers: readonly PartyIdentifier[]): PartyIdentifier[] {
  return [...new Map(identifiers.map((id) => [`${id.scheme} ${id.value}`, id])).values()]
}

function join(a: Party, b: Party): Party {
  const { validFrom: aFrom, validTo: aTo, ...rest } = a
  const known = new Set(a.names.map((name) => name.text))
  const added = b.names.filter((name) => !known.has(name.text)).map((name) => ({ ...name, kind: "aka" as const }))
  const validFrom = aFrom !== undefined && b.validFrom !== undefined ? least(aFrom, b.validFrom) : undefined
  // If one exclusion has no end, the party's exclusion has no end.
  const validTo = aTo !== undefined && b.validTo !== undefined ? greatest(aTo, b.validTo) : undefined
  return {
    ...rest,
    measure: a.measure === "hold" || b.measure === "hold" ? "hold" : "condition",
    programs: [...new Set([...a.programs, ...b.programs])],
    names: [...a.names, ...added],
    identifiers: distinctIdentifiers([...a.identifiers, ...b.identifiers]),
    countries: [...new Set([...a.countries, ...b.countries])],
    addresses: [...new Set([...a.addresses, ...b.addresses])],
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(validTo === undefined ? {} : { validTo }),
  }
}

const least = (a: string, b: string) => (a < b ? a : b)
const greatest = (a: string, b: string) => (a > b ? a : b)
