/**
 * Reads the kept bytes of a list again with the parser of this release, and makes the result the snapshot in use. The bytes, their times and
 * what the operator accepted of them stay. It drops no older snapshot, because the database of before the upgrade names it. Files first, then one unit: a kill leaves the old snapshot in use, and the next start begins
 * again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { formatInstant } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { activateImported } from "../../store/sources/source-changes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { suppressionsInForce } from "../../store/sources/suppressions.ts"
import { activateWithIndex } from "../boards/save-index.ts"
import { adapterOf } from "../list-registry.ts"
import type { Finding, Parsed, SourceAdapter } from "../records/adapter.ts"
import { entryHash } from "../screening/suppress.ts"
import { findingsReadAgain } from "./findings-read-again.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import { isRefused, judge } from "./judge.ts"
import { keptFiles } from "./kept-files.ts"
import { LIST_RULES, listCandidate } from "./list-rules.ts"
import { removedParties, stillScreened } from "./removed-parties.ts"
import {
  MANIFEST_FILE,
  type Manifest,
  readSnapshot,
  removeSnapshot,
  SNAPSHOT_ID_PREFIX,
  type StoredParties,
  snapshotFolder,
  writeSnapshot,
} from "./snapshot-files.ts"

export interface ReadAgainParts {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  readonly log: Log
}

/** A list that cannot be read again stays as it is, and a line is logged. */
export async function readAgain(parts: ReadAgainParts, outdated: readonly SnapshotRow[]): Promise<void> {
  try {
    await withImportLock(parts.root, async () => {
      for (const row of outdated) {
        const adapter = adapterOf(row.sourceId)
        if (adapter) await readOne(parts, adapter, row)
      }
    })
  } catch (error) {
    if (!(error instanceof ImportBusy)) throw error
    parts.log.warn("lists_not_read_again", { why: error.message })
  }
}

async function readOne(parts: ReadAgainParts, adapter: SourceAdapter, row: SnapshotRow): Promise<void> {
  const { store, machine, root, log } = parts
  const about = { source_id: adapter.id, parser_before: row.parserVersion, parser: adapter.parserVersion }
  const fail = (why: string) => log.error("list_not_read_again", { ...about, snapshot_id: row.snapshotId, why })
  const before = readSnapshot(root, row)
  if (before.fault !== null) return fail(before.fault)
  const folder = snapshotFolder(root, adapter.id, row.snapshotId)
  const files = keptFiles(folder, adapter.id)
  const parsed = adapter.parse(files)
  const now = machine.now()
  const uncompared = { published: null, retrievedAt: 0, now, accepted: false, actives: [] }
  const read = judge(LIST_RULES, { ...listCandidate(adapter, parsed, []), ...uncompared }, null)
  if (isRefused(read)) return fail(read.map(({ code }) => code).join(", "))
  const stored = { parties: parsed.parties, removed: removedParties(before.stored, parsed.parties, now) }
  const snapshotId = SNAPSHOT_ID_PREFIX + encodeBase64url(machine.random(16))
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")) as Manifest
  const partiesSha256 = writeSnapshot(root, snapshotId, manifest, files, stored)
  const next = { ...nextRow(row, parsed, read), snapshotId, partiesSha256, importedAt: formatInstant(now) }
  const parserVersion = adapter.parserVersion
  const activate = () => activateImported({ ...next, parserVersion }, row.snapshotId)
  if (!(await activateWithIndex({ store, root }, { ...next, parserVersion, state: "ACTIVE" }, now, activate))) {
    removeSnapshot(root, adapter.id, snapshotId)
    return fail("the snapshot in use changed in the meantime")
  }
  log.info("list_read_again", { ...about, snapshot_id: snapshotId, entries: parsed.counts.entries })
  await nameLapsed(parts, adapter.id, before.stored, stored)
}

function nextRow({ state: _, ...row }: SnapshotRow, parsed: Parsed, read: readonly Finding[]) {
  return {
    ...row,
    sourceVersion: parsed.version,
    counts: JSON.stringify(parsed.counts),
    entries: parsed.counts.entries,
    findings: findingsReadAgain(row, read),
    content: parsed.content,
  }
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
