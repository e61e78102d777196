/**
 * Moves the database of a data directory to a PostgreSQL server, or back into a file. Nobody serves meanwhile. At every moment at most one of the two
 * databases can be served from: the earlier one until it is marked as moved, and from then on the new one, which was marked as incomplete before. A
 * move that is killed before the mark leaves the earlier database as it was; one that is killed after it goes on when it is called again.
 */
import { existsSync, readdirSync, renameSync } from "node:fs"
import { basename, join } from "node:path"
import { renameDurably, syncFolder } from "../../base/durable-file.ts"
import { formatInstant } from "../../core/time.ts"
import type { DatabasePlace } from "../../store/engine/open-engine.ts"
import { lockTables, metaOf, putInUse, readTables } from "../../store/engine/open-tables.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import { MOVED_FROM, MOVED_TO, type TablesView } from "../../store/engine/tables.ts"
import { changeSettings, requireChangeable } from "../configuration-file.ts"
import { DataDirectoryError } from "../data-directory.ts"
import { fileFault } from "../data-files.ts"
import type { DataPaths } from "../data-paths.ts"
import { type MoveMark, movedText, readMark } from "../move-mark.ts"
import { giveToOwner } from "../path-owner.ts"
import { copyAndCompare, digestsOf, requireEqual } from "./copy-tables.ts"
import { type MoveLock, moveLock } from "./move-lock.ts"
import {
  keptName,
  type MarkedPlace,
  type MoveOrder,
  markedPlace,
  type Places,
  placesOf,
  stateOf,
} from "./move-places.ts"
import { type MoveReport, readReport, removeReport, reportPath, writeReport } from "./move-report.ts"
import { type MoveParts, type RunningMove, runningMove } from "./move-steps.ts"
import { requireBeside } from "./require-beside.ts"
import type { TableDigest } from "./table-digests.ts"

interface Moved {
  readonly report: MoveReport
  /** This call went on with an earlier one that was interrupted after the copy. */
  readonly wasInterrupted: boolean
}

const ID_BYTES = 16

/** Rejects with {@link DatabaseRefused}, with ConfigError, or with the errors of the store. */
export async function moveDatabase(order: MoveOrder, parts: MoveParts): Promise<Moved> {
  const running = runningMove(parts)
  const places = placesOf(order)
  if (!existsSync(order.paths.directory)) requireFiles(order, places)
  requireChangeable(
    order.configuration,
    { database_file: order.to },
    "must name the new database at the end of the move",
  )
  const lock = moveLock(order.paths.directory)
  try {
    const interrupted = await resumeMove(order, places, running, lock)
    const report = interrupted ?? (await copyAndMark(order, places, running, lock))
    await putNewInPlace(order, places, report, running)
    return { report, wasInterrupted: interrupted !== null }
  } finally {
    lock.release()
  }
}

/** Null if no move is to go on. Another process may end its move until the lock is taken, so the mark is read again then. */
async function resumeMove(
  order: MoveOrder,
  places: Places,
  running: RunningMove,
  lock: MoveLock,
): Promise<MoveReport | null> {
  if ((await markedPlace(order, places)) === null) return null
  lock.take()
  const marked = await markedPlace(order, places)
  return marked && interruptedMove(order, places, marked, running)
}

function requireFiles({ paths }: MoveOrder, { from }: Places): void {
  const fault = fileFault(paths, paths.directory, from)
  if (fault !== null) throw new DataDirectoryError(fault)
}

/**
 * The report of the move that marked the earlier database and did not come to its end; null if its new database is another one and the file under the
 * earlier name is missing. The marked database is whole, and nobody writes it. So what was lost of the new one or of the report is made from it again.
 */
async function interruptedMove(
  order: MoveOrder,
  places: Places,
  { place, mark }: MarkedPlace,
  running: RunningMove,
): Promise<MoveReport | null> {
  const state = await stateOf(places, mark)
  if (state === "NONE") return place === places.from ? copyAgain(order, places, mark, running) : null
  const report = readReport(reportPath(order.paths.directory))
  if (report?.id === mark.id) return report
  const { work } = running
  return readTables(place, async (tables) => {
    const digests = await digestsOf(tables, work)
    if (state === "FILLED") await requireEqual(places.filled, digests, work)
    return keepReport(order, tables, { mark, digests }, running)
  })
}

