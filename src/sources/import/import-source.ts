/**
 * Imports one publication of a source: take the files, read, judge, store, swap. A rejected publication leaves the active snapshot unchanged
 * and is recorded with every finding. The swap is one unit of work after all files are durable. So a kill at any point leaves the old snapshot
 * active, and at most leftovers that the next import or start removes. An import is not resumed: reading again is cheaper than verifying half
 * a file.
 */
import { renameDurably } from "../../base/durable-file.ts"
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { type Digest, digestFiles } from "../../core/digest.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { knownBytes } from "../../store/sources/source-acceptances.ts"
import { activateImported, dropOldSnapshots, recordRefusal } from "../../store/sources/source-changes.ts"
import { type Acceptance, activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import { isHere } from "../machines/receive-snapshot.ts"
import type { Shared } from "../machines/shared-database.ts"
import { dropOldWithFiles } from "../machines/upload-snapshot.ts"
import type { Finding } from "../records/adapter.ts"
import { announcedBreak } from "./announced-break.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import {
  type ImportOutcome,
  manifestFile,
  manifestOf,
  manifestOfRow,
  publicationReport,
  snapshotRow,
} from "./import-record.ts"
import { acceptedNow, type ImportOptions, importTimes } from "./import-times.ts"
import { isRefused } from "./judge.ts"
import { type Environment, judgeSnapshot } from "./judge-snapshot.ts"
import type { ImportedSource, KeptFile, NewSnapshot, Read } from "./kept.ts"
import { type Input, statedRetrieval } from "./read-input.ts"
import { requireRoom } from "./room.ts"
import { type ManifestFile, removeSnapshot, SNAPSHOT_ID_PREFIX, snapshotFolder } from "./snapshot-files.ts"

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
    const snapshot = kept.begin({ store, root, snapshotId, now, active, work })
    try {
      return await importAlone(context, input, options, { snapshot, snapshotId, now, active, actives })
    } finally {
      snapshot.remove()
    }
  }
  return withImportLock(kept.lockFolder(root), alone, { shared, name: kept.lockName })
}

/**
 * Whether these are the files of the active register, of which this machine has no folder: another machine imported it, and a shared database does not
 * have its bytes.
 */
function lacksOnlyHere({ root, source }: ImportContext, active: SnapshotRow, files: readonly KeptFile[]): boolean {
  const { isLong, parserVersion } = source
  if (!isLong || active.parserVersion !== parserVersion || isHere(root, active)) return false
  const imported = (JSON.parse(active.files) as readonly ManifestFile[]).map(fileText)
  return files.map(fileText).sort().join("\n") === imported.sort().join("\n")
}

const fileText = ({ name, sha256 }: Pick<ManifestFile, "name" | "sha256">) => `${sha256} ${name}`

/**
 * Gives this machine the active register: the folder gets its id, and no row changes. Throws {@link ImportBusy} and leaves nothing if the entries that
 * were read are not byte for byte those of the other machine.
 */
async function adopt(
  { root, source }: ImportContext,
  active: SnapshotRow,
  { snapshot, snapshotId, read }: Pick<Begun, "snapshot" | "snapshotId"> & { readonly read: Read },
): Promise<ImportReport> {
  const { id } = source
  const digest = await snapshot.publish(manifestOfRow(active, source.licence, "bizauth sources import"))
  if (digest !== active.partiesSha256) {
    removeSnapshot(root, id, snapshotId)
    throw new ImportBusy(
      `these are the files of ${active.snapshotId}, which is active, but this machine reads them otherwise: use the same release on every machine`,
    )
  }
  renameDurably(snapshotFolder(root, id, snapshotId), snapshotFolder(root, id, active.snapshotId))
  const { rawSha256, sourceVersion, sourceTimestamp, retrievedAt, publishedAt, publishedFrom, confirmedAt } = active
  return {
    ...{ sourceId: id, rawSha256: rawSha256 as Digest, version: sourceVersion, sourceTimestamp, retrievedAt },
    ...{ publishedAt, publishedFrom, confirmedAt, isSample: active.isSample === 1 },
    acceptances: JSON.parse(active.acceptances) as readonly Acceptance[],
    findings: JSON.parse(active.findings) as readonly Finding[],
    ...{ entries: read.entries, failed: read.failed, counts: read.counts },
    ...{ imported: true, snapshotId: active.snapshotId },
  }
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
  if (shared !== null && active !== null && lacksOnlyHere(context, active, files))
    return await adopt(context, active, { snapshot, snapshotId, read })
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
    ...{ snapshotId, partiesSha256, counts: { ...counts, ...read.words }, entries, importedAt, content: read.content },
  })
  const activate = () => activateImported(row, active?.snapshotId ?? null, judgement.audited)
  try {
    if (!(await kept.activate({ store, root, shared }, { ...row, state: "ACTIVE" }, now, activate)))
      throw new ImportBusy("the active snapshot changed during the import; import again")
  } catch (error) {
    if (error instanceof ImportBusy) removeSnapshot(root, id, snapshotId)
    throw error
  }
  const drop = shared === null ? dropOldSnapshots : dropOldWithFiles
  for (const dropped of await store.run(() => drop(id))) removeSnapshot(root, id, dropped)
  return { ...report, imported: true, snapshotId }
}
