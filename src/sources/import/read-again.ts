/**
 * After an upgrade to a release with another parser, reads the kept bytes of a source again and makes the result the snapshot in use. The
 * bytes, their times and what the operator accepted of them stay. It drops no older snapshot, because the database of before the upgrade
 * names it. Files first, then one unit: a kill leaves the old snapshot in use, and the next start begins again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { errnoOf } from "../../base/system-fault.ts"
import { formatInstant } from "../../core/time.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { activateImported } from "../../store/sources/source-changes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import { ImportBusy } from "./import-lock.ts"
import { newSnapshotId } from "./import-source.ts"
import type { Begun, ImportedSource, NewSnapshot, Place } from "./kept.ts"
import { keptPaths } from "./kept-files.ts"
import type { FoundFile } from "./read-input.ts"
import type { KeptBytes, ReadAgain } from "./read-kept.ts"
import { requireRoom } from "./room.ts"
import { MANIFEST_FILE, type Manifest, removeSnapshot, snapshotFolder } from "./snapshot-files.ts"

/** Reads kept bytes into the begun snapshot, in this thread or in another. */
type Reader = (snapshot: NewSnapshot, kept: KeptBytes, begun: Begun) => Promise<ReadAgain>

/**
 * Call it only under the lock of the source. `row` is the snapshot in use. Returns the new row, or why the bytes cannot be read. Throws
 * {@link ImportBusy} if the snapshot in use changed, and NoRoom. In each of these cases nothing changed.
 */
export async function readAgain(
  { store, root, machine, shared = null }: Place & { readonly machine: Machine },
  source: ImportedSource,
  row: SnapshotRow,
  read: Reader,
): Promise<{ readonly fault: string; readonly next: null } | { readonly fault: null; readonly next: SnapshotRow }> {
  const { id, kept, parserVersion } = source
  const folder = snapshotFolder(root, id, row.snapshotId)
  await kept.removeLeftovers({ store, root, shared })
  const named = namedFiles(folder, id)
  if (named.fault !== null) return { fault: named.fault, next: null }
  requireRoom(kept.lockFolder(root), kept.bytesNeeded(named), freeBytes)
  const snapshotId = newSnapshotId(machine)
  const now = machine.now()
  const begun = { store, root, snapshotId, now, active: row, work: UNWATCHED }
  const snapshot = kept.begin(begun)
  try {
    const result = await read(snapshot, { sourceId: id, root, before: row }, begun)
    if (result.fault !== null) return { fault: result.fault, next: null }
    const { version, counts, words, entries, content } = result.read
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")) as Manifest
    const partiesSha256 = await snapshot.publish(manifest, result.digest)
    const next = {
      ...row,
      ...{ snapshotId, partiesSha256, entries, content, parserVersion, sourceVersion: version },
      counts: JSON.stringify({ ...counts, ...words }),
      findings: findingsReadAgain(row, result.findings),
      importedAt: formatInstant(source.isLong ? machine.now() : now),
    }
    const { state: _, ...unstated } = next
    if (await kept.activate({ store, root, shared }, next, now, () => activateImported(unstated, row.snapshotId)))
      return { fault: null, next }
    removeSnapshot(root, id, snapshotId)
    throw new ImportBusy("the snapshot in use changed in the meantime")
  } finally {
    snapshot.remove()
  }
}

/** The files that the manifest names, or why it cannot be read. The text names the manifest. */
function namedFiles(
  folder: string,
  sourceId: string,
): { readonly fault: null; readonly files: readonly FoundFile[] } | { readonly fault: string } {
  try {
    return { fault: null, files: keptPaths(folder, sourceId) }
  } catch (error) {
    if (error instanceof InputError || (error instanceof Error && errnoOf(error) !== null)) {
      return { fault: error.message }
    }
    throw error
  }
}

/** What this parser found in kept bytes, and what their import found beside the parser, as the snapshot's row holds it. */
function findingsReadAgain({ findings }: Pick<SnapshotRow, "findings">, read: readonly Finding[]): string {
  const codes = new Set(read.map(({ code }) => code))
  const others = (JSON.parse(findings) as readonly Finding[]).filter(({ code }) => !codes.has(code))
  return JSON.stringify([...read, ...others])
}
