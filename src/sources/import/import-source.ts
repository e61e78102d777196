/**
 * Imports one publication of a source: take the files, read, judge, store, swap. A rejected publication leaves the active snapshot unchanged
 * and is recorded with every finding. The swap is one unit of work after all files are durable. So a kill at any point leaves the old snapshot
 * active, and at most leftovers that the next import or start removes. An import is not resumed: reading again is cheaper than verifying half
 * a file.
 */
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestFiles } from "../../core/digest.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { knownBytes } from "../../store/sources/source-acceptances.ts"
import { activateImported, dropOldSnapshots, recordRefusal } from "../../store/sources/source-changes.ts"
import { activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import type { Shared } from "../shared/shared-database.ts"
import { dropOldWithFiles } from "../shared/upload-snapshot.ts"
import { announcedBreak } from "./announced-break.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { type ImportOutcome, manifestFile, manifestOf, publicationReport, snapshotRow } from "./import-record.ts"
import { acceptedNow, type ImportOptions, importTimes } from "./import-times.ts"
import { isRefused } from "./judge.ts"
import { type Environment, judgeSnapshot } from "./judge-snapshot.ts"
import type { ImportedSource, NewSnapshot } from "./kept.ts"
import { type Input, statedRetrieval } from "./read-input.ts"
import { requireRoom } from "./room.ts"
import { removeSnapshot, SNAPSHOT_ID_PREFIX } from "./snapshot-files.ts"

export interface ImportContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
  readonly source: ImportedSource
  /** Environment of the data directory. A test directory takes as a sample what a live one rejects. */
  readonly environment: Environment
  readonly work?: LongWork
  /** Returns the free bytes on the disk of a folder. Tests may replace it. */
  readonly free?: (folder: string) => number
}

export interface ImportReport extends ImportOutcome {
  readonly entries: number
  /** Number of rows that could not be read. */
  readonly failed: number
  readonly counts: Readonly<Record<string, number>>
}

/** Throws {@link ImportBusy} if another import or rollback holds the lock, and NoRoom if the disk lacks space. */
export function importSource(context: ImportContext, input: Input, options: ImportOptions): Promise<ImportReport> {
  const { store, machine, root, shared = null, source, work = UNWATCHED, free = freeBytes } = context
  const { kept } = source
  const alone = async () => {
    await kept.removeLeftovers({ store, root, shared })
    requireRoom(kept.lockFolder(root), kept.bytesNeeded(input), free)
    const snapshotId = newSnapshotId(machine)
    const now = machine.now()
    const actives = await store.read(activeSnapshots)
    const active = actives.find(({ sourceId }) => sourceId === source.id) ?? null
    if (shared !== null) await kept.receiveMissing({ store, root }, actives)
    const snapshot = kept.begin({ root, snapshotId, now, active, work })
    try {
      return await importAlone(context, input, options, { snapshot, snapshotId, now, active, actives })
    } finally {
      snapshot.remove()
    }
  }
  return withImportLock(kept.lockFolder(root), alone, { shared, name: kept.lockName })
}

export function newSnapshotId(machine: Machine): string {
  return SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
}

interface Begun {
  readonly snapshot: NewSnapshot
  readonly snapshotId: string
  readonly now: number
  readonly active: SnapshotRow | null
  readonly actives: readonly SnapshotRow[]
}

async function importAlone(
  context: ImportContext,
  input: Input,
  options: ImportOptions,
  { snapshot, snapshotId, now, active, actives }: Begun,
): Promise<ImportReport> {
  const { store, machine, root, shared = null, source, environment } = context
  const { id, content, kept } = source
  const files = await snapshot.take(input)
  const rawSha256 = digestFiles(files)
  const read = await snapshot.read()
  const known = await store.read(() => knownBytes(id, { rawSha256, content: read.content }))
  const times = importTimes(read, known, options, { stated: statedRetrieval(input), vouched: input.vouched, now })
  const { retrievedAt, confirmedAt } = times
  const published = content === null ? null : times.published
  const accepted = options.acceptShrink === rawSha256
  const judged = snapshot.judge({ published, retrievedAt, accepted }, actives)
  const judgement = judgeSnapshot({
    environment,
    now,
    isRead: read.isReadable,
    findings: [...judged, ...(content === null ? [] : times.findings)],
    active,
    published,
    content,
    confirmed: confirmedAt,
    retrievalWindow: source.windows.staleSeconds * SECOND,
    accepting: acceptedNow(options, now),
    accepted: known.acceptances,
  })
  const { findings } = judgement
  const { version, timestamp, entries, failed, counts } = read
  const record = publicationReport({ sourceId: id, rawSha256, version, timestamp }, times, published, judgement)
  const report = { ...record, entries, failed, counts }
  if (isRefused(findings)) {
    const refusal = { sourceId: id, at: formatInstant(now), rawSha256, findings: JSON.stringify(findings) }
    await store.run(() => recordRefusal(refusal, announcedBreak(findings, read, { files }, active)))
    return { ...report, imported: false, snapshotId: null }
  }
  const { retrievedBy = "bizauth sources import" } = options
  const publication = { source, report: record, files: files.map(manifestFile) }
  const partiesSha256 = await snapshot.publish(manifestOf(publication, retrievedBy))
  const importedAt = source.isLong ? machine.now() : now
  const row = snapshotRow(publication, judgement, {
    ...{ snapshotId, partiesSha256, counts, entries, importedAt, content: read.content },
  })
  const activate = () => activateImported(row, active?.snapshotId ?? null, judgement.audited)
  if (!(await kept.activate({ store, root, shared }, { ...row, state: "ACTIVE" }, now, activate))) {
    removeSnapshot(root, id, snapshotId)
    throw new ImportBusy("the active snapshot changed during the import; import again")
  }
  const drop = shared === null ? dropOldSnapshots : dropOldWithFiles
  for (const dropped of await store.run(() => drop(id))) removeSnapshot(root, id, dropped)
  return { ...report, imported: true, snapshotId }
}
