import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"

const AT = "2026-01-01T00:00:00.000Z"
const NAME = "agent_mode_limits"

function migrated(fill: (database: Database) => void): Database {
  const database = new Database(":memory:", { strict: true })
  const at = migrations.findIndex(({ name }) => name.endsWith(NAME))
  migrate(database, AT, migrations.slice(0, at))
  fill(database)
  migrate(database, AT)
  return database
}

test("the total of all wallets begins with what they hold", () => {
  using database = migrated((before) => {
    before.run("INSERT INTO wallet_usage VALUES ('a', 'LIVE', 9, 3, 500, '', 0), ('b', 'SANDBOX', 2, 2, 41, '', 0)")
    before.run("INSERT INTO wallet_request VALUES ('a', 'key-1', 'd', '{}', ?1), ('a', 'key-2', 'd', '{}', ?1)", [AT])
    before.run(
      "INSERT INTO wallet_entry VALUES ('wal_1', 'a', 'LIVE', 1, 't', 'd', 'svc', NULL, '{}', 'k', NULL, NULL, '{}', NULL, NULL, ?1, ?1, 0)",
      [AT],
    )
  })
  expect(database.query("SELECT * FROM wallet_total").all()).toEqual([
    { id: 1, entries: 5, document_bytes: 541, answers: 2 },
  ])
  expect(database.query("SELECT document_digest FROM wallet_entry").all()).toEqual([{ document_digest: null }])
})

test("without wallets the total is nothing", () => {
  using database = migrated(() => {})
  expect(database.query("SELECT * FROM wallet_total").all()).toEqual([
    { id: 1, entries: 0, document_bytes: 0, answers: 0 },
  ])
})
