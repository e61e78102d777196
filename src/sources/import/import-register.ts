/**
 * Imports one publication of a register: copy, parse, index, judge, swap. It takes minutes and runs in a separate process. The service's
 * database is written once, by the unit that activates or rejects. Until then all work happens in a staging folder; after a kill the next
 * import or start removes it. An import is not resumed: reading again is cheaper than verifying half a file.
 */
import { statSync } from "node:fs"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestFiles } from "../../core/digest.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { freeBytes } from "../../store/free-writes/free-disk.ts"
import { knownBytes } from "../../store/sources/source-acceptances.ts"
import { activateImported, dropOldSnapshots, recordRefusal } from "../../store/sources/source-changes.ts"
import { activeSnapshot, type SnapshotRow } from "../../store/sources/sources.ts"
import { contentKey } from "../publishers/content-version.ts"
import type { Finding } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"
import type { RegisterAdapter, RegisterFile } from "../records/register-adapter.ts"
import { REGISTER_LICENCES } from "../records/register-licences.ts"
import { announcedBreak } from "./announced-break.ts"
import { wholeDigest } from "./copy-file.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { type ImportOutcome, manifestFile, manifestOf, publicationReport, snapshotRow } from "./import-record.ts"
import { acceptedNow, type ImportOptions, importTimes } from "./import-times.ts"
import { type Active, isRefused, judge } from "./judge.ts"
import { type Environment, judgeSnapshot } from "./judge-snapshot.ts"
import type { FoundInput } from "./read-input.ts"
import type { StatedFiles } from "./read-manifest.ts"
import { countRemoved, RegisterDamaged } from "./register-file.ts"
import { requireRoom } from "./register-input.ts"
import { REGISTER_RULES } from "./register-rules.ts"
import { registerPath, registerRoot, Staging } from "./register-snapshot.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { removeSnapshot, SNAPSHOT_ID_PREFIX } from "./snapshot-files.ts"
import { registerSteps, writeEntries } from "./write-register.ts"

export interface RegisterImportContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  readonly adapter: RegisterAdapter
  /** Environment of the data directory. A test directory takes as a sample what a live one rejects. */
  readonly environment: Environment
  readonly work?: LongWork
  /** Returns the free bytes on the disk of a folder. Tests may replace it. */
  readonly free?: (folder: string) => number
}

export interface RegisterImportReport extends ImportOutcome {
  readonly entries: number
  /** Number of rows that could not be read. */
  readonly failed: number
  readonly counts: Readonly<Record<string, number>>
}

/** Throws {@link ImportBusy} if this register is being imported or rolled back, and {@link NoRoom} if the disk lacks space. */
export async function importRegister(
  context: RegisterImportContext,
  input: FoundInput,
  options: ImportOptions,
): Promise<RegisterImportReport> {
  const { root, adapter, machine } = context
  return withImportLock(registerRoot(root, adapter.id), async () => {
    await removeLeftovers(context)
    requireRoom(input, registerRoot(root, adapter.id), context.free ?? freeBytes)
    const snapshotId = SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
    const staging = new Staging(root, adapter.id, snapshotId)
    try {
      return await importAlone(context, input, options, staging, snapshotId)
    } finally {
      // A successful import has already renamed the folder.
      staging.remove()
    }
  })
}

/** Returns milliseconds: the manifest's time; for loose files the oldest file time (rulings 53). */
export function registerRetrieval({ manifest, files }: FoundInput): number {
  return manifest?.retrievedAt ?? Math.floor(Math.min(...files.map(({ modifiedAt }) => modifiedAt)))
}

