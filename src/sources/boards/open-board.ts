/**
 * A board of a running service: one index over the active snapshots of its sources. It is opened from its file or built, and replaced as a
 * whole after another process imported or rolled back. A source whose bytes cannot be read is UNAVAILABLE; the others stay in use. While no
 * new index can be built, the old one stays, with the states it was built for.
 */

import type { Machine } from "../../base/machine.ts"
import { periodic, type Worker } from "../../base/worker.ts"
import { type ConfirmedTimes, confirmedTimes, type SnapshotRow, sourceGeneration } from "../../store/sources/sources.ts"
import type { EntryBook } from "../details/entry-book.ts"
import { type BoardName, SOURCE_IDS, type SourceId } from "../records/party.ts"
import { checksById, type SourceRows, sourceRows } from "../records/source-rows.ts"
import { NameIndex } from "../screening/name-index.ts"
import { openTables } from "../screening/name-tables.ts"
import { packedPartyAt } from "../screening/party-list.ts"
import { BackOff } from "./back-off.ts"
import type { IndexTask, ProvidedIndex } from "./build-index.ts"
import type { BuiltIndex, PreparedList } from "./built-index.ts"
import { withConfirmedTimes } from "./confirmed-row.ts"
import { indexKey } from "./index-key.ts"
import { KeptStates } from "./kept-states.ts"
import { knownList } from "./known-source.ts"
import type { SnapshotsPlace } from "./load-snapshots.ts"
import { type ProvideOptions, provideIndex } from "./provide-index.ts"
import { healthRecorder } from "./record-health.ts"
import { keepWritten } from "./save-index.ts"
import { savedIndex } from "./saved-index.ts"
import { type BoardSharing, SharedSnapshots } from "./shared-snapshots.ts"
import type { SourceBoard } from "./source-board.ts"
import { sourceStates } from "./source-health.ts"

interface BoardParts extends SnapshotsPlace {
  readonly machine: Machine
  /** INVARIANT: the board screens and states no other source, whatever is imported: a decision names exactly the sources it used. */
  readonly sources: readonly SourceId[]
  /** The name under which its index is saved. Without it the index is built at every start. */
  readonly name?: BoardName
  /** Source ids that the configuration disables. */
  readonly disabled: readonly string[]
  /** Whether the service fetches from publishers itself; default false. */
  readonly fetching?: boolean
  /** Given if processes on several machines share the database. */
  readonly sharing?: BoardSharing | null
  /** Receives the snapshots before they are in use. */
  readonly details?: Pick<EntryBook, "open">
  readonly build?: (task: IndexTask, options: ProvideOptions) => Promise<ProvidedIndex>
}

const POLL_EVERY_MS = 1000
/** After this number of failures in a row the wait, in rounds, stops growing: about four minutes. */
const DOUBLINGS_MAX = 8

/** The data in use, replaced as one object. */
interface InUse {
  readonly rows: SourceRows
  /** The snapshots the index was built from, by source id. */
  readonly snapshots: ReadonlyMap<string, { readonly row: SnapshotRow }>
  /** The lists that the index reads its parties from. The next build reuses unchanged ones. */
  readonly lists: ReadonlyMap<string, PreparedList>
  /** Null before the first index. */
  readonly index: NameIndex | null
}

const NOTHING: InUse = {
  rows: { generation: 0, active: [], attempts: new Map(), checks: new Map() },
  snapshots: new Map(),
  lists: new Map(),
  index: null,
}
let emptyIndex: NameIndex | undefined

export async function openBoard(parts: BoardParts): Promise<{ board: SourceBoard; worker: Worker }> {
  const { board, poll, stopBuilding } = await boardByRounds(parts)
  const worker = periodic("sources", POLL_EVERY_MS, poll, parts)
  const stop = () => {
    stopBuilding()
    return worker.stop()
  }
  return { board, worker: { ...worker, stop } }
}

