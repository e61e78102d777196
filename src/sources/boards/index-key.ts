import { digestOf } from "../../core/digest.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { PARAMETER_DIGEST } from "../screening/parameters.ts"
import { programDigest } from "./program-digest.ts"

/** Returns the key of an index: its snapshots in order, the scorer and the program. A change of any of them changes the key. */
export function indexKey(rows: readonly SnapshotRow[]): string {
  return digestOf({
    program: programDigest(),
    scorer: PARAMETER_DIGEST,
    snapshots: rows.map(({ snapshotId, rawSha256, partiesSha256 }) => [snapshotId, rawSha256, partiesSha256]),
  })
}
