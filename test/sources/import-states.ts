/** The state of an imported list, and what the operator is shown of it. */
import { expect } from "bun:test"
import { formatInstant } from "../../src/core/time.ts"
import { LISTS } from "../../src/sources/boards/known-source.ts"
import { loadSnapshots } from "../../src/sources/boards/load-snapshots.ts"
import { sourceStates } from "../../src/sources/boards/source-health.ts"
import type { ImportReport } from "../../src/sources/import/import-source.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import { recordConfirmed } from "../../src/store/sources/source-checks.ts"
import type { importBench } from "./import-bench.ts"

export const SDN = "US_OFAC_SDN"

export type Bench = ReturnType<typeof importBench>

export async function state(bench: Bench, id: SourceId, at = bench.machine.now()) {
  const loaded = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
  const found = sourceStates(LISTS, loaded, { disabled: [], at: at }).find(({ sourceId }) => sourceId === id)
  if (!found) throw new Error(`no state of ${id}`)
  return found
}

/** The publisher's own host confirms that nothing changed; `lastModified` in milliseconds. */
export async function confirm(bench: Bench, snapshotId: string | null, lastModified: number | null): Promise<void> {
  const answer = {
    sourceId: SDN,
    at: formatInstant(bench.machine.now()),
    outcome: "NOT_MODIFIED",
    files: null,
  } as const
  const dated = lastModified === null ? null : formatInstant(lastModified)
  const confirmation = { ...answer, snapshotId: snapshotId ?? "", isPublisher: true, lastModified: dated }
  expect(await bench.store.run(() => recordConfirmed(confirmation))).toBe(true)
}

export const softCodes = ({ findings }: ImportReport) =>
  findings.filter(({ severity }) => severity === "soft").map(({ code }) => code)

export const audit = (bench: Bench) =>
  bench.database
    .query<{ what: string; reason: string; raw_sha256: string; snapshot_id: string }, []>(
      "SELECT what, reason, raw_sha256, snapshot_id FROM source_acceptance ORDER BY id",
    )
    .all()
