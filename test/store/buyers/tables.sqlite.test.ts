import { expect, test } from "bun:test"
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core"
import { openInMemory } from "../../../db/schema-image.ts"
import * as tables from "../../../db/tables/buyers.ts"

test("the tables and the migration agree on every column and on which may be null", () => {
  const database = openInMemory("2026-01-01T00:00:00.000Z")
  for (const table of Object.values(tables) as SQLiteTable[]) {
    const { name, columns } = getTableConfig(table)
    const stored = database.query(`SELECT name, "notnull", pk FROM pragma_table_info('${name}')`).all() as {
      name: string
      notnull: number
      pk: number
    }[]
    expect(stored.length).toBeGreaterThan(0)
    const described = columns.map((column) => [column.name, column.notNull || column.primary])
    expect(described).toEqual(stored.map((column) => [column.name, column.notnull === 1 || column.pk > 0]))
  }
})
