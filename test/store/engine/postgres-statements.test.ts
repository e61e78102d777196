/** Statements as PostgreSQL prepares them, and that the words of both engines mean the same. */
import { describe, expect } from "bun:test"
import type { ReservedSQL } from "bun"
import { and, count, eq, type SQL, sql } from "drizzle-orm"
import { openInMemory } from "../../../db/schema-image.ts"
import { bytesOrNull, isTrue, safeInteger, textOrNull } from "../../../src/store/engine/expressions.ts"
import { postgresStatement } from "../../../src/store/engine/postgres/postgres-statements.ts"
import { SqliteStatements } from "../../../src/store/engine/sqlite/sqlite-statements.ts"
import { UnstorableText } from "../../../src/store/engine/storable.ts"
import { bind, type Query, query, type Statement, type Values, write } from "../../../src/store/engine/unit.ts"
import type { Words } from "../../../src/store/engine/words.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const insertMeta = write((db, { meta: t }) =>
  db
    .insert(t)
    .values({ name: bind("name"), value: bind("value") })
    .onConflictDoUpdate({ target: t.name, set: { value: sql`${t.value} || excluded.value` } }),
)
const insertNonce = query((db, { signatureNonce: t }) =>
  db
    .insert(t)
    .values({
      nonceDigest: bind("nonceDigest"),
      recordId: "r",
      agentId: bind("agentId"),
      expiresAt: "2026-01-01T00:00:00.000Z",
    })
    .returning({ id: t.id }),
)

async function onPostgres(
  connection: ReservedSQL,
  statement: Statement["query"],
  values: Values = {},
): Promise<unknown[]> {
  const prepared = postgresStatement(statement)
  return prepared.rows(await connection.unsafe(prepared.text, prepared.parameters(values)).values())
}

test("parameters are numbered, columns of a conflict have no table, and numbers of rows are the default", () => {
  expect(postgresStatement(insertMeta).text).toContain('values ($1, $2) on conflict ("name") do update')
  expect(postgresStatement(insertNonce).text).toContain("values (default, $1, 'r', $2, '2026")
  expect([
    postgresStatement(insertMeta).isRead,
    postgresStatement(query((db, t) => db.select().from(t.meta))).isRead,
  ]).toEqual([false, true])
})

test("numbers are sent as text, and what PostgreSQL would not store exactly is refused", () => {
  const nodes = query((db, { logNode: t }) =>
    db
      .select()
      .from(t)
      .where(and(eq(t.level, bind("level")), eq(t.hash, bind("hash")))),
  )
  const hash = new Uint8Array([1])
  expect(postgresStatement(nodes).parameters({ level: 7, hash })).toEqual(["7", hash])
  for (const level of [2 ** 53, 1.5, Number.NaN]) {
    expect(() => postgresStatement(nodes).parameters({ level, hash })).toThrow(TypeError)
  }
  expect(() => postgresStatement(insertMeta).parameters({ name: "a\0", value: "" })).toThrow(new UnstorableText("name"))
})

test("integers come back as numbers, and one beyond 2^53 is refused", () => {
  const nodes = query((db, { logNode: t }) => db.select({ level: t.level }).from(t))
  const answer = (value: unknown) => Object.assign([[value]], { count: 1 })
  for (const value of [7, "7", 7n]) expect(postgresStatement(nodes).rows(answer(value))).toEqual([{ level: 7 }])
  expect(() => postgresStatement(nodes).rows(answer("9007199254740992"))).toThrow(RangeError)
  expect(() => postgresStatement(nodes).rows(answer(2n ** 53n))).toThrow(RangeError)
})

const LIST = JSON.stringify([
  [1, "0aff"],
  [2 ** 53 - 1, ""],
])
const each = (row: (words: Words) => Record<string, SQL>) =>
  query((db, _tables, words) => db.select(row(words)).from(words.each(bind("list"))))

