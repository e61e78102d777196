import type { Party } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import type { ScreenQuery } from "../../../src/sources/screening/screen.ts"

/** An invented listed organisation. `entry` overrides the members that a test needs. */
export function party(entry: Partial<Party> & { readonly name?: string }): Party {
  const { name = "Karvolan Maritime Trading LLC", ...rest } = entry
  return {
    sourceId: "US_OFAC_SDN",
    entryId: "1",
    type: "org",
    list: "SDN",
    programs: ["TESTPROG"],
    measure: "block",
    names: [{ text: name, kind: "primary" }],
    identifiers: [],
    birthDates: [],
    countries: [],
    addresses: [],
    line: { file: "sdn.csv", number: 1 },
    ...rest,
  }
}

/** Unrelated listed companies around the entry under test, so that words are as rare as in a real list. */
export const CROWD: readonly Party[] = [
  "Oriental Shipping Services",
  "Global Trading Company",
  "Delta Petroleum Group",
  "National Bank of Zubrowka",
  "Sunrise Holding Industries",
  "Marine Services International",
  "Central Commercial Bank",
  "Red Crescent Foundation",
].map((name, at) => party({ name, entryId: `crowd-${at}` }))

export const indexOf = (...parties: readonly Party[]): NameIndex =>
  new NameIndex({ snapshotIds: { US_OFAC_SDN: "snapshot-1" }, parties: [...parties, ...CROWD] })

export const query = (name: string, rest: Partial<ScreenQuery> = {}): ScreenQuery => ({
  name,
  type: "org",
  identifiers: [],
  countries: [],
  threshold: 0.8,
  ...rest,
})
