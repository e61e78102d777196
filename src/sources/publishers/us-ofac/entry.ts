import type { Party, PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"
import type { OfacList } from "./lists.ts"

/** An entry while its parts are collected from several files. */
export interface OfacEntry {
  readonly id: string
  readonly type: PartyType
  readonly programs: readonly string[]
  readonly names: PartyName[]
  readonly identifiers: PartyIdentifier[]
  readonly birthDates: string[]
  readonly countries: string[]
  readonly addresses: string[]
  readonly line: Party["line"]
}

export function partyOf(list: OfacList, entry: OfacEntry): Party {
  return {
    sourceId: list.id,
    entryId: entry.id,
    type: entry.type,
    list: list.listOf(entry.programs),
    programs: entry.programs,
    measure: list.measure,
    names: entry.names,
    identifiers: entry.identifiers,
    birthDates: entry.birthDates,
    countries: [...new Set(entry.countries)],
    addresses: entry.addresses,
    line: entry.line,
  }
}

/** Returns null if nothing of the address is known. */
export function joinAddress(parts: readonly string[]): string | null {
  const known = parts.filter((part) => part !== "")
  return known.length === 0 ? null : known.join(", ")
}
