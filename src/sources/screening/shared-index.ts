/** An index that several threads of one process search at once: its tables and parties lie in shared memory. */
import { inSharedMemory } from "../formats/typed-arrays.ts"
import type { Party } from "../records/party.ts"
import { readListedNames } from "./listed-names.ts"
import { NameIndex } from "./name-index.ts"
import { type MergedNames, mergeNames, openTables } from "./name-tables.ts"
import type { PackedTexts } from "./packed-texts.ts"
import { packedPartyAt, packParties } from "./party-list.ts"
import { SCORER } from "./scorer.ts"

/** Can be sent to a thread without a copy. */
export interface SharedIndex {
  /** Maps source id to snapshot id. */
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly merged: MergedNames
  readonly parties: PackedTexts
}

/** Throws the errors of {@link NameIndex}. */
export function shareIndex(snapshotIds: Readonly<Record<string, string>>, parties: readonly Party[]): SharedIndex {
  return inSharedMemory({
    snapshotIds,
    merged: mergeNames([readListedNames(parties, SCORER)]),
    parties: packParties(parties),
  })
}

/** Each thread opens its own: the search keeps caches and scratch memory. */
export function openSharedIndex({ snapshotIds, merged, parties }: SharedIndex): NameIndex {
  return new NameIndex({
    snapshotIds,
    parties: merged.parties,
    tables: openTables(merged, packedPartyAt([parties])),
  })
}
