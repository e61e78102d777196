import type { Party } from "../records/party.ts"
import { IdentifierIndex } from "./identifiers.ts"
import { readListedNames } from "./listed-names.ts"
import { NameSearch } from "./name-search.ts"
import { mergeNames, type NameTables, openTables } from "./name-tables.ts"
import { SCORER, type Scorer } from "./scorer.ts"

interface IndexedParties {
  /** Maps source id to the id of the snapshot it was built from. */
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly parties: readonly Party[]
}

interface IndexedTables {
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly parties: number
  readonly tables: NameTables
}

/** The search index over one set of snapshots. It is built once and then only read; a new snapshot gets a new index. */
export class NameIndex {
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly size: { readonly parties: number; readonly names: number }
  readonly scorer: Scorer
  readonly tables: NameTables
  readonly search: NameSearch
  readonly identifiers: IdentifierIndex

  /**
   * Builds the index from parties, which blocks the caller's thread, or opens it over tables that another thread built. Throws a RangeError
   * above about a million names, distinct words or identifiers. The input must not change afterwards.
   */
  constructor(input: IndexedParties | IndexedTables, scorer: Scorer = SCORER) {
    const { parties, tables } = "tables" in input ? input : tablesOf(input.parties, scorer)
    this.snapshotIds = input.snapshotIds
    this.scorer = scorer
    this.tables = tables
    this.search = new NameSearch(tables, scorer)
    this.identifiers = new IdentifierIndex(tables)
    this.size = { parties, names: tables.names }
  }
}

function tablesOf(parties: readonly Party[], scorer: Scorer): Omit<IndexedTables, "snapshotIds"> {
  const merged = mergeNames([readListedNames(parties, scorer)])
  return { parties: parties.length, tables: openTables(merged, (party) => parties[party]!) }
}
