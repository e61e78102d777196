/**
 * Moves the database of a data directory to a PostgreSQL server, or back into a file. Nobody serves meanwhile. At every moment at most one of the two
 * databases can be served from: the earlier one until it is marked as moved, and from then on the new one, which was marked as incomplete before. A
 * move that is killed before the mark leaves the earlier database as it was; one that is killed after it goes on when it is called again.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { renameDurably, syncFolder } from "../../base/durable-file.ts"
import { adding, type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import type { DatabasePlace } from "../../store/engine/open-engine.ts"
import {
  fillTables,
  lockTables,
  metaOf,
  putInUse,
  readTables,
  requireEmptyServer,
} from "../../store/engine/open-tables.ts"
import { ConstraintBroken, DatabaseRefused } from "../../store/engine/store-error.ts"
import { type LockedTables, MOVED_FROM, MOVED_TO, type TableShape } from "../../store/engine/tables.ts"
import { DataDirectoryError } from "../data-directory.ts"
import { fileFault } from "../data-files.ts"
import type { DataPaths } from "../data-paths.ts"
import { databasePlace } from "../database-place.ts"
import { type MoveMark, movedText, readMark } from "../move-mark.ts"
import { configureDatabase, requireConfigurable } from "./configured-database.ts"
import { type MoveReport, readReport, reportPath, writeReport } from "./move-report.ts"
import { movedTables, requireKnownTables } from "./moved-tables.ts"
import { digestOf, isEqual, RowDigest, type TableDigest } from "./table-digests.ts"

export interface MoveOrder {
  readonly paths: DataPaths
  /** The value of `database_file` before the move; null if the database is a file. */
  readonly from: string | null
  /** The value of `database_file` after it. One of the two is null. */
  readonly to: string | null
  /** The configuration file, which names the database. */
  readonly configuration: string
}

export const MOVE_STEPS = [
  "LOCK",
  "SCHEMA",
  "COPY",
  "COMPARE",
  "REPORT",
  "MARK",
  "IN_USE",
  "KEEP",
  "CONFIGURE",
] as const
type MoveStep = (typeof MOVE_STEPS)[number]

const WORDS: Readonly<Record<MoveStep, string>> = {
  LOCK: "looking whether nobody uses the database",
  SCHEMA: "making the new database",
  COPY: "copying every table",
  COMPARE: "comparing every table",
  REPORT: "keeping the digests",
  MARK: "marking the earlier database as moved",
  IN_USE: "putting the new database into use",
  KEEP: "keeping the earlier database",
  CONFIGURE: "writing the configuration",
}

interface MoveParts {
  readonly machine: Pick<Machine, "now" | "random">
  /** Called before each step, and before each batch of rows. A test kills the process there. */
  readonly trace?: (step: MoveStep, rows?: number) => void
  readonly work?: LongWork
}

interface Moved {
  readonly report: MoveReport
  /** This call went on with an earlier one that was interrupted after the copy. */
  readonly wasInterrupted: boolean
}

const ID_BYTES = 16

/** Rejects with {@link DatabaseRefused}, with ConfigError, or with the errors of the store. */
export async function moveDatabase(order: MoveOrder, parts: MoveParts): Promise<Moved> {
  const { trace = () => {}, work = UNWATCHED } = parts
  const begin = stepsOf({ work, steps: MOVE_STEPS, words: WORDS, trace })
  const places = placesOf(order)
  if (!existsSync(order.paths.directory)) requireFiles(order, places)
  requireConfigurable(order.configuration, order.to)
  begin("LOCK", { size: 0 })
  const interrupted = await interruptedMove(order, places)
  const report = interrupted ?? (await copyAndMark(order, places, { ...parts, work, trace, begin }))
  await putNewInPlace(order, places, { report, begin })
  return { report, wasInterrupted: interrupted !== null }
}

function requireFiles({ paths }: MoveOrder, { from }: Places): void {
  const fault = fileFault(paths, paths.directory, from)
  if (fault !== null) throw new DataDirectoryError(fault)
}

interface Places {
  readonly from: DatabasePlace
  /** Where the new database is filled: a file has its final name only when it is whole. */
  readonly filled: DatabasePlace
  readonly to: DatabasePlace
}

function placesOf({ paths, from, to }: MoveOrder): Places {
  const place = databasePlace(paths, to)
  return {
    from: databasePlace(paths, from),
    filled: place.kind === "FILE" ? { kind: "FILE", path: `${place.path}.moving` } : place,
    to: place,
  }
}

/** The report of a move that marked the earlier database and did not come to its end. Null for none. */
async function interruptedMove({ paths, to }: MoveOrder, places: Places): Promise<MoveReport | null> {
  const report = readReport(reportPath(paths.directory))
  if (report === null || report.to_server !== (to !== null)) return null
  const earlier: DatabasePlace =
    places.from.kind === "FILE" && !existsSync(places.from.path) && report.kept !== null
      ? { kind: "FILE", path: join(paths.directory, report.kept) }
      : places.from
  const mark = readMark(await metaOf(earlier, MOVED_TO))
  return mark?.id === report.id && mark.is_complete ? report : null
}

type Begin = ReturnType<typeof stepsOf<MoveStep>>

interface CopyParts extends Required<MoveParts> {
  readonly begin: Begin
}

