/**
 * Imports one publication of a source: read, judge, store, swap. A rejected publication leaves the active snapshot unchanged and is
 * recorded with every finding. The swap is one unit of work after all files are durable, also the built index. So a kill at any point
 * leaves the old snapshot active, and at most a folder and a file that the next import removes.
 */

import { type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestBytes, digestFiles } from "../../core/digest.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { knownBytes } from "../../store/sources/source-acceptances.ts"
import { activateImported, dropOldSnapshots, recordRefusal } from "../../store/sources/source-changes.ts"
import { activeSnapshots, type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { activateWithIndex, cleanIndexFolder } from "../boards/save-index.ts"
import type { Counts, Parsed, SourceAdapter } from "../records/adapter.ts"
import { LICENCES } from "../records/licences.ts"
import { announcedBreak } from "./announced-break.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import {
  type ImportOutcome,
  type KeptPublication,
  manifestFile,
  manifestOf,
  publicationReport,
  snapshotRow,
} from "./import-record.ts"
import { acceptedNow, type ImportOptions, importTimes } from "./import-times.ts"
import { isRefused, judge } from "./judge.ts"
import { type Environment, judgeSnapshot, type SnapshotJudgement } from "./judge-snapshot.ts"
import { countRemovedParties, LIST_RULES, listCandidate } from "./list-rules.ts"
import type { ReadInput } from "./read-input.ts"
import { removedParties } from "./removed-parties.ts"
import {
  type ManifestFile,
  readSnapshot,
  removeOrphans,
  removeSnapshot,
  SNAPSHOT_ID_PREFIX,
  type StoredParties,
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
  readonly work?: LongWork
}

const STEPS = ["READ", "COMPARE", "KEEP"] as const
const WORDS: Readonly<Record<(typeof STEPS)[number], string>> = {
  READ: "reading the files",
  COMPARE: "comparing with the list in use",
  KEEP: "storing the list and building the index of names",
}

export interface ImportReport extends ImportOutcome {
  readonly counts: Counts
}

/** Throws {@link ImportBusy} if another import or rollback runs. */
export function importSnapshot(
  context: ImportContext,
  input: ReadInput,
  options: ImportOptions,
): Promise<ImportReport> {
  return withImportLock(context.root, () => importAlone(context, input, options))
}

async function importAlone(context: ImportContext, input: ReadInput, options: ImportOptions): Promise<ImportReport> {
  const { store, machine, root, adapter, environment, work = UNWATCHED } = context
  const begin = stepsOf({ work, steps: STEPS, words: WORDS, trace: () => {} })
  const size = input.files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const now = machine.now()
  await cleanUp(context)
  begin("READ", { size })
  const files = manifestFiles(input)
  const rawSha256 = digestFiles(files)
  const parsed = adapter.parse(input.files)
  begin("COMPARE", { size })
  const known = await store.read(() => knownBytes(adapter.id, { rawSha256, content: parsed.content }))
  const stated = statedRetrieval(input)
  const times = importTimes(parsed, known, options, { stated, vouched: input.vouched, now })
  const actives = await store.read(activeSnapshots)
  const row = actives.find(({ sourceId }) => sourceId === adapter.id) ?? null
  const before = row && readSnapshot(root, row)
  const accepted = options.acceptShrink === rawSha256
  const { retrievedAt, published, confirmedAt } = times
  const candidate = {
    ...listCandidate(adapter, parsed, input.findings),
    published,
    retrievedAt,
    now,
    accepted,
    actives,
  }
  const active = row &&
    before && {
      row,
      fault: before.fault,
      removed: before.stored && countRemovedParties(before.stored.parties, parsed.parties),
    }
  const judgement = judgeSnapshot({
    environment,
    now,
    isRead: candidate.isReadable,
    findings: [...judge(LIST_RULES, candidate, active), ...times.findings],
    active: row,
    published,
    content: adapter.windows.content,
    confirmed: confirmedAt,
    retrievalWindow: adapter.windows.staleSeconds * SECOND,
    accepting: acceptedNow(options, now),
    accepted: known.acceptances,
  })
  const { findings } = judgement
  const publication = { sourceId: adapter.id, rawSha256, version: parsed.version, timestamp: parsed.timestamp }
  const report = publicationReport(publication, times, published, judgement)
  const read = { ...report, counts: parsed.counts }
  if (isRefused(findings)) {
    const refusal = { sourceId: adapter.id, at: formatInstant(now), rawSha256, findings: JSON.stringify(findings) }
    await store.run(() => recordRefusal(refusal, announcedBreak(findings, parsed, input, row)))
    return { ...read, imported: false, snapshotId: null }
  }
  begin("KEEP", { size })
  const { retrievedBy = "bizauth sources import" } = options
  const stored = { parties: parsed.parties, removed: removedParties(before?.stored ?? null, parsed.parties, now) }
  const kept = { adapter, report, files }
  const snapshotId = await keep(context, kept, parsed, input, { stored, judgement, now, active: row, retrievedBy })
  for (const dropped of await store.run(() => dropOldSnapshots(adapter.id))) removeSnapshot(root, adapter.id, dropped)
  return { ...read, imported: true, snapshotId }
}

interface Kept {
  readonly stored: StoredParties
  readonly judgement: SnapshotJudgement
  readonly now: number
  readonly active: SnapshotRow | null
  readonly retrievedBy: string
}

/** Writes the files first, then runs the one unit that makes them the active snapshot. */
async function keep(
  { store, machine, root, adapter }: ImportContext,
  publication: KeptPublication<SourceAdapter["id"]>,
  { counts, content }: Parsed,
  input: ReadInput,
  { stored, judgement, now, active, retrievedBy }: Kept,
): Promise<string> {
  const snapshotId = SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
  const manifest = manifestOf(publication, { licence: LICENCES[adapter.id], retrievedBy })
  const partiesSha256 = writeSnapshot(root, snapshotId, manifest, input.files, stored)
  const kept = { snapshotId, partiesSha256, counts, entries: counts.entries, importedAt: now, content }
  const snapshot = snapshotRow(publication, judgement, kept)
  const activate = () => activateImported(snapshot, active?.snapshotId ?? null, judgement.audited)
  if (await activateWithIndex({ store, root }, { ...snapshot, state: "ACTIVE" }, now, activate)) return snapshotId
  removeSnapshot(root, adapter.id, snapshotId)
  throw new ImportBusy("the active snapshot changed during the import; import again")
}

/** Returns milliseconds: the manifest's time, never the import's time; for loose files the oldest file time (rulings 53). */
export function statedRetrieval({ retrievedAt, files }: ReadInput): number {
  return retrievedAt ?? Math.floor(Math.min(...files.map(({ modifiedAt }) => modifiedAt)))
}

function manifestFiles({ files }: ReadInput): readonly ManifestFile[] {
  return files.map(({ bytes, ...file }) =>
    manifestFile({ ...file, sha256: digestBytes(bytes).slice("sha256:".length), bytes: bytes.length }),
  )
}

async function cleanUp({ store, root, adapter }: ImportContext): Promise<void> {
  const kept = await store.read(() => snapshotsOnDisk(adapter.id))
  removeOrphans(root, adapter.id, new Set(kept.map(({ snapshotId }) => snapshotId)))
  await cleanIndexFolder({ store, root })
}
