/** Counts what a call may not do: reads of files, sockets and rows. The seams are those through which the whole program does it. */
import { Database } from "bun:sqlite"
import { spyOn } from "bun:test"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import { join } from "node:path"

export interface CountedEffects {
  /** Files opened or read whole. SQLite's own files are not counted: it opens them itself. */
  readonly filesRead: number
  /** Requests and connections that left the process. */
  readonly calls: number
  /** Tables whose number of rows changed. */
  readonly changedTables: readonly string[]
}

export const NO_EFFECT_COUNTED: CountedEffects = { filesRead: 0, calls: 0, changedTables: [] }

/** Runs `act`, and returns what it did to the outside and to the database in `directory`. */
export async function countEffects(directory: string, act: () => Promise<unknown>): Promise<CountedEffects> {
  const files = [spyOn(Bun, "file"), spyOn(fs, "readFileSync"), spyOn(fs, "openSync"), spyOn(fs, "createReadStream")]
  const calls = [spyOn(globalThis, "fetch"), spyOn(Bun, "connect"), spyOn(http, "request"), spyOn(https, "request")]
  try {
    const before = rowCounts(directory)
    await act()
    const counted = (spies: readonly { mock: { calls: unknown[] } }[]) =>
      spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    const [filesRead, sent] = [counted(files), counted(calls)]
    const after = rowCounts(directory)
    const changedTables = Object.keys(after).filter((table) => after[table] !== before[table])
    return { filesRead, calls: sent, changedTables }
  } finally {
    for (const spy of [...files, ...calls]) spy.mockRestore()
  }
}

/** Rows of every table. */
function rowCounts(directory: string): Record<string, number> {
  const file = fs.readdirSync(directory).find((name) => name.endsWith(".db"))
  using database = new Database(join(directory, file ?? ""), { readonly: true })
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? -1,
    ]),
  )
}
