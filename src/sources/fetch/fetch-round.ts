/**
 * One fetch round: ask the publisher of one source for news, and import new files by the same path as an operator's files. A failure leaves
 * the active snapshot unchanged and writes one row with the reason. After a kill at any point the next round removes the leftover files. A
 * kill between the import and its row costs one extra download, because a row applies only to the snapshot it names.
 */

import type { Machine } from "../../base/machine.ts"
import { digestFiles } from "../../core/digest.ts"
import { formatInstant, HOUR, instant, SECOND } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { isOlder } from "../../store/sources/source-changes.ts"
import {
  type Confirmation,
  recordConfirmed,
  recordUnmet,
  type SourceCheckRow,
  sourceCheck,
} from "../../store/sources/source-checks.ts"
import {
  type AttemptRow,
  activeSnapshot,
  lastAttempt,
  type SnapshotRow,
  snapshotsOnDisk,
} from "../../store/sources/sources.ts"
import { ImportBusy } from "../import/import-lock.ts"
import type { ImportReport } from "../import/import-source.ts"
import type { ManifestFile } from "../import/snapshot-files.ts"
import type { Shared } from "../machines/shared-database.ts"
import type { Finding } from "../records/adapter.ts"
import type { DownloadContext, Downloaded } from "./download-file.ts"
import { fetchSet } from "./fetch-set.ts"
import { type FetchTarget, fromPublisher } from "./fetch-target.ts"
import type { Transport } from "./open-response.ts"
import type { FetchPlan } from "./plan.ts"
import { readMarker } from "./read-page.ts"
import { empty, withStaging } from "./staging.ts"
import { TransferFault } from "./transfer-fault.ts"
import { type KnownFile, readValidators, writeValidators } from "./validators.ts"

/** How long the news page is trusted after the files themselves were last seen unchanged. */
const NEWS_TRUSTED_MS = 6 * HOUR
const MIXED_PAUSE_MS = 20 * SECOND

export interface RoundContext {
  readonly store: Store
  readonly machine: Machine
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
  /**
   * When the publisher was last asked, as whoever starts the round knows it, or null. The round asks nobody if this has changed: then somebody else has
   * asked meanwhile. Absent: it asks in any case.
   */
  readonly lastAttempt?: string | null
  readonly transport: Transport
  readonly samKey: string | null
  readonly wait: DownloadContext["wait"]
  readonly work: DownloadContext["work"]
}

export interface RoundReport {
  readonly sourceId: string
  readonly at: string
  readonly outcome: SourceCheckRow["outcome"]
  readonly code: string | null
  readonly detail: string | null
  readonly retryAfterUntil: string | null
  /** The active snapshot after the round, or null. */
  readonly active: SnapshotRow | null
  /** The result of the import, or null if nothing was imported. */
  readonly brought: ImportReport | null
}

type Ending = Pick<RoundReport, "outcome"> &
  Partial<Pick<RoundReport, "code" | "detail" | "retryAfterUntil" | "brought">>

/** Runs one round. Throws ImportBusy if another process fetches this source or imports any source, or has just asked its publisher. */
export async function fetchRound(target: FetchTarget, context: RoundContext): Promise<RoundReport> {
  const { store, machine, lastAttempt } = context
  const { sourceId } = target
  const now = machine.now()
  const at = formatInstant(now)
  const ending = await withStaging(context, sourceId, async () => {
    const check = await store.read(() => sourceCheck(sourceId))
    if (lastAttempt !== undefined && (check?.attemptedAt ?? null) !== lastAttempt)
      throw new ImportBusy(`another process has just asked the publisher of ${sourceId}`)
    return endOf({ target, context, now, at }, check)
  })
  const active = await store.read(() => activeSnapshot(sourceId))
  return { sourceId, at, code: null, detail: null, retryAfterUntil: null, brought: null, ...ending, active }
}

/** A round that began at `now`. */
interface Round {
  readonly target: FetchTarget
  readonly context: RoundContext
  /** In milliseconds. */
  readonly now: number
  /** `now` in RFC 3339. */
  readonly at: string
}

