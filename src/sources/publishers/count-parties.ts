import type { Counts } from "../records/adapter.ts"
import type { Party, PartyType } from "../records/party.ts"

interface PublisherCounts {
  readonly rows: number
  readonly mirrored?: number
  /** Given if the publisher has a separate file of aliases; otherwise counted from the parties. */
  readonly aliases?: number
  readonly addresses?: number
}

export function countParties(parties: readonly Party[], publisher: PublisherCounts): Counts {
  const having = (test: (party: Party) => boolean) => parties.reduce((sum, party) => sum + (test(party) ? 1 : 0), 0)
  const total = (size: (party: Party) => number) => parties.reduce((sum, party) => sum + size(party), 0)
  const ofType = (type: PartyType) => having((party) => party.type === type)
  return {
    entries: parties.length,
    rows: publisher.rows,
    mirrored: publisher.mirrored ?? 0,
    aliases: publisher.aliases ?? total((party) => party.names.length - 1),
    addresses: publisher.addresses ?? total((party) => party.addresses.length),
    identifiers: total((party) => party.identifiers.length),
    persons: ofType("person"),
    orgs: ofType("org"),
    vessels: ofType("vessel"),
    aircraft: ofType("aircraft"),
    unknown: ofType("unknown"),
    withBirthDate: having((party) => party.birthDates.length > 0),
    withCountry: having((party) => party.countries.length > 0),
    withProgram: having((party) => party.programs.length > 0),
    withIdentifier: having((party) => party.identifiers.length > 0),
  }
}
