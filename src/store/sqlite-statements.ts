import type { Database } from "bun:sqlite"
import { BunSQLiteDatabase, SQLiteBunSession } from "drizzle-orm/bun-sqlite"
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core"

/** Builds statements whose constants stand in their text. */
export function statementBuilder(database: Database): BunSQLiteDatabase {
  const dialect = new ConstantsInText()
  return new BunSQLiteDatabase("sync", dialect, new SQLiteBunSession(database, dialect, undefined), undefined)
}

/**
 * SQLite plans a statement anew at every call that binds its LIMIT, which takes ten times as long as the search itself. Constants
 * come from the queries' own source and drizzle quotes them; what callers give is a placeholder and stays bound.
 */
class ConstantsInText extends SQLiteSyncDialect {
  override sqlToQuery(...[text, source]: Parameters<SQLiteSyncDialect["sqlToQuery"]>) {
    return super.sqlToQuery(text.inlineParams(), source)
  }
}
