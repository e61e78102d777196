import type { ListedNames } from "../screening/listed-names.ts"
import type { MergedNames } from "../screening/name-tables.ts"
import type { PackedTexts } from "../screening/packed-texts.ts"

/** One snapshot, ready to be merged with others. Its arrays lie in shared memory, so later builds reuse them without a copy. */
export interface PreparedList {
  readonly snapshotId: string
  /** Milliseconds. At this time the screening of an entry that left the list ends, and the list must be prepared again. */
  readonly endsAt: number
  readonly names: ListedNames
  readonly parties: PackedTexts
}

export type ListOutcome =
  | { readonly sourceId: string; readonly list: PreparedList; readonly fault: null }
  /** The bytes are missing or differ from the recorded digest. The index is built without this source. */
  | { readonly sourceId: string; readonly list: null; readonly fault: string }

export interface BuiltIndex {
  /** One outcome for each list of the task, in the same order. */
  readonly outcomes: readonly ListOutcome[]
  readonly merged: MergedNames
}
