import type { ListedNames } from "../screening/listed-names.ts"
import type { MergedNames } from "../screening/name-tables.ts"
import type { PackedTexts } from "../screening/packed-texts.ts"

/** What the screening needs of one list. The arrays lie in shared memory, so later builds reuse them without a copy. */
export interface ListTables {
  /** Milliseconds. At this time the screening of an entry that left the list ends, and the list must be prepared again. */
  readonly endsAt: number
  readonly names: ListedNames
  readonly parties: PackedTexts
}

/** One snapshot, ready to be merged with others. */
export interface PreparedList extends ListTables {
  readonly snapshotId: string
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
