/** Copies every table into a new database, and compares the two. */
import { existsSync, rmSync } from "node:fs"
import { adding, type LongWork } from "../../base/long-work.ts"
import type { DatabasePlace } from "../../store/engine/open-engine.ts"
import { fillTables, readTables, requireEmptyServer } from "../../store/engine/open-tables.ts"
import { ConstraintBroken, DatabaseRefused } from "../../store/engine/store-error.ts"
import { MOVED_TO, type TableShape, type TablesView } from "../../store/engine/tables.ts"
import type { MoveMark } from "../move-mark.ts"
import type { Places } from "./move-places.ts"
import type { RunningMove } from "./move-steps.ts"
import { movedTables, requireKnownTables } from "./moved-tables.ts"
import { digestOf, isEqual, RowDigest, type TableDigest } from "./table-digests.ts"

interface Copy {
  readonly tables: TablesView
  readonly places: Places
  readonly id: string
  /** RFC 3339. */
  readonly at: string
  /** The only name that the new database may have. */
  readonly required?: string
}

interface Copied {
  /** Name of the new database. */
  readonly to: string
  readonly digests: readonly TableDigest[]
}

/** Fills the new database, which is marked as incomplete, and reads it again. Throws {@link DatabaseRefused} unless it then has every row. */
export async function copyAndCompare(
  { tables, places, id, at, required }: Copy,
  running: RunningMove,
): Promise<Copied> {
  const shapes = movedTables()
  requireKnownTables(await tables.names(), shapes)
  running.begin("SCHEMA", { size: 0 })
  const to = await preparePlace(places)
  if (to !== (required ?? to)) {
    throw new DatabaseRefused(
      `${tables.name} was moved to ${required} on ${at}, so it is not moved to ${to}: run the move again with ${required}. If that one was dropped before it came into use, make it again, empty and under its name. Otherwise it has what was sold since`,
    )
  }
  const total = await rowsOf(tables, shapes)
  const mark: MoveMark = { id, at, other: tables.name, is_complete: false }
  const digests = await copy({ tables, shapes, places, total, mark }, running)
  running.begin("COMPARE", { unit: "rows", total })
  await requireEqual(places.filled, digests, running.work)
  return { to, digests }
}

/** Makes room for a new file, or requires an empty database on the server. Returns its name. */
async function preparePlace({ filled, to }: Places): Promise<string> {
  if (to.kind === "SERVER") return requireEmptyServer(to.url())
  if (existsSync(to.path)) throw new DatabaseRefused(`${to.path} is there already; nothing was changed: move it away`)
  // Of a move that was killed before it marked the earlier database.
  if (filled.kind === "FILE")
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${filled.path}${end}`, { force: true })
  return to.path
}

async function rowsOf(tables: TablesView, shapes: readonly TableShape[]): Promise<number> {
  let total = 0
  for (const shape of shapes) total += await tables.count(shape)
  return total
}

interface Rows {
  readonly tables: TablesView
  readonly shapes: readonly TableShape[]
  readonly places: Places
  readonly total: number
  readonly mark: MoveMark
}

/** Returns the digests of what it read. */
async function copy(
  { tables, shapes, places, total, mark }: Rows,
  { begin, work, trace }: RunningMove,
): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = []
  await fillTables(places.filled, mark.at, async (writer) => {
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

/** The digests of every table that a move copies. */
export async function digestsOf(tables: TablesView, work: LongWork): Promise<readonly TableDigest[]> {
  const read = adding(work)
  const digests: TableDigest[] = []
  for (const shape of movedTables()) digests.push((await digestOf(tables, shape, { read })).whole())
  return digests
}

/** Reads the new database as it was stored. Throws {@link DatabaseRefused} for a table that differs. */
export async function requireEqual(
  place: DatabasePlace,
  copied: readonly TableDigest[],
  work: LongWork,
): Promise<void> {
  const found = await readTables(place, (view) => digestsOf(view, work))
  for (const [at, expected] of copied.entries()) {
    const one = found[at]
    if (one && isEqual(one, expected)) continue
    throw new DatabaseRefused(
      `the new database does not hold the table ${expected.table} as it was copied (${one?.rows} rows instead of ${expected.rows}): the earlier database stays in use`,
    )
  }
}
