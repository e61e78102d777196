/** The two engines have one schema: after the base and after each later migration. */

import type { Database } from "bun:sqlite"
import { expect } from "bun:test"
import type { ReservedSQL } from "bun"
import { openInMemory } from "../../../db/schema-image.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"
import { schemaDifferences } from "../../fixtures/schema-comparison.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

function compared(change: (database: Database, connection: ReservedSQL) => unknown): Promise<string[]> {
  return onReserved(async (connection) => {
    const database = openInMemory("2026-01-01T00:00:00.000Z")
    try {
      await change(database, connection)
      return await schemaDifferences(database, connection)
    } finally {
      database.close()
    }
  })
}

test.skipIf(!HAS_POSTGRES)(
  `a new database has the schema and the rows of a new SQLite database${NOT_RUN}`,
  async () => {
    expect(await compared(() => {})).toEqual([])
  },
)

/** A change and the lines that it gives. No two change the same. */
const CHANGES: readonly (readonly [string, readonly string[]])[] = [
  [
    "DROP INDEX agent_key_agent",
    ["PostgreSQL lacks agent_key: CREATE INDEX agent_key_agent ON agent_key USING btree (agent_id)"],
  ],
  [
    "DROP INDEX mail_in_due; CREATE INDEX mail_in_due ON mail_in (look_at DESC, id) WHERE look_at IS NOT NULL",
    [
      "PostgreSQL lacks mail_in: CREATE INDEX mail_in_due ON mail_in USING btree (look_at, id) WHERE (look_at IS NOT NULL)",
      "only PostgreSQL has mail_in: CREATE INDEX mail_in_due ON mail_in USING btree (look_at DESC, id) WHERE (look_at IS NOT NULL)",
    ],
  ],
  [
    "DROP INDEX mail_out_due; CREATE INDEX mail_out_due ON mail_out (look_at, id)",
    [
      "PostgreSQL lacks mail_out: CREATE INDEX mail_out_due ON mail_out USING btree (look_at, id) WHERE (look_at IS NOT NULL)",
      "only PostgreSQL has mail_out: CREATE INDEX mail_out_due ON mail_out USING btree (look_at, id)",
    ],
  ],
  [
    "ALTER TABLE meta ALTER COLUMN value DROP NOT NULL",
    ["PostgreSQL lacks meta: column value text C NOT NULL", "only PostgreSQL has meta: column value text C"],
  ],
  [
    'ALTER TABLE mail_out ALTER COLUMN mailbox TYPE text COLLATE "default"',
    [
      "PostgreSQL lacks mail_out: column mailbox text C NOT NULL",
      "only PostgreSQL has mail_out: column mailbox text default NOT NULL",
    ],
  ],
  [
    "ALTER TABLE source_snapshot ALTER COLUMN acceptances SET DEFAULT '{}'",
    [
      "PostgreSQL lacks source_snapshot: column acceptances text C NOT NULL DEFAULT '[]'::text",
      "only PostgreSQL has source_snapshot: column acceptances text C NOT NULL DEFAULT '{}'::text",
    ],
  ],
  [
    "ALTER TABLE source_event ALTER COLUMN id DROP IDENTITY",
    [
      "PostgreSQL lacks source_event: column id bigint NOT NULL identity d",
      "only PostgreSQL has source_event: column id bigint NOT NULL",
    ],
  ],
  ["ALTER TABLE shared_use DROP CONSTRAINT shared_use_pkey", ["PostgreSQL lacks shared_use: PRIMARY KEY (cap, share)"]],
  ["ALTER TABLE service_key DROP CONSTRAINT service_key_x_key", ["PostgreSQL lacks service_key: UNIQUE (x)"]],
  [
    "ALTER TABLE agent_key DROP CONSTRAINT agent_key_agent_id_fkey",
    ["PostgreSQL lacks agent_key: FOREIGN KEY (agent_id) REFERENCES agent(agent_id)"],
  ],
  [
    "ALTER TABLE supplier DROP CONSTRAINT supplier_disputed_check, ADD CHECK (disputed IN (0, 1, 2))",
    [
      "PostgreSQL lacks supplier: CHECK ((disputed = ANY (ARRAY[(0)::bigint, (1)::bigint])))",
      "only PostgreSQL has supplier: CHECK ((disputed = ANY (ARRAY[(0)::bigint, (1)::bigint, (2)::bigint])))",
    ],
  ],
  ["ALTER TABLE meta ADD COLUMN more bytea", ["only PostgreSQL has meta: column more bytea"]],
  ["CREATE TABLE more (x bigint)", ["only PostgreSQL has more: column x bigint"]],
  [
    "UPDATE wallet_total SET entries = 1",
    [
      "PostgreSQL lacks wallet_total: row answers 0, document_bytes 0, entries 0, id 1",
      "only PostgreSQL has wallet_total: row answers 0, document_bytes 0, entries 1, id 1",
    ],
  ],
  ["DROP TABLE log_order", ["PostgreSQL lacks its own log_order: "]],
]

test.skipIf(!HAS_POSTGRES)(`the comparison finds every kind of change${NOT_RUN}`, async () => {
  const found = await compared((_, connection) => connection.unsafe(CHANGES.map(([text]) => text).join(";\n")).simple())
  expect(found).toEqual(CHANGES.flatMap(([, lines]) => lines).toSorted())
})

test.skipIf(!HAS_POSTGRES)(`the comparison finds a table that only SQLite has${NOT_RUN}`, async () => {
  const found = await compared((database) => database.run("CREATE TABLE more (x INTEGER UNIQUE) STRICT"))
  expect(found).toEqual(["PostgreSQL lacks more: UNIQUE (x)", "PostgreSQL lacks more: column x bigint"])
})
