import type { Party } from "../party.ts"
import { IdentifierIndex } from "./identifiers.ts"
import { NameSearch } from "./name-search.ts"
import { buildNameTables, type NameTables } from "./name-tables.ts"

export interface IndexedParties {
  /** Source id to the id of the snapshot it was built from. */
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly parties: readonly Party[]
}

/** Everything one set of snapshots can be screened for. Built once, then only read; a new snapshot gets a new index. */
export class NameIndex {
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly size: { readonly parties: number; readonly names: number }
  readonly tables: NameTables
  readonly search: NameSearch
  readonly identifiers: IdentifierIndex

  /** Throws a RangeError above about a million names or distinct words. `input.parties` must not change afterwards. */
  constructor(input: IndexedParties) {
    this.snapshotIds = input.snapshotIds
    this.tables = buildNameTables(input.parties)
    this.search = new NameSearch(this.tables)
    this.identifiers = new IdentifierIndex(input.parties)
    this.size = { parties: input.parties.length, names: this.tables.names }
  }
}
