/** Reads the kept bytes of lists again before a service starts. An earlier parser made the lists in use. */
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { isDatabaseAway } from "../../store/engine/store-error.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { suppressionsInForce } from "../../store/sources/suppressions.ts"
import { adapterOf } from "../list-registry.ts"
import { LISTS_LOCK, type Shared } from "../machines/shared-database.ts"
import { entryHash } from "../screening/suppress.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { readAgain } from "./read-again.ts"
import { readKept } from "./read-kept.ts"
import { stillScreened } from "./removed-parties.ts"
import { readSnapshot, type StoredParties } from "./snapshot-files.ts"
import { type ListSource, listSource } from "./source.ts"

export interface ReadAgainParts {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
  readonly log: Log
}

/** A list that cannot be read again stays as it is, and a line is logged. */
export async function readListsAgain(parts: ReadAgainParts, outdated: readonly SnapshotRow[]): Promise<void> {
  try {
    const { root, shared = null } = parts
    const read = async () => {
      for (const row of outdated) {
        const adapter = adapterOf(row.sourceId)
        if (adapter) await readOne(parts, listSource(adapter), row)
      }
    }
    await withImportLock(root, read, { shared, name: LISTS_LOCK })
  } catch (error) {
    if (!(error instanceof ImportBusy || isDatabaseAway(error))) throw error
    parts.log.warn("lists_not_read_again", { why: error.message })
  }
}

async function readOne(parts: ReadAgainParts, source: ListSource, row: SnapshotRow): Promise<void> {
  const { root, log } = parts
  const about = { source_id: source.id, parser_before: row.parserVersion, parser: source.parserVersion }
  const fail = (why: string) => log.error("list_not_read_again", { ...about, snapshot_id: row.snapshotId, why })
  if (parts.shared) await source.kept.receiveMissing(parts, [row])
  const before = readSnapshot(root, row)
  if (before.fault !== null) return fail(before.fault)
  const again = await readAgain(parts, source, row, readKept).catch((error: unknown) => {
    if (error instanceof ImportBusy) return { fault: error.message, next: null }
    throw error
  })
  if (again.next === null) return fail(again.fault)
  const { snapshotId, entries } = again.next
  log.info("list_read_again", { ...about, snapshot_id: snapshotId, entries })
  const { stored } = readSnapshot(root, again.next)
  if (stored) await nameLapsed(parts, source.id, before.stored, stored)
}

/** A judgement ends when its entry changes, also if only its reading changed. A person must confirm it for the new reading. */
async function nameLapsed(
  { store, machine, log }: ReadAgainParts,
  sourceId: string,
  before: StoredParties,
  after: StoredParties,
): Promise<void> {
  const now = machine.now()
  const judged = (await store.read(() => suppressionsInForce(formatInstant(now)))).filter(
    (one) => one.sourceId === sourceId,
  )
  if (judged.length === 0) return
  const ids = new Set(judged.map(({ entryId }) => entryId))
  const hashesOf = ({ parties, removed }: StoredParties) =>
    new Set<string>(
      [...parties, ...stillScreened(removed, now).map(({ party }) => party)]
        .filter(({ entryId }) => ids.has(entryId))
        .map(entryHash),
    )
  const [then, today] = [hashesOf(before), hashesOf(after)] as const
  for (const { suppressionId, entryId, entryHash: hash } of judged)
    if (then.has(hash) && !today.has(hash))
      log.warn("suppression_needs_confirmation", {
        suppression_id: suppressionId,
        source_id: sourceId,
        entry_id: entryId,
        why: "this release reads the entry otherwise; see bizauth suppressions list, and add the judgement again if it still holds",
      })
}
