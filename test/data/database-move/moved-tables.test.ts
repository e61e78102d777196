/** The list of tables that a move leaves out, and of those whose rows never change. */
import { describe, expect, test } from "bun:test"
import {
  APPEND_ONLY,
  movedTables,
  NOT_MOVED,
  requireKnownTables,
} from "../../../src/data/database-move/moved-tables.ts"
import { RowDigest } from "../../../src/data/database-move/table-digests.ts"
import { codeOf, sourceFiles } from "../../fixtures/imports.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"

const shapes = movedTables()
const named = (name: string) => shapes.find((shape) => shape.name === name)

test("each table comes after those that its rows refer to", () => {
  expect(shapes.length).toBeGreaterThan(80)
  for (const [at, { name, refersTo }] of shapes.entries()) {
    const later = shapes.slice(at + 1).map((shape) => shape.name)
    expect([name, refersTo.filter((other) => later.includes(other))]).toEqual([name, []])
  }
})

test.skipIf(!HAS_POSTGRES)(
  `a server has the same tables and columns, apart from those with a reason${NOT_RUN}`,
  async () => {
    await onReserved(async (connection) => {
      const found: { table: string; column: string }[] = await connection.unsafe(`
      SELECT c.relname::text AS table, a.attname::text AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`)
      const names = [...new Set(found.map(({ table }) => table))]
      requireKnownTables(names, shapes)
      expect([...shapes.map(({ name }) => name), ...Object.keys(NOT_MOVED)].toSorted()).toEqual(names.toSorted())
      for (const { name, columns } of shapes) {
        // The order of insertion, which the server counts itself.
        const ofServer = found
          .filter(({ table, column }) => table === name && column !== "rowid")
          .map(({ column }) => column)
        expect([name, columns.map((column) => column.name)]).toEqual([name, ofServer.toSorted()])
      }
    })
  },
)

test("a table of another program is refused by name", () => {
  expect(() => requireKnownTables(["meta", "strange"], shapes)).toThrow("(strange)")
})

test("a table whose rows never change has a number, and no statement of the store changes or removes its rows", () => {
  const code = sourceFiles("src/store").map(codeOf).join("\n")
  for (const name of APPEND_ONLY) {
    expect([name, named(name)?.number]).not.toEqual([name, null])
    const drizzled = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    expect(code).toContain(drizzled)
    // `{ salesSwitch: t }` gives a table another name.
    const changing = new RegExp(
      `\\b(update|delete)\\((\\w+\\.)?${drizzled}\\)|purgeOf\\(\\(\\{ ${drizzled}: t \\}|\\(db, \\{[^}]*${drizzled}: t\\b[^}]*\\}[^)]*\\) =>\\s*db\\s*\\.(update|delete)\\(t\\)`,
    )
    expect([name, changing.exec(code)?.[0] ?? null]).toEqual([name, null])
  }
})

describe("a digest", () => {
  const leaf = named("sales_switch")
  if (!leaf) throw new Error("no table of switches")
  const row = (id: number, reason: string) =>
    leaf.columns.map(({ name }) => (name === "id" ? String(id) : name === "reason" ? reason : null))

  test("is over lines of JSON, whatever the batches are", () => {
    const [one, other] = [new RowDigest(leaf), new RowDigest(leaf)]
    one.add([row(1, "a"), row(2, "b\u{1f600}")])
    for (const single of [row(1, "a"), row(2, "b\u{1f600}")]) other.add([single])
    expect(one.whole()).toEqual(other.whole())
    // action, at, closes, id, opens, reason, scope.
    const text = '[null,null,null,"i1",null,"ta",null]\n[null,null,null,"i2",null,"tb\u{1f600}",null]\n'
    expect(one.whole()).toEqual({
      table: "sales_switch",
      rows: 2,
      sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
      last: "2",
    })
  })

  test("of the rows up to a number leaves later ones out", () => {
    const [early, whole] = [new RowDigest(leaf), new RowDigest(leaf, "2")]
    early.add([row(1, "a"), row(2, "b")])
    whole.add([row(1, "a"), row(2, "b"), row(3, "c")])
    expect(whole.upToLast()).toEqual(early.whole())
    expect(whole.whole().rows).toBe(3)
  })
})