async function importAlone(
  context: RegisterImportContext,
  input: FoundInput,
  options: ImportOptions,
  staging: Staging,
  snapshotId: string,
): Promise<RegisterImportReport> {
  const { store, machine, root, adapter, environment, work = UNWATCHED } = context
  const begin = registerSteps(work)
  const now = machine.now()
  begin("COPY", { unit: "bytes", total: input.files.reduce((sum, { path }) => sum + statSync(path).size, 0) })
  const files = staging.keepFiles(input, adding(work))
  const rawSha256 = digestFiles(files)
  const { retrievedBy = "bizauth sources import" } = options
  const known = await store.read(() => knownBytes(adapter.id, { rawSha256, content: contentOf(files) }))
  const row = await store.read(() => activeSnapshot(adapter.id))
  const inputFindings = [...input.findings, ...(input.manifest ? disagreements(input.manifest, files) : [])]
  const written = await writeEntries({ adapter, work, begin }, staging, files, inputFindings, now)
  const { reading } = written
  const { entries, counts } = written.candidate
  const { timestamp, timestampFrom = "CONTENT" } = reading
  const given = { stated: registerRetrieval(input), vouched: input.vouched, now }
  const times = importTimes({ timestamp, timestampFrom }, known, options, given)
  const { retrievedAt, confirmedAt } = times
  const published = adapter.content ? times.published : null
  const candidate = { ...written.candidate, published, retrievedAt, now, accepted: options.acceptShrink === rawSha256 }
  const { isReadable } = candidate
  const { size } = statSync(staging.registerPath)
  begin("COMPARE", { size })
  const active = isReadable && row ? activeRegister(root, row, staging.registerPath) : null
  const judged = judge(REGISTER_RULES, candidate, active)
  const judgement = judgeSnapshot({
    environment,
    now,
    isRead: isReadable,
    findings: [...judged, ...(adapter.content ? times.findings : [])],
    active: row,
    published,
    content: adapter.content ?? null,
    confirmed: confirmedAt,
    retrievalWindow: adapter.windows.staleSeconds * SECOND,
    accepting: acceptedNow(options, now),
    accepted: known.acceptances,
  })
  const { findings } = judgement
  const publication = { sourceId: adapter.id, rawSha256, version: reading.version, timestamp: reading.timestamp }
  const record = publicationReport(publication, times, published, judgement)
  const report = { ...record, entries, failed: reading.failed, counts }
  if (isRefused(findings)) {
    const refusal = { sourceId: adapter.id, at: formatInstant(now), rawSha256, findings: JSON.stringify(findings) }
    await store.run(() => recordRefusal(refusal, announcedBreak(findings, reading, { files }, row)))
    return { ...report, imported: false, snapshotId: null }
  }
  const kept = { adapter, report: record, files: files.map(manifestFile) }
  const manifest = manifestOf(kept, { licence: REGISTER_LICENCES[adapter.id], retrievedBy })
  begin("DIGEST", { unit: "bytes", total: statSync(staging.registerPath).size })
  const partiesSha256 = `sha256:${await wholeDigest(staging.registerPath, adding(work))}`
  staging.publish(manifest)
  const snapshot = snapshotRow(kept, judgement, {
    ...{ snapshotId, partiesSha256, counts: report.counts, entries },
    ...{ importedAt: machine.now(), content: contentOf(files) },
  })
  const activated = await store.run(() => activateImported(snapshot, row?.snapshotId ?? null, judgement.audited))
  if (!activated) {
    removeSnapshot(root, adapter.id, snapshotId)
    throw new ImportBusy("the active snapshot changed during the import; import again")
  }
  for (const dropped of await store.run(() => dropOldSnapshots(adapter.id))) removeSnapshot(root, adapter.id, dropped)
  return { ...report, imported: true, snapshotId }
}

/**
 * Every file of a register is used, or the import is rejected. Uses the packed digests, because unpacking gigabytes again would take
 * minutes.
 */
function contentOf(files: readonly RegisterFile[]): string {
  return contentKey(files.map(({ sha256 }) => sha256))
}

function activeRegister(root: string, row: SnapshotRow, candidate: string): Active {
  try {
    const count = countRemoved(registerPath(root, row), candidate)
    return { row, fault: null, removed: { count, of: row.entries } }
  } catch (error) {
    if (error instanceof RegisterDamaged) return { row, fault: error.message, removed: null }
    throw error
  }
}

export function disagreements(manifest: StatedFiles, files: readonly RegisterFile[]): Finding[] {
  return [...manifest.files].flatMap(([name, { sha256, bytes }]) => {
    const file = files.find((candidate) => candidate.name === name)
    if (!file) return [hard("MISSING_FILE", "named in the manifest", name)]
    if (file.bytes < bytes) return [hard("TRUNCATED", `${file.bytes} of ${bytes} bytes`, name)]
    return file.sha256 === sha256 ? [] : [hard("CORRUPT", "other bytes than the manifest's", name)]
  })
}
