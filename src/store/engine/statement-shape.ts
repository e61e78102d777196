/**
 * What a statement is on every connection of one engine: its text, the values that it binds, and what its rows mean. Drizzle builds the text; its
 * own prepared query would find out the kind of every parameter and column again at each call, which takes longer than the statement itself.
 */
import {
  Column,
  getTableName,
  is,
  noopDecoder,
  noopEncoder,
  Param,
  Placeholder,
  SQL,
  type Query as Text,
} from "drizzle-orm"
import { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite"
import { SQLiteInteger, SQLitePreparedQuery, SQLiteSession, type SQLiteSyncDialect } from "drizzle-orm/sqlite-core"
import * as tables from "../../../db/tables.ts"
import { storable } from "./storable.ts"
import type { Statement } from "./unit.ts"
import type { Words } from "./words.ts"

/** How an engine spells and reads statements. */
interface Spelling {
  readonly dialect: SQLiteSyncDialect
  readonly words: Words
  /** Turns what the driver returns for a column of integers into a number. Null: it returns numbers. */
  readonly integer: ((value: unknown) => number) | null
}

type Row = Readonly<Record<string, unknown>>

export interface StatementShape {
  readonly text: string
  /** It writes nothing. */
  readonly isRead: boolean
  readonly bindings: readonly Binding[]
  /** Returns the row from what the driver returned. Null: a write without rows, whose changed rows are counted. */
  readonly rowOf: ((values: readonly unknown[]) => Row) | null
}

interface Binding {
  readonly name: string
  /** Null: the value is bound as it is. */
  readonly encode: Convert | null
}

type Convert = (value: unknown) => unknown

interface Member {
  readonly name: string
  /** Null: the column's value is the member's. */
  readonly decode: Convert | null
  /** The object in the row that has the member. Null: the row itself has it. */
  readonly object: string | null
  /** The object is null if all its members are null, as those of a row that a LEFT JOIN did not find. */
  readonly isOfNullable: boolean
}

/** Builds one query. Throws for one that binds a constant or selects an expression without a declared type. */
export function shapeOf(query: Statement["query"], { dialect, words, integer }: Spelling): StatementShape {
  const builder = new BunSQLiteDatabase("sync", dialect, new BuildingSession(dialect), undefined)
  const built = query.build(builder, tables, words).prepare()
  if (!(built instanceof Built)) throw new TypeError("the query is not built by the given builder")
  const { sql: text, params } = built.getQuery()
  const nullable: Record<string, boolean> = Reflect.get(built, "joinsNotNullableMap") ?? null
  return {
    text,
    isRead: text.startsWith("select "),
    bindings: params.map((param) => bindingOf(param, text)),
    rowOf: built.fields ? rowReader(built.fields.map((field) => memberOf(field, nullable, integer))) : null,
  }
}

/** Makes something of each query once in the process. Queries are constants of the program, so their number is limited. */
export function onceForQuery<T extends object>(
  make: (query: Statement["query"]) => T,
): (query: Statement["query"]) => T {
  const made = new WeakMap<Statement["query"], T>()
  return (query) => {
    let one = made.get(query)
    if (one === undefined) {
      one = make(query)
      made.set(query, one)
    }
    return one
  }
}

/** The values to bind, in their order. */
export function boundValues({ bindings }: StatementShape, values: Row): unknown[] {
  return bindings.map(({ name, encode }) => {
    const value = storable(name, values[name])
    return encode === null ? value : encode(value)
  })
}

type Session = SQLiteSession<"sync", void, Record<string, never>, Record<string, never>>
type Fields = NonNullable<Parameters<Session["prepareQuery"]>[1]>

interface Sync {
  readonly type: "sync"
  readonly run: never
  readonly all: never
  readonly get: never
  readonly values: never
  readonly execute: never
}

/** What drizzle's builders prepare: it is not run, but read. */
class Built extends SQLitePreparedQuery<Sync> {
  constructor(
    query: Text,
    /** Undefined for a write without rows. */
    readonly fields: Fields | undefined,
  ) {
    super("sync", "all", query)
  }

  run = notRun
  all = notRun
  get = notRun
  values = notRun
}

class BuildingSession extends SQLiteSession<"sync", void, Record<string, never>, Record<string, never>> {
  override prepareQuery(query: Text, fields: Fields | undefined): Built {
    return new Built(query, fields)
  }

  override transaction = notRun
}

function notRun(): never {
  throw new TypeError("a builder of shapes runs nothing")
}

function bindingOf(param: unknown, text: string): Binding {
  if (is(param, Placeholder)) return { name: param.name, encode: null }
  if (!is(param, Param) || !is(param.value, Placeholder)) throw new TypeError(`a statement binds a constant: ${text}`)
  const { encoder } = param
  const isSame = encoder === noopEncoder || encoder.mapToDriverValue === Column.prototype.mapToDriverValue
  return { name: param.value.name, encode: isSame ? null : (value) => encoder.mapToDriverValue(value) }
}

function memberOf(
  { path, field }: Fields[number],
  isFound: Readonly<Record<string, boolean>> | null,
  integer: Spelling["integer"],
): Member {
  const [first = "", second, ...deeper] = path
  if (deeper.length > 0) throw new TypeError(`an object inside an object is selected: ${path.join(".")}`)
  const [object, name] = second === undefined ? [null, first] : [first, second]
  const isOfNullable = object !== null && isFound !== null && is(field, Column) && !isFound[getTableName(field.table)]
  return { name, decode: decoderOf(field, name, integer), object, isOfNullable }
}

function decoderOf(field: Fields[number]["field"], name: string, integer: Spelling["integer"]): Convert | null {
  const decoder: unknown = is(field, Column)
    ? field
    : Reflect.get(is(field, SQL.Aliased) ? field.sql : field, "decoder")
  if (decoder === undefined) throw new TypeError(`a subquery without a column is selected: ${name}`)
  if (decoder === noopDecoder) throw new TypeError(`an expression without a declared type is selected: ${name}`)
  if (is(decoder, SQLiteInteger)) return integer
  if (is(decoder, Column)) {
    if (decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue) return null
    return (value) => decoder.mapFromDriverValue(value)
  }
  const { mapFromDriverValue } = decoder as { mapFromDriverValue: Convert }
  return mapFromDriverValue
}

function rowReader(members: readonly Member[]): (values: readonly unknown[]) => Row {
  if (members.every(({ object }) => object === null)) return (values) => flatRow(members, values)
  const nullable = new Set(members.flatMap(({ object, isOfNullable }) => (isOfNullable && object ? [object] : [])))
  return (values) => nestedRow(members, nullable, values)
}

function flatRow(members: readonly Member[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < members.length; at++) {
    const { name, decode } = members[at] as Member
    const value = values[at]
    row[name] = decode === null || value === null ? value : decode(value)
  }
  return row
}

function nestedRow(members: readonly Member[], nullable: ReadonlySet<string>, values: readonly unknown[]): Row {
  const objects: Record<string, Record<string, unknown>> = {}
  const row: Record<string, unknown> = {}
  for (const [at, { name, object, decode }] of members.entries()) {
    const value = values[at]
    const decoded = decode === null || value === null ? value : decode(value)
    if (object === null) row[name] = decoded
    else {
      objects[object] ??= {}
      row[object] = objects[object]
      objects[object][name] = decoded
    }
  }
  for (const name of nullable) if (Object.values(objects[name] ?? {}).every((one) => one === null)) row[name] = null
  return row
}