interface BoardByRounds {
  readonly board: SourceBoard
  /** Reads the database once. Resolves when the new state is in use, or when its build failed. */
  poll(): Promise<void>
  stopBuilding(): void
}

/** Creates a board that polls only when `poll` is called. It has polled once when this resolves. */
export async function boardByRounds(parts: BoardParts): Promise<BoardByRounds> {
  const { store, machine, log, disabled } = parts
  for (const id of disabled.filter((one) => !SOURCE_IDS.includes(one as SourceId))) {
    log.warn("unknown_source_disabled", { source_id: id })
  }
  const stopping = new AbortController()
  const build = parts.build ?? provideIndex
  const others = parts.sharing ? new SharedSnapshots(parts, parts.sharing, stopping.signal) : null
  let used = NOTHING
  let starting = true
  const building = new BackOff(DOUBLINGS_MAX)
  /** Ids of the snapshots that `used` was made from. Null: one of them is taken anew, so the same ids need another build. */
  let tried: string | null = null

  async function poll(): Promise<void> {
    const now = machine.now()
    const { generation, checks, times } = await store.read(polled)
    // A publisher's check names its snapshot, so it can change without a new index.
    used = { ...used, rows: { ...used.rows, checks }, snapshots: withTimes(used.snapshots, times) }
    const isEnded = [...used.lists.values()].some(({ endsAt }) => now >= endsAt)
    const isSame = generation === used.rows.generation && !isEnded
    if (isSame && !others?.isIncomplete) return
    const rows = await rowsToUse(parts, others, used)
    const ids = rows.active.map(({ snapshotId }) => snapshotId).join()
    // Nothing that was missing arrived. A list that could not be read is not read again every round.
    if (isSame && ids === tried) return
    const lists = rows.active.map((row) => ({ row, held: heldFor(row, used.lists, now) }))
    // A rejected import changes only the states.
    if (lists.length === used.lists.size && lists.every(({ held }) => held !== null)) {
      used = { ...used, rows }
      tried = ids
      return
    }
    if (building.waits()) return
    let built: ProvidedIndex
    try {
      const task = { root: parts.snapshotsDirectory, now, lists, ...fileOf(parts, rows.active) }
      built = await build(task, { signal: stopping.signal, starting })
      await parts.details?.open(rows.active)
      // INVARIANT: replace states and index together, in one turn. Evidence names the snapshots that its index was built from.
      used = opened(rows, built)
      building.succeeded()
      tried = noteFaults(parts, others, rows, built) ? null : ids
      log.info("sources_loaded", { names: built.merged.names, sources: used.lists.size })
    } catch (error) {
      if (stopping.signal.aborted) return
      const { failures, rounds } = building.failed()
      const why = error instanceof Error ? error.message : String(error)
      log.error("index_not_built", { why, failures, retry_seconds: (rounds * POLL_EVERY_MS) / 1000 })
      return
    }
    await keepFile(parts, built, rows.generation)
  }

  const board = boardOf(parts, others, () => used)
  const record = healthRecorder(store, log)
  async function round(): Promise<void> {
    await poll()
    const now = machine.now()
    await others?.record(used.snapshots, now)
    await record(board.states(now), now)
    if (!starting) await others?.offer()
  }
  await round()
  starting = false
  return { board, poll: round, stopBuilding: () => stopping.abort() }
}

/** What each round reads. */
function* polled() {
  return { generation: yield* sourceGeneration(), checks: yield* checksById(), times: yield* confirmedTimes() }
}

/** Logs the lists that cannot be read. Returns whether one of them is taken anew. */
function noteFaults(
  { log }: BoardParts,
  others: SharedSnapshots | null,
  rows: SourceRows,
  { outcomes }: BuiltIndex,
): boolean {
  let isTakenAnew = false
  for (const { sourceId, fault } of outcomes) {
    if (fault === null) continue
    const snapshotId = idOf(rows, sourceId)
    log.error("snapshot_unreadable", { source_id: sourceId, snapshot_id: snapshotId, why: fault })
    if (snapshotId !== null && others?.noteFault(snapshotId)) isTakenAnew = true
  }
  return isTakenAnew
}

