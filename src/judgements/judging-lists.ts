import type { ListedEntries } from "../sources/details/entry-book.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import type { SuppressionBook } from "../sources/screening/suppress.ts"

/** The lists on which a person judges. */
export interface JudgingLists {
  readonly index: NameIndex
  /** What the publishers print about the entries; null if it was not asked for. */
  readonly entries: ListedEntries | null
  readonly suppressions: SuppressionBook
  /** Milliseconds. */
  readonly at: number
}
