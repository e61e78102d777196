/** The lists at the start of a command: one index, and the health of each source in use. */

import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import { createLog, type Log } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { withEntries } from "../../products/common/stored-entries.ts"
import { buildDetailsInThread } from "../../sources/boards/build-in-thread.ts"
import { knownList } from "../../sources/boards/known-source.ts"
import { type ListedParties, listedParties, loadSnapshots } from "../../sources/boards/load-snapshots.ts"
import { provableState, unhealthy } from "../../sources/boards/provable-state.ts"
import type { SourceState } from "../../sources/boards/source-board.ts"
import { sourceStates } from "../../sources/boards/source-health.ts"
import { loadSuppressions } from "../../sources/boards/suppression-book.ts"
import { EntryBook } from "../../sources/details/entry-book.ts"
import type { DetailsPlace } from "../../sources/details/provide-details.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { BOARDS, type BoardName, SOURCE_IDS, type SourceId } from "../../sources/records/party.ts"
import { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, type ScreenResult, screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type SuppressionBook } from "../../sources/screening/suppress.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Input } from "../command.ts"
import { openData, readSettings } from "../inputs.ts"

export interface ScreeningLists {
  readonly index: NameIndex
  readonly sources: readonly SourceState[]
  readonly suppressions: SuppressionBook
  /** What the publishers print about the entries; null if it was not asked for. */
  readonly entries: EntryBook | null
  /** When they were read, in milliseconds. */
  readonly at: number
}

/** The same before the index is built. */
export interface LoadedLists extends Omit<ScreeningLists, "index"> {
  readonly listed: ListedParties
}

interface ListsOptions {
  readonly withEntries: boolean
  /** The lists that the products of one country screen, and no others: a word weighs by all lists of an index. Absent: every list in use. */
  readonly board?: BoardName
}

export async function openLists(input: Input, options: ListsOptions = { withEntries: false }): Promise<ScreeningLists> {
  const { listed, ...lists } = await loadLists(input, options)
  input.progress.step({ what: "building the index of names" })
  const index = new NameIndex(listed)
  input.progress.clear()
  return { index, ...lists }
}

export async function loadLists(input: Input, options: ListsOptions = { withEntries: false }): Promise<LoadedLists> {
  const disabled = readSettings(input).config.sources_disabled
  const { engine, store, paths } = await openData(input)
  const log = createLog("warn", input.err, realMachine.now)
  const required: readonly SourceId[] = BOARDS[options.board ?? "US"]
  const known = options.board === undefined ? SOURCE_IDS : required
  const only = known.filter((id) => required.includes(id) || !disabled.includes(id))
  const loaded = await loadSnapshots(
    { store, snapshotsDirectory: paths.snapshots, shared: sharedOf(engine, realMachine), log },
    { only, work: input.progress },
  )
  const now = realMachine.now()
  const suppressions = await loadSuppressions(store, now)
  const rows = [...loaded.snapshots.values()].map(({ row }) => row)
  const entries = options.withEntries ? await openEntries({ store, root: paths.snapshots, log }, rows) : null
  await store.close()
  // Any other source is in use from its first import: an imported list must be readable and current too.
  const inUse = only.filter((id) => required.includes(id) || loaded.active.has(id))
  return {
    listed: listedParties(loaded.snapshots, now),
    sources: sourceStates(inUse.map(knownList), loaded, { disabled, at: now }),
    suppressions,
    entries,
    at: now,
  }
}

/** A snapshot of an earlier release gets its details now. Afterwards the caller may close the store. */
export async function openEntries(
  place: DetailsPlace & { readonly log: Log },
  rows: readonly SnapshotRow[],
): Promise<EntryBook> {
  const book = new EntryBook({ ...place, build: (task, signal) => buildDetailsInThread(task, { signal }) })
  await book.open(rows)
  await book.finishBuilding()
  return book
}

export function screenIn({ index, sources, suppressions, at }: ScreeningLists, query: ScreenQuery): ScreenResult {
  const result = screen(index, query, judgeOf(suppressions, query, at))
  return { ...result, state: provableState(result.state, sources) }
}

/** Returns the complete result for a machine, version 1. */
export function resultOf({ index, sources }: ScreeningLists, result: ScreenResult, threshold: number) {
  return {
    version: 1,
    snapshots: index.snapshotIds,
    sources: sources.map(({ sourceId, health }) => ({ source_id: sourceId, health })),
    sources_missing: sources.filter(({ snapshot }) => snapshot === null).map(({ sourceId }) => sourceId),
    ...screeningFact(result, threshold),
  }
}

/** The result as facts keep it, with the entries of the first hits. */
export function factOf(
  { index, entries }: Pick<ScreeningLists, "index" | "entries">,
  result: ScreenResult,
  threshold: number,
): ScreeningFact {
  const screening = screeningFact(result, threshold)
  const snapshots = Object.entries(index.snapshotIds)
  const sources = snapshots.map(([source_id, snapshot_id]) => ({ source_id, snapshot_id }))
  return withEntries({ format: "", sources, screening }, entries).screening
}

/** Returns a line for each source that prevents CLEAR, with the fix. */
export function incompleteLines({ sources }: Pick<ScreeningLists, "sources">): readonly string[] {
  return unhealthy(sources).map(({ sourceId, health, snapshot }) =>
    snapshot === null
      ? `not screened  ${sourceId}: no snapshot; bizauth sources import ${sourceId} PATH…`
      : `not current   ${sourceId}: ${health}, retrieved ${snapshot.retrievedAt}; see bizauth sources status`,
  )
}
