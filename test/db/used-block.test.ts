/** The migration that adds the block of a use keeps the requests that an earlier release had claimed, on both engines. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { postgresBase } from "../../db/postgres/base.ts"
import { migratePostgres } from "../../db/postgres/migrate-postgres.ts"
import { noteUnused } from "../../src/store/payments/attempt-watch.ts"
import { findPurchase } from "../../src/store/sales/purchases.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, onReserved } from "../fixtures/postgres-schema.ts"
import { databaseAt } from "../fixtures/test-database.ts"

const AT = "2026-11-29T10:00:00.000Z"
const BEFORE = migrations.filter(({ ordinal }) => ordinal < 61)

/** State of the attempt, whether it is watched, whether it was used when it was presented, state of its purchase. */
const ATTEMPTS = [
  ["RELEASED", 1, 1, "OWED"],
  ["FAILED", 1, 0, "OWED"],
  ["RELEASED", 1, 0, "ENDED"],
  ["RELEASED", 0, 1, "ENDED"],
  ["PAID_OWED", 0, 0, "OWED"],
  ["VERIFIED", 0, 1, "LIVE"],
  ["RESERVED", 0, 0, "LIVE"],
] as const

/** What the release before wrote. */
const ROWS = ATTEMPTS.flatMap(([state, watched, alreadyUsed, purchase], n) => [
  `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
   VALUES ('drq_${n}', 'p', 's', '${n}', '${n}', '${n}', '{}', 'NEW', '${AT}', '${AT}')`,
  `INSERT INTO purchase (id, request_id, rail, state, created_at) VALUES ('att_${n}', 'drq_${n}', 'x402', '${purchase}', '${AT}')`,
  `INSERT INTO payment_attempt (id, request_id, chain_id, asset, payer, nonce, pay_to, value, valid_after, valid_before, max_timeout_seconds, quote_id,
     payload_sha256, payer_has_code, already_used, settler, state, watched, created_at, updated_at)
   VALUES ('att_${n}', 'drq_${n}', 8453, 'usdc', 'payer', '${n}', 'us', '1', 0, 1, 300, 'q', '${n}', 0, ${alreadyUsed}, 'self', '${state}', ${watched}, '${AT}', '${AT}')`,
])

/** A claim stays until the next view, whatever its block. */
async function expectClaims(address: string): Promise<void> {
  const database = databaseAt(address)
  const { store } = await database.open()
  try {
    const found = await database.rows<{ block: number | null }>(
      "SELECT used_block AS block FROM payment_attempt ORDER BY id",
    )
    expect(found.map(({ block }) => block)).toEqual([0, 0, null, null, null, 0, null])
    expect(await store.read(() => findPurchase("att_0"))).toMatchObject({ state: "OWED" })
    await store.run(() => noteUnused("att_0", 1))
    expect(await store.read(() => findPurchase("att_0"))).toMatchObject({ state: "ENDED" })
  } finally {
    await store.close()
    await database.close()
  }
}

test("in a file", async () => {
  using directory = freshDirectory()
  const path = join(directory.path, "bizauth.db")
  const older = openDatabase(path)
  migrate(older, AT, BEFORE)
  for (const row of ROWS) older.run(row)
  expect(migrate(older, AT)).toContain("0061_used_block")
  older.close()
  await expectClaims(path)
})

test.skipIf(!HAS_POSTGRES)(`and in a database on a server${NOT_RUN}`, () =>
  onReserved(async (connection, url) => {
    await migratePostgres(connection, AT, { base: postgresBase, migrations: BEFORE })
    for (const row of ROWS) await connection.unsafe(row)
    expect(await migratePostgres(connection, AT)).toContain("0061_used_block")
    await expectClaims(url)
  }, newEmptyPostgresDatabase),
)
