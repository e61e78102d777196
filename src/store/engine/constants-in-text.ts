import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core"

/**
 * SQLite plans a statement anew at every call that binds its LIMIT, which takes ten times as long as the search. Constants come from the
 * queries' own source and drizzle quotes them. Values from callers are placeholders and stay bound.
 */
export class ConstantsInText extends SQLiteSyncDialect {
  override sqlToQuery(...[text, source]: Parameters<SQLiteSyncDialect["sqlToQuery"]>) {
    return super.sqlToQuery(text.inlineParams(), source)
  }
}
