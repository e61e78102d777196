import type { MergedNames } from "../screening/name-tables.ts"
import type { ListTables } from "./list-tables.ts"

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
