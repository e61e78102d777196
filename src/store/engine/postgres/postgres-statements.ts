/** The store's statements as PostgreSQL prepares them. Drizzle's builder for SQLite writes them, with what PostgreSQL spells differently. */
import { Column, getTableColumns, is, SQL, sql } from "drizzle-orm"
import { SQLiteInteger, type SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import { ConstantsInText } from "../constants-in-text.ts"
import { safeInteger } from "../expressions.ts"
import { boundValues, onceForQuery, type StatementShape, shapeOf } from "../statement-shape.ts"
import type { Changed } from "../unit.ts"
import { withNote } from "./outcome-note.ts"
import { postgresWords } from "./postgres-words.ts"

type InsertConfig = Parameters<SQLiteSyncDialect["buildInsertQuery"]>[0]

class PostgresText extends ConstantsInText {
  override escapeParam(at: number): string {
    return `$${at + 1}`
  }

  override buildInsertQuery(config: InsertConfig): SQL {
    const onConflict = config.onConflict?.map(withBareTarget)
    return super.buildInsertQuery({ ...config, ...(onConflict && { onConflict }), values: withOwnNumbers(config) })
  }
}

/** Asks for the next number of a column that numbers the rows. SQLite takes null for it. */
function withOwnNumbers({ table, values, select }: InsertConfig): InsertConfig["values"] {
  if (select || !Array.isArray(values)) return values
  const numbered = Object.entries(getTableColumns(table)).filter(([, one]) => one.primary && is(one, SQLiteInteger))
  const numbers = Object.fromEntries(numbered.map(([name]) => [name, sql`default`]))
  return values.map((row) => ({ ...numbers, ...row }))
}

/** PostgreSQL takes the columns of a conflict's target without their table. They are the one list of columns in the clause. */
function withBareTarget(clause: SQL): SQL {
  const chunks = clause.queryChunks.map((chunk) => {
    if (is(chunk, SQL)) return withBareTarget(chunk)
    return Array.isArray(chunk) ? chunk.map((one) => (is(one, Column) ? sql.identifier(one.name) : one)) : chunk
  })
  return new SQL(chunks)
}

const SPELLING = { dialect: new PostgresText(), words: postgresWords, integer: safeInteger }

/** What the driver returns for a statement: values by position, and how many rows it read or changed. */
export interface PostgresAnswer extends ReadonlyArray<readonly unknown[]> {
  readonly count: number
}

class PostgresStatement {
  private noting: string | null = null

  constructor(private readonly shape: StatementShape) {}

  get text(): string {
    return this.shape.text
  }

  /** The text that also notes the outcome of the transaction: see {@link withNote}. */
  get notingText(): string {
    this.noting ??= withNote(this.shape.text, this.shape.bindings.length)
    return this.noting
  }

  /** It writes nothing. */
  get isRead(): boolean {
    return this.shape.isRead
  }

  /**
   * What to send. A number is sent as text, whose type the server knows from the statement: the driver would declare it as int4, int8 or float8 by
   * its size, and so prepare one statement three times.
   */
  parameters(values: Readonly<Record<string, unknown>>): unknown[] {
    return boundValues(this.shape, values).map((value) => (typeof value === "number" ? String(value) : value))
  }

  /** Throws a RangeError for an integer beyond 2^53. */
  rows(answer: PostgresAnswer): unknown[] {
    const { rowOf } = this.shape
    return rowOf === null ? [{ changed: answer.count } satisfies Changed] : Array.from(answer, (row) => rowOf(row))
  }
}

export const postgresStatement = onceForQuery((query) => new PostgresStatement(shapeOf(query, SPELLING)))
