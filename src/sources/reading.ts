import type { Finding, Mirror, Parsed } from "./adapter.ts"
import { countParties } from "./count-parties.ts"
import type { Party } from "./party.ts"

export interface Reading {
  readonly parties: readonly Party[]
  readonly counts?: Parsed["counts"]
  readonly version: string
  readonly timestamp?: string | null
  readonly declaredRecords?: number | null
  readonly mirrors?: readonly Mirror[]
  readonly findings: readonly Finding[]
}

/** INVARIANT: a reading with a hard finding hands out no party, so a caller that forgets to look cannot screen with half a list. */
export function parsed(reading: Reading): Parsed {
  const refused = reading.findings.some((finding) => finding.severity === "hard")
  return {
    parties: refused ? [] : reading.parties,
    counts: reading.counts ?? countParties(reading.parties, { rows: reading.parties.length }),
    version: reading.version,
    timestamp: reading.timestamp ?? null,
    declaredRecords: reading.declaredRecords ?? null,
    mirrors: reading.mirrors ?? [],
    findings: reading.findings,
  }
}
