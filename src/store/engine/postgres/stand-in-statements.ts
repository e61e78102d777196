/** Stand-in until the real statements arrive. */
import { Column, is, Param, Placeholder, SQL, sql } from "drizzle-orm"
import { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite"
import { SQLiteInteger, SQLiteSession, SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import * as tables from "../../../../db/tables.ts"
import type { Statement } from "../unit.ts"
import type { Answer } from "./connection.ts"

class PostgresText extends SQLiteSyncDialect {
  override escapeParam = (at: number) => `$${at + 1}`
  override sqlToQuery(...[text, source]: Parameters<SQLiteSyncDialect["sqlToQuery"]>) {
    return super.sqlToQuery(text.inlineParams(), source)
  }
  override buildInsertQuery(config: Parameters<SQLiteSyncDialect["buildInsertQuery"]>[0]): SQL {
    for (const conflict of (config.onConflict ?? []) as SQL[]) bare(conflict)
    return super.buildInsertQuery(config)
  }
}
function bare(clause: SQL): void {
  for (const [at, chunk] of clause.queryChunks.entries()) {
    if (is(chunk, SQL)) bare(chunk)
    else if (Array.isArray(chunk))
      clause.queryChunks[at] = chunk.map((one) => (is(one, Column) ? sql.identifier(one.name) : one)) as never
  }
}
class Capture extends SQLiteSession<"sync", unknown, Record<string, unknown>, never> {
  prepareQuery(query: unknown, fields: unknown): never {
    return { query, fields } as never
  }
  override transaction(): never {
    throw new TypeError("no")
  }
}
const dialect = new PostgresText("" as never)
const orm = new BunSQLiteDatabase("sync", dialect, new Capture(dialect) as never, undefined)
export interface PostgresStatement {
  readonly text: string
  readonly reads: boolean
  parameters(values: Record<string, unknown>): unknown[]
  rows(raw: Answer): unknown[]
}
export function postgresStatement(of: Statement["query"]): PostgresStatement {
  const { query, fields } = of.build(orm as never, tables, {} as never).prepare() as any
  const names: string[] = query.params.map((p: any) =>
    is(p, Placeholder) ? p.name : is(p, Param) && is(p.value, Placeholder) ? p.value.name : null,
  )
  const text = query.sql as string
  return {
    text,
    reads: /^(select|with) /.test(text),
    parameters: (values) =>
      names.map((name) => (typeof values[name] === "number" ? String(values[name]) : values[name])),
    rows: (raw) =>
      of.isCounted
        ? [{ changed: raw.count }]
        : raw.map((row) =>
            Object.fromEntries(
              fields.map(({ path, field }: any, at: number) => [
                path[0],
                is(field, Column) && is(field, SQLiteInteger) && row[at] !== null ? Number(row[at]) : row[at],
              ]),
            ),
          ),
  }
}
