/** Later migrations leave the same schema and the same rows on both engines, after each of them. */
import { expect } from "bun:test"
import { migrate } from "../../../db/migrate.ts"
import { migrations } from "../../../db/migrations.ts"
import { postgresBase } from "../../../db/postgres/base.ts"
import { migratePostgres } from "../../../db/postgres/migrate-postgres.ts"
import { openInMemory } from "../../../db/schema-image.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"
import { schemaDifferences } from "../../fixtures/schema-comparison.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { LATER } from "./later-migrations.ts"

const test = slowTests(import.meta.path)

const AT = "2026-02-01T00:00:00.000Z"

test.skipIf(!HAS_POSTGRES)(
  `a migration by rules, one with a rebuilt table and one with a fill leave the engines equal${NOT_RUN}`,
  () =>
    onReserved(async (connection) => {
      const database = openInMemory(AT)
      try {
        for (const [at, { name }] of LATER.entries()) {
          const known = [...migrations, ...LATER.slice(0, at + 1)]
          expect(migrate(database, AT, known)).toEqual([name])
          expect(await migratePostgres(connection, AT, { base: postgresBase, migrations: known })).toEqual([name])
          expect(await schemaDifferences(database, connection)).toEqual([])
        }
        // Both engines have rows to compare: with none, the fill would have done nothing.
        expect(database.query("SELECT part_id, hex IS NOT NULL, price FROM part_digest").values()).toEqual([
          [1, 1, 6],
          [2, 1, null],
          [3, 1, null],
        ])
      } finally {
        database.close()
      }
    }),
)