/** The new database was lost before it came into use. */
async function copyAgain(order: MoveOrder, places: Places, mark: MoveMark, running: RunningMove): Promise<MoveReport> {
  await requireBeside(order.paths, places.from, running)
  return readTables(places.from, async (tables) => {
    const { id, at, other } = mark
    // INVARIANT: a report is of a database that was compared, so the old report goes before the copy begins.
    removeReport(order.paths.directory)
    const { to, digests } = await copyAndCompare({ tables, places, id, at, required: other }, running)
    return keepReport(order, tables, { mark: { ...mark, other: to }, digests }, running)
  })
}

async function copyAndMark(
  order: MoveOrder,
  places: Places,
  running: RunningMove,
  lock: MoveLock,
): Promise<MoveReport> {
  const { machine, begin } = running
  const at = formatInstant(machine.now())
  const id = Buffer.from(machine.random(ID_BYTES)).toString("hex")
  requireFiles(order, places)
  begin("LISTS", { size: 0 })
  await requireBeside(order.paths, places.from, running)
  begin("LOCK", { size: 0 })
  return lockTables(places.from, async (tables) => {
    await requireInUse(tables)
    const { to, digests } = await copyAndCompare({ tables, places, id, at }, running)
    const mark: MoveMark = { id, at, other: to, is_complete: true }
    const report = await keepReport(order, tables, { mark, digests }, running)
    // INVARIANT: the lock is taken from before the mark to the last step.
    lock.take()
    begin("MARK", { size: 0 })
    await tables.mark(MOVED_TO, JSON.stringify(mark))
    return report
  })
}

interface Compared {
  readonly mark: MoveMark
  readonly digests: readonly TableDigest[]
}

async function keepReport(
  { paths, to }: MoveOrder,
  tables: TablesView,
  { mark, digests }: Compared,
  { begin }: RunningMove,
): Promise<MoveReport> {
  const report: MoveReport = {
    version: 1,
    ...{ id: mark.id, moved_at: mark.at, from: tables.name, to: mark.other, to_server: to !== null },
    schema: await tables.schema(),
    kept: to === null ? null : keptName(paths, mark.at),
    tables: digests,
  }
  begin("REPORT", { size: 0 })
  writeReport(paths.directory, report)
  return report
}

async function requireInUse(tables: TablesView): Promise<void> {
  if ((await tables.meta("environment")) === null) {
    throw new DatabaseRefused("an init of this database did not finish: there is nothing to move")
  }
  const mark = readMark(await tables.meta(MOVED_TO))
  if (mark !== null) throw new DatabaseRefused(movedText(tables.name, mark))
}

/** Each step may have been done by an earlier call. */
async function putNewInPlace(
  { paths, configuration, to: configured }: MoveOrder,
  { filled, to }: Places,
  report: MoveReport,
  { begin }: RunningMove,
): Promise<void> {
  begin("IN_USE", { size: 0 })
  if (!(await isInUse(to, report))) {
    const mark = readMark(await metaOf(filled, MOVED_TO)) ?? readMark(await metaOf(filled, MOVED_FROM))
    if (mark?.id !== report.id) throw new DatabaseRefused(`${report.to} was changed during the move: run it again`)
    const made: MoveMark = { ...mark, is_complete: true }
    if (filled.kind === "FILE") giveToOwner(paths.directory, filled.path)
    await putInUse(filled, paths.database, { removed: MOVED_TO, name: MOVED_FROM, value: JSON.stringify(made) })
  }
  begin("KEEP", { size: 0 })
  for (const path of [paths.database, reportPath(paths.directory)]) giveToOwner(paths.directory, path)
  if (report.kept !== null) keepEarlier(paths, report.kept)
  begin("CONFIGURE", { size: 0 })
  changeSettings(configuration, { database_file: configured })
}

async function isInUse(to: DatabasePlace, { id }: MoveReport): Promise<boolean> {
  if ((await metaOf(to, MOVED_TO)) !== null) return false
  return readMark(await metaOf(to, MOVED_FROM))?.id === id
}

/** Renames the file, and the copies from before earlier upgrades: `restore --before-upgrade` must not find these after a move back. */
function keepEarlier({ directory, database }: DataPaths, kept: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(`${basename(database)}.before-`)) continue
    renameSync(join(directory, name), join(directory, `${kept}${name.slice(basename(database).length)}`))
  }
  if (existsSync(database)) renameDurably(database, join(directory, kept))
  else syncFolder(directory)
}