async function endOf(round: Round, check: SourceCheckRow | null): Promise<Ending> {
  const { target, now, at } = round
  const { store } = round.context
  const { sourceId } = target
  const until = check?.retryAfterUntil ?? null
  if (until !== null && instant(until) > now) {
    const detail = `the publisher asks for no request before ${until}`
    return { outcome: "FAILED", code: "ASKED_TO_WAIT", detail, retryAfterUntil: until }
  }
  try {
    return await askAndBring(round, check)
  } catch (error) {
    if (!(error instanceof TransferFault)) throw error
    const wait = error.options.retryAfterUntil
    const retryAfterUntil = wait === undefined ? null : formatInstant(wait)
    const unmet = { code: error.code, detail: error.message, retryAfterUntil }
    await store.run(() => recordUnmet({ sourceId, at, outcome: "FAILED", ...unmet }))
    return { outcome: "FAILED", ...unmet }
  }
}

async function askAndBring(round: Round, check: SourceCheckRow | null): Promise<Ending> {
  const { target, context, now } = round
  const { store, transport, samKey } = context
  const active = await store.read(() => activeSnapshot(target.sourceId))
  const attempt = await store.read(() => lastAttempt(target.sourceId))
  const usable = active && (await isUsable(target, active, attempt)) ? active : null
  // A check of another snapshot (for example after a rollback) proves nothing about the active one.
  const known = usable && check?.checkedSnapshotId === usable.snapshotId ? check : null
  const plan = await target.plan({ transport, now, samKey })
  // Read the news page before the files. A publication between the two requests is then fetched again, not missed.
  const marker = await newsOf(plan, transport, now)
  if (usable && known && isOldNews(known, marker, now)) {
    return confirm(round, usable.snapshotId, { outcome: "NOT_MODIFIED", files: null, lastModified: null })
  }
  const { root, machine, wait, work } = context
  const fetched = (conditional: readonly KnownFile[] | null) => {
    const staging = empty(root, target.sourceId)
    return fetchSet(plan.sets, conditional, { transport, staging, now: machine.now, wait, work })
  }
  const got = await fetched(known ? readValidators(known.validators) : null)
  if (got === "NOT_MODIFIED") {
    if (!usable || !known) throw new TransferFault("PROTOCOL", "status 304 to an unconditional request")
    const files = { validators: known.validators, marker }
    const lastModified = learned(target, readValidators(known.validators), now)
    return confirm(round, usable.snapshotId, { outcome: "NOT_MODIFIED", files, lastModified })
  }
  const files = { validators: writeValidators(got.map(asKnown)), marker }
  const raw = digestFiles(got)
  if (usable?.rawSha256 === raw) {
    const lastModified = learned(target, got.map(asKnown), now)
    return confirm(round, usable.snapshotId, { outcome: "NOT_MODIFIED", files, lastModified })
  }
  if (await isWithdrawn(context, target.sourceId, got)) {
    return refused(round, {
      code: "WITHDRAWN",
      detail: `a rollback withdrew the bytes ${raw}; import them by hand to use them again`,
    })
  }
  const isPublisher = transport.mirror === null
  const first = await target.bring(got, now, isPublisher)
  // A mix of two publications usually means that the publisher is replacing its files. A retry soon after succeeds.
  if (first.imported || !isMixed(first.findings)) return settle(round, first, files)
  await context.wait(MIXED_PAUSE_MS)
  const again = await fetched(null)
  if (again === "NOT_MODIFIED") throw new TransferFault("PROTOCOL", "status 304 to an unconditional request")
  const second = await target.bring(again, now, isPublisher)
  return settle(round, second, { validators: writeValidators(again.map(asKnown)), marker })
}

/**
 * Returns whether the active snapshot need not be parsed again from the same bytes: it is intact, this parser version read it, and
 * no schema break is open that a re-read would clear. (A publisher that returns to its last good list has cleared the break.)
 */
