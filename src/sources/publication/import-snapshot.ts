/**
 * Imports one publication of a source: read, judge, store, swap. A rejected publication leaves the active snapshot unchanged and is
 * recorded with every finding. The swap is one unit of work after all files are durable, also the built index. So a kill at any point
 * leaves the old snapshot active, and at most a folder and a file that the next import removes.
 */
import { SNAPSHOT_FORMAT } from "../../../schemas/snapshot-manifest.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { type Digest, digestBytes, digestFiles } from "../../core/digest.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import type { Machine } from "../../machine.ts"
import { knownBytes } from "../../store/sources/source-acceptances.ts"
import { activateImported, dropOldSnapshots, recordRefusal } from "../../store/sources/source-changes.ts"
import {
  type Acceptance,
  activeSnapshots,
  type PublishedFrom,
  type SnapshotRow,
  snapshotsOnDisk,
} from "../../store/sources/sources.ts"
import type { Store } from "../../store/unit.ts"
import { type Environment, judgeStanding, type Standing } from "../lists/judge-standing.ts"
import { activateWithIndex, cleanIndexFolder } from "../lists/save-index.ts"
import type { Counts, Finding, Parsed, SourceAdapter } from "../records/adapter.ts"
import { LICENCES } from "../records/licences.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { acceptedNow, type ImportOptions, importTimes } from "./import-times.ts"
import { announcedBreak, isRefused, judgeImport } from "./judge-import.ts"
import type { ReadInput } from "./read-input.ts"
import { removedParties } from "./removed-parties.ts"
import {
  type Manifest,
  type ManifestFile,
  readSnapshot,
  removeOrphans,
  removeSnapshot,
  SNAPSHOT_ID_PREFIX,
  type StoredParties,
  statedTimes,
  writeSnapshot,
} from "./snapshot-files.ts"

export interface ImportContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  readonly adapter: SourceAdapter
  /** Environment of the data directory. A test directory takes as a sample what a live one rejects. */
  readonly environment: Environment
}

export interface ImportReport {
  readonly imported: boolean
  readonly sourceId: string
  readonly snapshotId: string | null
  readonly rawSha256: Digest
  readonly version: string
  readonly sourceTimestamp: string | null
  readonly retrievedAt: string
  readonly publishedAt: string | null
  readonly publishedFrom: PublishedFrom | null
  readonly confirmedAt: string | null
  readonly isSample: boolean
  readonly acceptances: readonly Acceptance[]
  readonly counts: Counts
  readonly findings: readonly Finding[]
}

type Read = Omit<ImportReport, "imported" | "snapshotId">

/** Throws {@link ImportBusy} if another import or rollback runs. */
export function importSnapshot(
  context: ImportContext,
  input: ReadInput,
  options: ImportOptions,
): Promise<ImportReport> {
  return withImportLock(context.root, () => importAlone(context, input, options))
}

async function importAlone(context: ImportContext, input: ReadInput, options: ImportOptions): Promise<ImportReport> {
  const { store, machine, root, adapter, environment } = context
  const now = machine.now()
  await cleanUp(context)
  const files = manifestFiles(input)
  const rawSha256 = digestFiles(files)
  const parsed = adapter.parse(input.files)
  const known = await store.read(() => knownBytes(adapter.id, { rawSha256, content: parsed.content }))
  const stated = statedRetrieval(input)
  const times = importTimes(parsed, known, options, { stated, vouched: input.vouched, now })
  const actives = await store.read(activeSnapshots)
  const row = actives.find(({ sourceId }) => sourceId === adapter.id) ?? null
  const active = row ? { row, read: readSnapshot(root, row) } : null
  const accepted = options.acceptShrink === rawSha256
  const { retrievedAt, published, confirmedAt } = times
  const candidate = { adapter, input, parsed, published, retrievedAt, now, accepted }
  const standing = judgeStanding({
    environment,
    now,
    isRead: !isRefused([...input.findings, ...parsed.findings]),
    findings: [...judgeImport(candidate, active, actives), ...times.findings],
    active: row,
    published,
    content: adapter.windows.content,
    confirmed: confirmedAt,
    retrievalWindow: adapter.windows.staleSeconds * SECOND,
    accepting: acceptedNow(options, now),
    accepted: known.acceptances,
  })
  const { findings } = standing
  const read: Read = {
    sourceId: adapter.id,
    rawSha256,
    version: parsed.version,
    sourceTimestamp: parsed.timestamp,
    retrievedAt: formatInstant(retrievedAt),
    publishedAt: published?.at ?? null,
    publishedFrom: published?.from ?? null,
    confirmedAt: confirmedAt === null ? null : formatInstant(confirmedAt),
    isSample: standing.isSample,
    acceptances: standing.acceptances,
    counts: parsed.counts,
    findings,
  }
  if (isRefused(findings)) {
    const refusal = { sourceId: adapter.id, at: formatInstant(now), rawSha256, findings: JSON.stringify(findings) }
    await store.run(() => recordRefusal(refusal, announcedBreak(findings, parsed, input, row)))
    return { ...read, imported: false, snapshotId: null }
  }
  const { retrievedBy = "bizauth sources import" } = options
  const stored = { parties: parsed.parties, removed: removedParties(active?.read.stored ?? null, parsed.parties, now) }
  const snapshotId = await keep(context, read, parsed, input, {
    files,
    stored,
    standing,
    now,
    active: row,
    retrievedBy,
  })
  for (const dropped of await store.run(() => dropOldSnapshots(adapter.id))) removeSnapshot(root, adapter.id, dropped)
  return { ...read, imported: true, snapshotId }
}