/** Name, statement and values. Each gives the same rows on both engines. */
const SAME: readonly [name: string, statement: Query<unknown>, values?: Values][] = [
  [
    "members of elements",
    each((words) => ({ at: words.integer(0).mapWith(safeInteger), bytes: bytesOrNull(words.bytes(1)).mapWith(hex) })),
    { list: LIST },
  ],
  ["whole texts", each(({ wholeText }) => ({ text: textOrNull(sql`${wholeText}`) })), { list: '["a","\\"","1","é"]' }],
  [
    "whole integers",
    each(({ wholeInteger }) => ({ at: sql`${wholeInteger}`.mapWith(safeInteger) })),
    { list: "[0,-5]" },
  ],
  ["whole bytes", each(({ wholeBytes }) => ({ bytes: sql`${wholeBytes}`.mapWith(hex) })), { list: '["00ff"]' }],
  ["no elements", each(({ wholeText }) => ({ text: textOrNull(sql`${wholeText}`) })), { list: "[]" }],
  [
    "members of a JSON text",
    query((db, { meta: t }, words) =>
      db
        .select({ found: words.jsonText(t.value, "a"), missing: words.jsonText(t.value, "b") })
        .from(t)
        .where(eq(t.name, "json")),
    ),
  ],
  [
    "a text without its index",
    query((db, { meta: t }, words) =>
      db
        .select({ name: t.name })
        .from(t)
        .where(sql`${words.withoutIndex(t.name)} = ${bind("name")}`),
    ),
    { name: "json" },
  ],
  [
    "truth, counts and nulls",
    query((db, { meta: t }) =>
      db
        .select({ yes: isTrue(sql`1 = 1`), no: isTrue(sql`null`), all: count(), none: textOrNull(sql`null`) })
        .from(t)
        .where(eq(t.name, "json")),
    ),
  ],
  [
    "a joined row that is not there",
    query((db, { meta: t, logHead }) =>
      db
        .select({ name: t.name, head: { id: logHead.id, size: logHead.treeSize } })
        .from(t)
        .leftJoin(logHead, eq(logHead.id, -1))
        .where(eq(t.name, "json")),
    ),
  ],
]

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

describe.skipIf(!HAS_POSTGRES)(`on PostgreSQL 18${NOT_RUN}`, () => {
  test("every word means what it means on SQLite", async () => {
    const sqlite = new SqliteStatements(openInMemory("2026-01-01T00:00:00.000Z"))
    await onReserved(async (connection) => {
      const row = { name: "json", value: '{"a":"b\\n"}' }
      sqlite.of(insertMeta).all(row)
      expect(await onPostgres(connection, insertMeta, row)).toEqual([{ changed: 1 }])
      for (const [name, statement, values] of SAME) {
        const rows = sqlite.of(statement).all(values)
        expect([name, await onPostgres(connection, statement, values)]).toEqual([name, rows])
      }
    })
  }, 30_000)

  test("the last number is that of this transaction, whatever others insert; slots are small numbers", async () => {
    const last = query((db, { signatureNonce: t }, words) =>
      db
        .select({ id: words.lastNumber(t.id).mapWith(safeInteger), slot: words.slot.mapWith(safeInteger) })
        .from(sql`(select 1) as one_row`),
    )
    await onReserved(async (connection) => {
      await connection.unsafe("SET session_replication_role = replica")
      const [first] = (await onPostgres(connection, insertNonce, { nonceDigest: "1", agentId: "a" })) as {
        id: number
      }[]
      await connection.unsafe(
        "INSERT INTO signature_nonce (id, nonce_digest, record_id, agent_id, expires_at) VALUES (99, '9', 'r', 'a', 't')",
      )
      const [found] = (await onPostgres(connection, last)) as { id: number; slot: number }[]
      expect(found?.id).toBe(first?.id as number)
      expect(found?.slot).toBeWithin(0, 256)
    })
  }, 30_000)
})