async function isUsable(target: FetchTarget, active: SnapshotRow, attempt: AttemptRow | null): Promise<boolean> {
  const isMended = attempt?.schemaBreak === 1 && !isOlder(active.sourceTimestamp, attempt.breakPublished)
  return active.parserVersion === target.parserVersion && !isMended && (await target.fault(active)) === null
}

async function newsOf(plan: FetchPlan, transport: Transport, now: number): Promise<string | null> {
  if (plan.news === null) return null
  try {
    return await readMarker(plan.news, transport, now)
  } catch (error) {
    // Fall back to requests for the files. If the publisher sent Retry-After, rethrow instead.
    if (error instanceof TransferFault && error.code !== "ASKED_TO_WAIT") return null
    throw error
  }
}

function isOldNews(known: SourceCheckRow, marker: string | null, now: number): boolean {
  if (marker === null || marker !== known.marker || known.filesCheckedAt === null) return false
  const age = now - instant(known.filesCheckedAt)
  // A check time in the future was written before the clock was set back, so its age is unknown.
  return age >= 0 && age < NEWS_TRUSTED_MS
}

function asKnown({ name, url, etag, lastModified, bytes }: Downloaded): KnownFile {
  return { name, url, etag, last_modified: lastModified, bytes }
}

/** Returns the publication time from the publisher's header for a list that was imported without one, or null. */
function learned({ dates }: FetchTarget, files: readonly KnownFile[], now: number): string | null {
  const { lastModified } = fromPublisher(
    files.map((file) => ({ lastModified: file.last_modified })),
    now,
  )
  return dates === "LAST_MODIFIED" && lastModified !== null ? formatInstant(lastModified) : null
}

function isMixed(findings: readonly Finding[]): boolean {
  return findings.some(({ code, severity }) => code === "MIXED_PUBLICATION" && severity === "hard")
}

/** Returns whether these bytes were withdrawn, whatever the file names and the other files were at that time. */
async function isWithdrawn({ store }: RoundContext, sourceId: string, got: readonly Downloaded[]): Promise<boolean> {
  const kept = await store.read(() => snapshotsOnDisk(sourceId))
  return kept.some(({ state, files }) => {
    if (state !== "WITHDRAWN") return false
    const withdrawn = new Set((JSON.parse(files) as readonly ManifestFile[]).map(({ sha256 }) => sha256))
    return got.every(({ sha256 }) => withdrawn.has(sha256))
  })
}

type Files = Pick<SourceCheckRow, "validators" | "marker">

async function settle(round: Round, brought: ImportReport, files: Files): Promise<Ending> {
  if (brought.imported && brought.snapshotId !== null) {
    const confirmed = await confirm(round, brought.snapshotId, { outcome: "IMPORTED", files, lastModified: null })
    return { ...confirmed, brought }
  }
  const worst = brought.findings.find(({ severity }) => severity === "hard")
  const detail = worst ? `${worst.file ? `${worst.file}: ` : ""}${worst.detail}` : null
  return { ...(await refused(round, { code: worst?.code ?? null, detail })), brought }
}

async function refused(
  { target: { sourceId }, context, at }: Round,
  why: { readonly code: string | null; readonly detail: string | null },
): Promise<Ending> {
  await context.store.run(() => recordUnmet({ sourceId, at, outcome: "REFUSED", ...why, retryAfterUntil: null }))
  return { outcome: "REFUSED", ...why }
}

async function confirm(
  { target: { sourceId }, context, at }: Round,
  snapshotId: string,
  confirmed: Pick<Confirmation, "outcome" | "files" | "lastModified">,
): Promise<Ending> {
  const { store, transport } = context
  const isPublisher = transport.mirror === null
  const { outcome } = confirmed
  if (await store.run(() => recordConfirmed({ ...confirmed, sourceId, at, snapshotId, isPublisher })))
    return { outcome }
  const why = {
    code: "ACTIVE_CHANGED",
    detail: "another snapshot became the active one meanwhile",
    retryAfterUntil: null,
  }
  await store.run(() => recordUnmet({ sourceId, at, outcome: "FAILED", ...why }))
  return { outcome: "FAILED", ...why }
}
