/**
 * Makes the base text of a PostgreSQL database: the schema and the rows that the migrations of SQLite leave in a new database. Run as a program
 * (`bun scripts/postgres-base.ts`) it freezes the text at the newest migration, with its hash. After a release it does not run again: a
 * database that exists stores the hash.
 */
import { Database } from "bun:sqlite"
import { hash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { migrate } from "../db/migrate.ts"
import { migrations } from "../db/migrations.ts"
import ownTables from "../db/postgres/own-tables.sql" with { type: "text" }
import { forPostgres } from "../db/postgres/rules.ts"

interface Made {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Tables in the order of their references, indexes, rows, then what only PostgreSQL has. `ordinal`: the newest migration that it covers. */
export function makeBase(ordinal: number): string {
  const covered = migrations.filter((migration) => migration.ordinal <= ordinal)
  const database = new Database(":memory:", { strict: true })
  try {
    migrate(database, "", covered)
    const made = database
      .query<Made, []>("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
      .all()
    const tables = inOrderOfReferences(made.filter(({ type }) => type === "table"))
    const indexes = made.filter(({ type }) => type === "index")
    return [
      `-- Made by rules from the migrations up to ${covered.at(-1)?.name}: see scripts/postgres-base.ts.`,
      ...[...tables, ...indexes].map(({ sql }) => `${forPostgres(sql)};`),
      ...tables.filter(({ name }) => name !== "schema_migration").flatMap(({ name }) => rowsOf(database, name)),
      ownTables,
    ].join("\n")
  } finally {
    database.close()
  }
}

function inOrderOfReferences(tables: readonly Made[]): Made[] {
  const ordered = new Set<Made>()
  const add = (table: Made) => {
    const referred = [...table.sql.matchAll(/REFERENCES "?(\w+)"?/g)].map(([, name]) => name)
    for (const other of tables) {
      if (other !== table && !ordered.has(other) && referred.includes(other.name)) add(other)
    }
    ordered.add(table)
  }
  for (const table of tables) if (!ordered.has(table)) add(table)
  return [...ordered]
}

/** In an order that does not depend on where SQLite keeps them. */
function rowsOf(database: Database, table: string): string[] {
  const rows = database.query<Record<string, unknown>, []>(`SELECT * FROM "${table}"`).all()
  return rows
    .map((row) => {
      const values = Object.values(row).map(literal).join(", ")
      return `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values});`
    })
    .toSorted()
}

function literal(value: unknown): string {
  if (value instanceof Uint8Array) return `'\\x${value.toHex()}'`
  if (value === null || typeof value === "number") return String(value)
  return `'${String(value).replaceAll("'", "''")}'`
}

if (import.meta.main) {
  const { ordinal, name } = migrations.at(-1) as { ordinal: number; name: string }
  const text = makeBase(ordinal)
  const folder = join(import.meta.dir, "../db/postgres")
  writeFileSync(join(folder, "base.sql"), text)
  writeFileSync(
    join(folder, "base.json"),
    `${JSON.stringify({ ordinal, name, sha256: hash("sha256", text, "hex") }, null, 2)}\n`,
  )
  console.log(`db/postgres/base.sql: ${name}, ${text.length} bytes`)
}
