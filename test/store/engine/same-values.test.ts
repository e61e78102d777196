/** What both engines keep, compare and count alike, value by value: a database may move from one to the other. */
import { describe, expect } from "bun:test"
import { asc, eq, gt, type SQL, sql } from "drizzle-orm"
import { openInMemory } from "../../../db/schema-image.ts"
import { bytesOrNull, safeInteger, textOrNull } from "../../../src/store/engine/expressions.ts"
import { postgresStatement } from "../../../src/store/engine/postgres/postgres-statements.ts"
import { SqliteStatements } from "../../../src/store/engine/sqlite/sqlite-statements.ts"
import { UnstorableText } from "../../../src/store/engine/storable.ts"
import { bind, query, type Statement, type Values, write } from "../../../src/store/engine/unit.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { everyQuery } from "../every-query.ts"
import { onEngines } from "./on-engines.ts"

const test = slowTests(import.meta.path)

const MEGABYTE = 1_000_000
const SAFE = Number.MAX_SAFE_INTEGER

type All = (statement: Statement["query"], values?: Values) => Promise<unknown[]>
type Use = (all: All) => Promise<void>

async function onSqlite(use: Use): Promise<void> {
  const statements = new SqliteStatements(openInMemory("2026-01-01T00:00:00.000Z"))
  await use(async (statement, values) => statements.of(statement).all(values))
}

function onPostgres(use: Use): Promise<void> {
  return onReserved((connection) =>
    use(async (statement, values = {}) => {
      const prepared = postgresStatement(statement)
      return prepared.rows(await connection.unsafe(prepared.text, prepared.parameters(values)).values())
    }),
  )
}

const describeEach = onEngines<(use: Use) => Promise<void>>({ SQLite: onSqlite, PostgreSQL: onPostgres })

const insertMeta = write((db, { meta: t }) => db.insert(t).values({ name: bind("name"), value: bind("value") }))
const valueNamed = query((db, { meta: t }) =>
  db
    .select({ value: t.value })
    .from(t)
    .where(eq(t.name, bind("name"))),
)
const havingValue = query((db, { meta: t }) =>
  db
    .select({ name: t.name })
    .from(t)
    .where(eq(t.value, bind("value"))),
)
const havingValueIn = query((db, { meta: t }, words) =>
  db
    .select({ name: t.name })
    .from(t)
    .where(sql`${t.value} in (select ${words.wholeText} from ${words.each(bind("list"))})`),
)
const elements = query((db, _tables, words) =>
  db.select({ text: textOrNull(sql`${words.wholeText}`) }).from(words.each(bind("list"))),
)

/** Each is found again as it is; half a surrogate pair is U+FFFD on both engines. */
const TEXTS: Readonly<Record<string, string>> = {
  nothing: "",
  "a space": " ",
  "a space at the end": "a ",
  "control characters": "\u0001\u001f\u007f\r\n\t",
  "quotes and backslashes": `'"\\\\u0000 \\x00 %_`,
  "an escape of U+0000 as text": "\\u0000",
  "accents, composed and not": "é e\u0301",
  "a byte order mark": "\ufeffa",
  "characters beyond 16 bits": "😀\u{10ffff}",
  "the last of 16 bits": "\uffff\ue000",
  "half a pair": "a\ud800b",
  "the other half": "\udc00",
  "a megabyte": "€x".repeat(MEGABYTE / 4),
}

describeEach("texts", (on) => {
  test("are kept, found by their value and found in an array", () =>
    on(async (all) => {
      for (const [name, value] of Object.entries(TEXTS)) {
        const kept = value.toWellFormed()
        const list = JSON.stringify([value, "none such"])
        expect([name, await all(insertMeta, { name, value })]).toEqual([name, [{ changed: 1 }]])
        expect([name, await all(valueNamed, { name })]).toEqual([name, [{ value: kept }]])
        expect([name, await all(havingValue, { value })]).toEqual([name, [{ name }]])
        expect([name, await all(havingValueIn, { list })]).toEqual([name, [{ name }]])
        expect([name, await all(elements, { list })]).toEqual([name, [{ text: kept }, { text: "none such" }]])
      }
    }))

  test("with U+0000 are refused, alone and in an array, and the statement stays usable", () =>
    on(async (all) => {
      const refused = [
        all(insertMeta, { name: "a", value: "b\0" }),
        all(elements, { list: JSON.stringify(["a", "b\0c"]) }),
        all(elements, { list: JSON.stringify([["\\\0"]]) }),
      ]
      const errors = await Promise.all(refused.map((one) => one.catch((error) => error)))
      expect(errors).toEqual([new UnstorableText("value"), new UnstorableText("list"), new UnstorableText("list")])
      expect(await all(elements, { list: JSON.stringify(["\\u0000", null]) })).toEqual([
        { text: "\\u0000" },
        { text: null },
      ])
    }))

  test("are ordered and compared by their UTF-8 bytes, whatever the language", () =>
    on(async (all) => {
      const ordered = query((db, { meta: t }) => db.select({ name: t.name }).from(t).orderBy(asc(t.name)))
      const after = query((db, { meta: t }) =>
        db
          .select({ name: t.name })
          .from(t)
          .where(gt(t.name, bind("after")))
          .orderBy(t.name),
      )
      // An instant is compared as text too.
      const instants = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2026-01-02T00:00:00.000Z"]
      const sorted = ["", " ", "!", ...instants, "A", "A b", "B", "_", "a", "a b", "a-b", "aa", "e\u0301", "z"]
      sorted.push("\u0080", "é", "\ue000", "\uffff", "😀")
      for (const name of sorted.toReversed()) await all(insertMeta, { name, value: "" })
      const own = ({ name }: { name: string }) => sorted.includes(name)
      expect(((await all(ordered)) as { name: string }[]).filter(own)).toEqual(sorted.map((name) => ({ name })))
      for (const name of ["a", "é", "\uffff", instants[0] as string]) {
        const found = (await all(after, { after: name })) as { name: string }[]
        expect(found.filter(own).map((row) => row.name)).toEqual(sorted.slice(sorted.indexOf(name) + 1))
      }
    }))
})

