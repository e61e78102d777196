import type { Database, SQLQueryBindings, Statement as SqliteStatement } from "bun:sqlite"
import { ConstantsInText } from "../constants-in-text.ts"
import { boundValues, onceForQuery, type StatementShape, shapeOf } from "../statement-shape.ts"
import type { Changed, Prepared, Statement } from "../unit.ts"
import { sqliteWords } from "./sqlite-words.ts"

const SPELLING = { dialect: new ConstantsInText(), words: sqliteWords, integer: null }

/** What the query is on every connection: drizzle takes longer to build it than SQLite to prepare it. */
export const sqliteShape = onceForQuery((query) => shapeOf(query, SPELLING))

/** The statements of one connection. Each is prepared on first use, and built on its first use in the process. */
export class SqliteStatements {
  private readonly prepared = new Map<Statement["query"], PreparedStatement>()

  constructor(private readonly database: Database) {}

  of(query: Statement["query"]): PreparedStatement {
    let prepared = this.prepared.get(query)
    if (!prepared) {
      prepared = new PreparedStatement(this.database, sqliteShape(query))
      this.prepared.set(query, prepared)
    }
    return prepared
  }

  clear(): void {
    this.prepared.clear()
  }
}

class PreparedStatement implements Prepared<unknown> {
  private readonly statement: SqliteStatement<unknown, SQLQueryBindings[]>

  constructor(
    database: Database,
    private readonly shape: StatementShape,
  ) {
    this.statement = database.prepare(shape.text)
  }

  get isRead(): boolean {
    return this.shape.isRead
  }

  all(values: Readonly<Record<string, unknown>> = {}): unknown[] {
    const { rowOf } = this.shape
    const bound = boundValues(this.shape, values) as SQLQueryBindings[]
    if (rowOf === null) return [{ changed: this.statement.run(...bound).changes } satisfies Changed]
    return this.statement.values(...bound).map((row) => rowOf(row))
  }
}
