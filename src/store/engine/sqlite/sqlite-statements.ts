import type { Database } from "bun:sqlite"
import { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite"
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import * as tables from "../../../../db/tables.ts"
import type { Prepared, Statement } from "../unit.ts"
import { CompiledQuery, CompiledSession, type QueryShape } from "./compiled-query.ts"
import { sqliteWords } from "./sqlite-words.ts"

/** Builds statements whose constants are part of their text. */
export function statementBuilder(database: Database): BunSQLiteDatabase {
  const dialect = new ConstantsInText()
  return new BunSQLiteDatabase("sync", dialect, new CompiledSession(database, dialect), undefined)
}

/** Of the queries that this process has built. They are constants of the program, so their number is limited. */
const shapes = new WeakMap<Statement["query"], QueryShape>()

/** The statements of one connection. Each is prepared on first use, and built on its first use in the process. */
export class SqliteStatements {
  private readonly orm: BunSQLiteDatabase
  private readonly prepared = new Map<Statement["query"], Prepared<unknown>>()

  constructor(private readonly database: Database) {
    this.orm = statementBuilder(database)
  }

  of(query: Statement["query"]): Prepared<unknown> {
    let prepared = this.prepared.get(query)
    if (!prepared) {
      prepared = this.prepare(query)
      this.prepared.set(query, prepared)
    }
    return prepared
  }

  private prepare(query: Statement["query"]): Prepared<unknown> {
    const shape = shapes.get(query)
    if (shape) return new CompiledQuery(this.database, shape)
    const prepared = query.build(this.orm, tables, sqliteWords).prepare()
    // What drizzle does in its own way it keeps in the statement.
    if (prepared instanceof CompiledQuery && prepared.shape.compiled !== null) shapes.set(query, prepared.shape)
    return prepared
  }

  clear(): void {
    this.prepared.clear()
  }
}

/**
 * SQLite plans a statement anew at every call that binds its LIMIT, which takes ten times as long as the search. Constants come from the
 * queries' own source and drizzle quotes them. Values from callers are placeholders and stay bound.
 */
class ConstantsInText extends SQLiteSyncDialect {
  override sqlToQuery(...[text, source]: Parameters<SQLiteSyncDialect["sqlToQuery"]>) {
    return super.sqlToQuery(text.inlineParams(), source)
  }
}