async function copyAndMark(order: MoveOrder, places: Places, parts: CopyParts): Promise<MoveReport> {
  const { machine, begin } = parts
  const at = formatInstant(machine.now())
  const id = Buffer.from(machine.random(ID_BYTES)).toString("hex")
  const { directory } = order.paths
  requireFiles(order, places)
  return lockTables(places.from, async (tables) => {
    await requireInUse(tables)
    const shapes = movedTables()
    requireKnownTables(await tables.names(), shapes)
    begin("SCHEMA", { size: 0 })
    const names = await preparePlace(places, tables)
    const total = await rowsOf(tables, shapes)
    const incomplete: MoveMark = { id, at, other: names.from, is_complete: false }
    const copied = await copy({ tables, shapes, places, at, total, mark: incomplete }, parts)
    begin("COMPARE", { unit: "rows", total })
    await compareCopied(places.filled, shapes, copied, parts.work)
    const report: MoveReport = {
      version: 1,
      ...{ id, moved_at: at, from: names.from, to: names.to, to_server: order.to !== null },
      schema: await tables.schema(),
      kept: order.to === null ? null : `${basename(order.paths.database)}.moved-${at.replaceAll(/[-:]|\.\d+/g, "")}`,
      tables: copied,
    }
    begin("REPORT", { size: 0 })
    writeReport(directory, report)
    begin("MARK", { size: 0 })
    const complete: MoveMark = { id, at, other: names.to, is_complete: true }
    await tables.mark(MOVED_TO, JSON.stringify(complete))
    return report
  })
}

async function requireInUse(tables: LockedTables): Promise<void> {
  if ((await tables.meta("environment")) === null) {
    throw new DatabaseRefused("an init of this database did not finish: there is nothing to move")
  }
  const mark = readMark(await tables.meta(MOVED_TO))
  if (mark !== null) throw new DatabaseRefused(movedText(tables.name, mark))
}

/** Makes room for a new file, or requires an empty database on the server. Returns the names of both databases. */
async function preparePlace(
  { filled, to }: Places,
  tables: LockedTables,
): Promise<{ readonly from: string; readonly to: string }> {
  if (to.kind === "SERVER") return { from: tables.name, to: await requireEmptyServer(to.url()) }
  if (existsSync(to.path)) throw new DatabaseRefused(`${to.path} is there already; nothing was changed: move it away`)
  // Of a move that was killed before it marked the earlier database.
  if (filled.kind === "FILE")
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${filled.path}${end}`, { force: true })
  return { from: tables.name, to: to.path }
}

async function rowsOf(tables: LockedTables, shapes: readonly TableShape[]): Promise<number> {
  let total = 0
  for (const shape of shapes) total += await tables.count(shape)
  return total
}

interface Copy {
  readonly tables: LockedTables
  readonly shapes: readonly TableShape[]
  readonly places: Places
  readonly at: string
  readonly total: number
  readonly mark: MoveMark
}

/** Returns the digests of what it read. */
async function copy(
  { tables, shapes, places, at, total, mark }: Copy,
  { begin, work, trace }: CopyParts,
): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = []
  await fillTables(places.filled, at, async (writer) => {
    begin("COPY", { unit: "rows", total })
    let rowsRead = 0
    await writer.clear(shapes)
    for (const shape of shapes) {
      const digest = new RowDigest(shape)
      for await (const rows of tables.batches(shape)) {
        trace("COPY", rowsRead)
        digest.add(rows)
        await writer.insert(shape, rows).catch(explainBroken)
        rowsRead += rows.length
        work.done(rowsRead)
      }
      digests.push(digest.whole())
    }
    await writer.finish(shapes, { name: MOVED_TO, value: JSON.stringify(mark) })
  })
  return digests
}

/** The earlier database has a row that its own rules do not allow: somebody wrote it without them. */
function explainBroken(error: unknown): never {
  if (!(error instanceof ConstraintBroken)) throw error
  throw new DatabaseRefused(`a row cannot be copied, because it breaks a rule of the schema: ${error.message}`)
}

/** Reads the new database as it was stored. Throws {@link DatabaseRefused} for a table that differs. */
async function compareCopied(
  place: DatabasePlace,
  shapes: readonly TableShape[],
  copied: readonly TableDigest[],
  work: LongWork,
): Promise<void> {
  const read = adding(work)
  await readTables(place, async (view) => {
    for (const [at, shape] of shapes.entries()) {
      const found = (await digestOf(view, shape, { read })).whole()
      const expected = copied[at]
      if (expected && isEqual(found, expected)) continue
      throw new DatabaseRefused(
        `the new database does not hold the table ${shape.name} as it was copied (${found.rows} rows instead of ${expected?.rows}): the earlier database stays in use`,
      )
    }
  })
}

interface NewPlace {
  readonly report: MoveReport
  readonly begin: Begin
}

/** Each step may have been done by an earlier call. */
async function putNewInPlace(order: MoveOrder, { filled, to }: Places, { report, begin }: NewPlace): Promise<void> {
  const { paths, configuration } = order
  begin("IN_USE", { size: 0 })
  if (!(await isInUse(to, report))) {
    const mark = readMark(await metaOf(filled, MOVED_TO)) ?? readMark(await metaOf(filled, MOVED_FROM))
    if (mark?.id !== report.id) {
      throw new DatabaseRefused(
        `the database that you named is not the one of the move of ${report.moved_at}: ${report.to}`,
      )
    }
    const made: MoveMark = { ...mark, is_complete: true }
    await putInUse(filled, paths.database, { removed: MOVED_TO, name: MOVED_FROM, value: JSON.stringify(made) })
  }
  begin("KEEP", { size: 0 })
  if (report.kept !== null) keepEarlier(paths, report.kept)
  begin("CONFIGURE", { size: 0 })
  configureDatabase(configuration, order.to)
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
