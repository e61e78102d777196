/**
 * Prepared statements that do at each call only what differs between calls. Drizzle's own prepared query finds out the kind of every
 * parameter and column at each call, which takes longer than SQLite takes for the statement.
 */
import type { Database, SQLQueryBindings, Statement } from "bun:sqlite"
import { Column, is, NoopLogger, noopDecoder, noopEncoder, Param, Placeholder, type Query, SQL } from "drizzle-orm"
import { PreparedQuery, SQLiteBunSession } from "drizzle-orm/bun-sqlite"
import type { SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import type { Changed } from "../unit.ts"

type Session = SQLiteBunSession<Record<string, never>, Record<string, never>>
type PrepareArguments = Parameters<Session["prepareQuery"]>
type Fields = NonNullable<PrepareArguments[1]>
type Given = Readonly<Record<string, unknown>>

/** Of one connection. */
export class CompiledSession extends SQLiteBunSession<Record<string, never>, Record<string, never>> {
  constructor(
    private readonly connection: Database,
    dialect: SQLiteSyncDialect,
  ) {
    super(connection, dialect, undefined)
  }

  override prepareQuery(...given: PrepareArguments): CompiledQuery {
    return new CompiledQuery(this.connection, shapeOf(given))
  }
}

/** What a query is on every connection: drizzle takes longer to build it than SQLite to prepare it. */
export interface QueryShape {
  readonly given: PrepareArguments
  /** Null: drizzle's own way is used. */
  readonly compiled: Compiled | null
}

function shapeOf(given: PrepareArguments): QueryShape {
  const [query, fields, method, , mapper] = given
  if (method === "run") return { given, compiled: compiledWrite(query) }
  return { given, compiled: fields && mapper === undefined ? compiledOf(query, fields) : null }
}

export class CompiledQuery extends PreparedQuery {
  private readonly statement: Statement<unknown, SQLQueryBindings[]>

  constructor(
    connection: Database,
    readonly shape: QueryShape,
  ) {
    const [query, fields, method, isArrayMode, mapper] = shape.given
    const statement = connection.prepare<unknown, SQLQueryBindings[]>(query.sql)
    super(statement, query, new NoopLogger(), fields, method, isArrayMode, mapper)
    this.statement = statement
  }

  override all(values: Record<string, unknown> = {}): unknown[] {
    const { compiled } = this.shape
    if (compiled === null) return super.all(values) as unknown[]
    const { bindings, members } = compiled
    const bound = bindings.map((binding) => boundValue(binding, values))
    if (members === null) return [{ changed: this.statement.run(...bound).changes } satisfies Changed]
    return this.statement.values(...bound).map((row) => recordOf(members, row))
  }
}

interface Compiled {
  readonly bindings: readonly Binding[]
  /** Null: a write without rows. Its changed rows are counted. */
  readonly members: readonly Member[] | null
}

interface Binding {
  readonly name: string
  /** Null: the value is bound as it is. */
  readonly encode: ((value: unknown) => unknown) | null
}

interface Member {
  readonly name: string
  /** Null: the column's value is the member's. */
  readonly decode: ((value: unknown) => unknown) | null
}

/** Returns null for a statement that binds constants, that makes objects of objects, or whose columns drizzle alone can decode. */
function compiledOf({ params }: Query, fields: Fields): Compiled | null {
  const bindings = params.map(bindingOf)
  const members = fields.map(memberOf)
  return areAll(bindings) && areAll(members) ? { bindings, members } : null
}

/** Throws for a statement that binds constants, because drizzle would not count the changed rows. */
function compiledWrite({ sql, params }: Query): Compiled {
  const bindings = params.map(bindingOf)
  if (!areAll(bindings)) throw new TypeError(`a write binds a constant: ${sql}`)
  return { bindings, members: null }
}

function areAll<T>(list: (T | null)[]): list is T[] {
  return !list.includes(null)
}

function bindingOf(param: unknown): Binding | null {
  if (is(param, Placeholder)) return { name: param.name, encode: null }
  if (!is(param, Param) || !is(param.value, Placeholder)) return null
  const { encoder } = param
  const isSame = encoder === noopEncoder || encoder.mapToDriverValue === Column.prototype.mapToDriverValue
  return { name: param.value.name, encode: isSame ? null : (value) => encoder.mapToDriverValue(value) }
}

function memberOf({ path, field }: Fields[number]): Member | null {
  const [name, ...deeper] = path
  if (name === undefined || deeper.length > 0) return null
  if (is(field, Column)) {
    const isSame = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
    return { name, decode: isSame ? null : (value) => field.mapFromDriverValue(value) }
  }
  return is(field, SQL) && Reflect.get(field, "decoder") === noopDecoder ? { name, decode: null } : null
}

function boundValue({ name, encode }: Binding, values: Given): SQLQueryBindings {
  const value = values[name]
  if (value === undefined) throw new TypeError(`no value for ${name}`)
  return (encode === null ? value : encode(value)) as SQLQueryBindings
}

function recordOf(members: readonly Member[], row: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (let at = 0; at < members.length; at++) {
    const { name, decode } = members[at] as Member
    const value = row[at]
    record[name] = decode === null || value === null ? value : decode(value)
  }
  return record
}