/** The active rows, but those that this machine cannot use yet. */
async function rowsToUse(
  { store, sources }: BoardParts,
  others: SharedSnapshots | null,
  used: InUse,
): Promise<SourceRows> {
  const rows = await store.read(() => sourceRows(sources))
  return others === null ? rows : { ...rows, active: await others.usable(rows.active, used.snapshots) }
}

function fileOf(
  { snapshotsDirectory: root, name }: BoardParts,
  active: readonly SnapshotRow[],
): Pick<IndexTask, "saved" | "saveAs"> {
  if (name === undefined || active.length === 0) return {}
  const key = indexKey(active)
  return { saved: savedIndex(root, name, key), saveAs: { board: name, key } }
}

/** The index is already in use, so a failure here is logged and not thrown. */
async function keepFile(
  { store, log, snapshotsDirectory: root, name }: BoardParts,
  { fileFault, written, writeFault }: ProvidedIndex,
  generation: number,
): Promise<void> {
  const board = name ?? null
  if (fileFault) log.warn("index_file_unused", { board, why: fileFault })
  const fault = written ? await keepWritten({ store, root }, written, generation) : writeFault
  if (fault) log.warn("index_not_saved", { board, why: fault })
}

/** `inUse` returns the data in use when the board is asked. */
function boardOf(
  { sources, disabled, fetching = false }: BoardParts,
  others: SharedSnapshots | null,
  inUse: () => InUse,
): SourceBoard {
  const keptStates = new KeptStates()
  const known = sources.map(knownList)
  return {
    index: () => {
      const { index } = inUse()
      if (index) return index
      emptyIndex ??= new NameIndex({ snapshotIds: {}, parties: [] })
      return emptyIndex
    },
    states: (at) => {
      const used = inUse()
      const lacks = others?.lacks(used.snapshots, at)
      const judge = () => {
        const { attempts, checks } = used.rows
        return sourceStates(known, { snapshots: used.snapshots, attempts, checks }, { disabled, fetching, lacks, at })
      }
      // What is lacking depends on the time in another way than the age.
      return lacks && lacks.size > 0 ? judge() : keptStates.at(at, used, judge)
    },
  }
}

/** Keeps the same row object while the row does not change, so that values derived from it are computed once. */
function withTimes(snapshots: InUse["snapshots"], times: ReadonlyMap<string, ConfirmedTimes>): InUse["snapshots"] {
  const isChanged = ({ row }: { readonly row: SnapshotRow }) => withConfirmedTimes(row, times) !== row
  if (![...snapshots.values()].some(isChanged)) return snapshots
  return new Map([...snapshots].map(([id, { row }]) => [id, { row: withConfirmedTimes(row, times) }]))
}

function idOf({ active }: SourceRows, sourceId: string): string | null {
  return active.find((row) => row.sourceId === sourceId)?.snapshotId ?? null
}

function heldFor(row: SnapshotRow, lists: ReadonlyMap<string, PreparedList>, now: number): PreparedList | null {
  const held = lists.get(row.sourceId)
  return held && held.snapshotId === row.snapshotId && now < held.endsAt ? held : null
}

function opened(rows: SourceRows, { outcomes, merged }: BuiltIndex): InUse {
  const lists = new Map(outcomes.flatMap(({ sourceId, list }) => (list ? [[sourceId, list] as const] : [])))
  const read = rows.active.filter(({ sourceId }) => lists.has(sourceId))
  const partyAt = packedPartyAt([...lists.values()].map(({ parties }) => parties))
  return {
    rows,
    snapshots: new Map(read.map((row) => [row.sourceId, { row }])),
    lists,
    index: new NameIndex({
      snapshotIds: Object.fromEntries(read.map((row) => [row.sourceId, row.snapshotId])),
      parties: merged.parties,
      tables: openTables(merged, partyAt),
    }),
  }
}
