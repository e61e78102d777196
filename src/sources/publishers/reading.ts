import { digestBytes } from "../../core/digest.ts"
import type { Finding, Mirror, Parsed } from "../records/adapter.ts"
import { boundedNames } from "../records/listed-name.ts"
import type { Party } from "../records/party.ts"
import type { WordCounts } from "../records/publisher-words.ts"
import { contentKey } from "./content-version.ts"
import { countParties } from "./count-parties.ts"

interface Reading {
  readonly parties: readonly Party[]
  readonly counts?: Parsed["counts"]
  readonly version: string
  readonly timestamp?: string | null
  /** Default: CONTENT. */
  readonly timestampFrom?: "CONTENT" | "FILE_NAME"
  readonly declaredRecords?: number | null
  readonly mirrors?: readonly Mirror[]
  readonly words?: WordCounts
  /** The unpacked bytes of each file that was read; empty if none could be read. */
  readonly used?: readonly Uint8Array[]
  readonly findings: readonly Finding[]
}

/**
 * Every list's parties pass through here, so every listed name has a length limit. INVARIANT: a reading with a hard finding contains no
 * party, so a caller that skips the check cannot screen with half a list.
 */
export function parsed(reading: Reading): Parsed {
  const counts = reading.counts ?? countParties(reading.parties, { rows: reading.parties.length })
  const { parties, findings: long } = boundedNames(reading.parties, counts.rows)
  const findings = [...reading.findings, ...long]
  const isRefused = findings.some((finding) => finding.severity === "hard")
  return {
    parties: isRefused ? [] : parties,
    counts,
    version: reading.version,
    timestamp: reading.timestamp ?? null,
    timestampFrom: reading.timestamp ? (reading.timestampFrom ?? "CONTENT") : null,
    declaredRecords: reading.declaredRecords ?? null,
    mirrors: reading.mirrors ?? [],
    words: reading.words?.counted() ?? {},
    content: contentKey((reading.used ?? []).map((bytes) => digestBytes(bytes).slice("sha256:".length))),
    findings,
  }
}