interface Kept {
  readonly files: readonly ManifestFile[]
  readonly stored: StoredParties
  readonly standing: Standing
  readonly now: number
  readonly active: SnapshotRow | null
  readonly retrievedBy: string
}

/** Writes the files first, then runs the one unit that makes them the active snapshot. */
async function keep(
  { store, machine, root, adapter }: ImportContext,
  { rawSha256, retrievedAt, publishedAt, publishedFrom, confirmedAt, findings }: Read,
  parsed: Parsed,
  input: ReadInput,
  { files, stored, standing, now, active, retrievedBy }: Kept,
): Promise<string> {
  const snapshotId = SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
  const manifest: Manifest = {
    format: SNAPSHOT_FORMAT,
    source_id: adapter.id,
    source_url: adapter.sourceUrl,
    source_version: parsed.version,
    source_timestamp: parsed.timestamp,
    retrieved_at: retrievedAt,
    retrieved_by: retrievedBy,
    licence: LICENCES[adapter.id],
    ...statedTimes({ publishedAt, publishedFrom, confirmedAt }),
    files,
  }
  const partiesSha256 = writeSnapshot(root, snapshotId, manifest, input.files, stored)
  const snapshot = {
    snapshotId,
    sourceId: adapter.id,
    sourceUrl: adapter.sourceUrl,
    sourceVersion: parsed.version,
    sourceTimestamp: parsed.timestamp,
    retrievedAt,
    parserVersion: adapter.parserVersion,
    rawSha256,
    partiesSha256,
    counts: JSON.stringify(parsed.counts),
    entries: parsed.counts.entries,
    files: JSON.stringify(files),
    findings: JSON.stringify(findings),
    importedAt: formatInstant(now),
    publishedAt,
    publishedFrom,
    confirmedAt,
    size: standing.size,
    isSample: standing.isSample ? 1 : 0,
    acceptances: JSON.stringify(standing.acceptances),
    content: parsed.content,
  }
  const activate = () => activateImported(snapshot, active?.snapshotId ?? null, standing.audited)
  if (await activateWithIndex({ store, root }, { ...snapshot, state: "ACTIVE" }, now, activate)) return snapshotId
  removeSnapshot(root, adapter.id, snapshotId)
  throw new ImportBusy("the active snapshot changed during the import; import again")
}

/** Returns milliseconds: the manifest's time, never the import's time; for loose files the oldest file time (rulings 53). */
export function statedRetrieval({ retrievedAt, files }: ReadInput): number {
  return retrievedAt ?? Math.floor(Math.min(...files.map(({ modifiedAt }) => modifiedAt)))
}

function manifestFiles({ files }: ReadInput): readonly ManifestFile[] {
  return files.map(({ name, bytes, modifiedAt, url, etag }) => ({
    name,
    sha256: digestBytes(bytes).slice("sha256:".length),
    bytes: bytes.length,
    last_modified: formatInstant(Math.floor(modifiedAt)),
    ...(url === undefined ? {} : { url }),
    ...(etag === undefined ? {} : { etag }),
  }))
}

async function cleanUp({ store, root, adapter }: ImportContext): Promise<void> {
  const kept = await store.read(() => snapshotsOnDisk(adapter.id))
  removeOrphans(root, adapter.id, new Set(kept.map(({ snapshotId }) => snapshotId)))
  await cleanIndexFolder({ store, root })
}