const insertBranch = write((db, { logMapBranch: t }) =>
  db.insert(t).values({ position: bind("position"), leftHash: bind("hash"), rightHash: bind("hash") }),
)
const branches = query((db, { logMapBranch: t }, words) =>
  db
    .select({ position: t.position, leftHash: t.leftHash })
    .from(t)
    .where(sql`${t.position} in (select ${words.wholeBytes} from ${words.each(bind("positions"))})`)
    .orderBy(t.position),
)
const insertNode = write((db, { logNode: t }) =>
  db.insert(t).values({ level: bind("level"), nodeIndex: bind("at"), hash: bind("hash") }),
)
const nodes = query((db, { logNode: t }) =>
  db.select({ level: t.level, at: t.nodeIndex }).from(t).orderBy(t.nodeIndex, t.level),
)
const HASH = new Uint8Array(32).fill(255)

describeEach("bytes and numbers", (on) => {
  test("bytes are kept, an empty value is bytes and not null, and the order is that of unsigned bytes", () =>
    on(async (all) => {
      const positions = [[], [0], [0, 0], [0, 255], [1], [127], [128], [255, 0, 255]].map((one) => new Uint8Array(one))
      positions.push(new Uint8Array(2_000).fill(255))
      for (const position of positions.toReversed()) await all(insertBranch, { position, hash: HASH })
      const hex = positions.map((one) => Buffer.from(one).toString("hex"))
      const found = (await all(branches, { positions: JSON.stringify(hex) })) as { position: Uint8Array }[]
      expect(found.map(({ position }) => Buffer.from(position).toString("hex"))).toEqual(hex)
      const bytes = query((db, _tables, words) =>
        db.select({ bytes: bytesOrNull(sql`${words.wholeBytes}`) }).from(words.each(bind("list"))),
      )
      const [none] = (await all(bytes, { list: '[""]' })) as { bytes: Uint8Array }[]
      expect(none?.bytes).toBeInstanceOf(Uint8Array)
      expect(none?.bytes.length).toBe(0)
    }))

  test("numbers are exact up to 2^53, and refused from there on", () =>
    on(async (all) => {
      const numbers = [-SAFE, -(2 ** 31) - 1, -1, 0, 1, 2 ** 31, 2 ** 32, SAFE]
      for (const at of numbers) await all(insertNode, { level: at < 0 ? 0 : at, at, hash: HASH })
      expect(await all(nodes)).toEqual(numbers.map((at) => ({ level: at < 0 ? 0 : at, at })))
      for (const at of [2 ** 53, -(2 ** 53), 0.5, Number.NaN]) {
        expect(await all(insertNode, { level: 0, at, hash: HASH }).catch((error) => error)).toEqual(
          new TypeError("the number for at is no safe integer"),
        )
      }
      const whole = query((db, _tables, words) =>
        db.select({ at: sql`${words.wholeInteger}`.mapWith(safeInteger) }).from(words.each(bind("list"))),
      )
      expect(await all(whole, { list: JSON.stringify(numbers) })).toEqual(numbers.map((at) => ({ at })))
    }))
})

