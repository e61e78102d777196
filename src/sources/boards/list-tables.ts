import { inSharedMemory } from "../formats/typed-arrays.ts"
import { nextEnd, stillScreened } from "../import/removed-parties.ts"
import type { StoredParties } from "../import/snapshot-files.ts"
import { type ListedNames, readListedNames } from "../screening/listed-names.ts"
import type { PackedTexts } from "../screening/packed-texts.ts"
import { packParties } from "../screening/party-list.ts"
import { SCORER } from "../screening/scorer.ts"

/** What the screening needs of one list. The arrays lie in shared memory, so later builds reuse them without a copy. */
export interface ListTables {
  /** Milliseconds. At this time the screening of an entry that left the list ends, and the list must be read again. */
  readonly endsAt: number
  readonly names: ListedNames
  readonly parties: PackedTexts
}

/** Reads the names of a list, first its own parties and then those that left it. Throws a RangeError if there are too many to number. */
export function readTables(stored: StoredParties, now: number): ListTables {
  const parties = [...stored.parties, ...stillScreened(stored.removed, now).map(({ party }) => party)]
  return inSharedMemory({
    endsAt: nextEnd(stored.removed, now),
    names: readListedNames(parties, SCORER),
    parties: packParties(parties),
  })
}