/** An expression over no rows or one, and its value. */
const EXPRESSIONS: readonly [name: string, expression: SQL, value: unknown][] = [
  ["a quotient of integers", sql`7 / 2`.mapWith(safeInteger), 3],
  ["a negative quotient", sql`-7 / 2`.mapWith(safeInteger), -3],
  ["a negative rest", sql`-7 % 2`.mapWith(safeInteger), -1],
  ["a text beside null", textOrNull(sql`'a' || null`), null],
  ["the beginning of a text, by characters", textOrNull(sql`substr('é😀x', 1, 2)`), "é😀"],
  ["a sum of nothing", sql`(select sum(level) from log_node where level < 0)`.mapWith(safeInteger), null],
  ["the least of nothing", sql`(select min(level) from log_node where level < 0)`.mapWith(safeInteger), null],
  ["a count of nothing", sql`(select count(*) from log_node where level < 0)`.mapWith(safeInteger), 0],
  ["null is no value", sql`case when null = null then 1 else 0 end`.mapWith(safeInteger), 0],
  ["a text is not its capital", sql`case when 'a' = 'A' then 1 else 0 end`.mapWith(safeInteger), 0],
  ["a text is not the text with a space", sql`case when 'a' = 'a ' then 1 else 0 end`.mapWith(safeInteger), 0],
]

describeEach("expressions and counts", (on) => {
  test("mean the same", () =>
    on(async (all) => {
      for (const [name, one, value] of EXPRESSIONS) {
        const statement = query((db) => db.select({ one }).from(sql`(select 1) as one_row`))
        expect([name, await all(statement)]).toEqual([name, [{ one: value }]])
      }
    }))

  test("a change of a row to what it is counts, a conflict that does nothing does not", () =>
    on(async (all) => {
      const same = write((db, { meta: t }) =>
        db
          .update(t)
          .set({ value: sql`${t.value}` })
          .where(eq(t.name, bind("name"))),
      )
      const unlessThere = write((db, { meta: t }) =>
        db
          .insert(t)
          .values({ name: bind("name"), value: bind("value") })
          .onConflictDoNothing(),
      )
      const orHigher = write((db, { meta: t }) =>
        db
          .insert(t)
          .values({ name: bind("name"), value: bind("value") })
          .onConflictDoUpdate({
            target: t.name,
            set: { value: sql`excluded.value` },
            setWhere: sql`${t.value} < excluded.value`,
          }),
      )
      const remove = write((db, { meta: t }) => db.delete(t).where(eq(t.value, bind("value"))))
      const counts: readonly [Statement["query"], Values, number][] = [
        [unlessThere, { name: "a", value: "1" }, 1],
        [unlessThere, { name: "a", value: "2" }, 0],
        [same, { name: "a" }, 1],
        [same, { name: "none" }, 0],
        [orHigher, { name: "a", value: "1" }, 0],
        [orHigher, { name: "a", value: "3" }, 1],
        [orHigher, { name: "b", value: "3" }, 1],
        [remove, { value: "3" }, 2],
        [remove, { value: "3" }, 0],
      ]
      for (const [at, [statement, values, count]] of counts.entries()) {
        expect([at, await all(statement, values)]).toEqual([at, [{ changed: count }]])
      }
    }))
})

/** Functions that the queries of the store call: each means the same on both engines, or is a word of one. */
const FUNCTIONS = new Set(["coalesce", "count", "currval", "decode", "each", "json_array_elements", "max", "min"])
for (const name of ["pg_backend_pid", "pg_get_serial_sequence", "substr", "sum"]) FUNCTIONS.add(name)
const KEYWORDS = /^(?:and|by|conflict|exists|from|in|into|not|on|or|select|set|values|where|when)$/

describe("queries of the store", () => {
  const queries = everyQuery()

  test("use only functions and operators that mean the same", () => {
    const called = queries.flatMap(({ postgres }) => [...postgres.matchAll(/\b([a-z_]+) ?\(/g)].map(([, name]) => name))
    const functions = new Set(called.filter((name) => !KEYWORDS.test(name as string)))
    expect([...functions].toSorted()).toEqual([...FUNCTIONS].toSorted())
    // SQLite's LIKE ignores case. The column of this one has only words in capitals.
    const matching = queries.filter(({ sql }) => / like /i.test(sql)).map(({ name }) => name)
    expect(matching).toEqual(["compromised-keys.ts lostKeys"])
  })

  test("never sort by a column that may be null: SQLite puts nulls first, PostgreSQL last", () => {
    const database = openInMemory("2026-01-01T00:00:00.000Z")
    const columns = database
      .query<{ name: string }, []>(
        `SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c."notnull" = 0 AND c.pk = 0`,
      )
      .all()
    const nullable = new Set(columns.map(({ name }) => name))
    expect(nullable.size).toBeGreaterThan(50)
    const found = queries.flatMap(({ name, sql }) =>
      [...sql.matchAll(/ order by (.*?)(?= limit |\)|$)/g)].flatMap(([, list = ""]) =>
        [...list.matchAll(/"(\w+)"\."(\w+)"/g)].flatMap(([column, table, own]) => {
          const isCompared = new RegExp(`${column.replace(".", "\\.")} (?:[<>=]|is not null)`).test(sql)
          return nullable.has(`${table}.${own}`) && !isCompared ? [`${name}: ${table}.${own}`] : []
        }),
      ),
    )
    // It reads only attempts without a lease, and their lease_until is null.
    expect(found).toEqual(["attempt-leases.ts free: payment_attempt.lease_until"])
  })
})
