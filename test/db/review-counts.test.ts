/** The migration that adds the counts of cases fills them from the rows, on both engines, and later cases are counted on. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { postgresBase } from "../../db/postgres/base.ts"
import { migratePostgres } from "../../db/postgres/migrate-postgres.ts"
import { nextReviewStep, openCases } from "../../src/store/review/review-cases.ts"
import { caseCounts } from "../../src/store/review/review-counts.ts"
import { listKeys } from "../../src/store/review/review-register.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, onReserved } from "../fixtures/postgres-schema.ts"
import { newCase } from "../fixtures/review-service.ts"
import { databaseAt } from "../fixtures/test-database.ts"

const AT = "2026-11-29T10:00:00.000Z"
const OLDER = migrations.filter(({ ordinal }) => ordinal <= 56)
const PRODUCTS = ["us.payment.authorize.v1", "us.company.check.v1"] as const

/** Three cases of each state but PROPOSED, of the first product, and one of the second; and a reviewer with a key. */
const ROWS = [
  `INSERT INTO review_case (case_number, request_id, opened_at, product, permission, decision, code, amount_order, score_permille, supplier, payer, group_key, state)
   VALUES ${["OPEN", "OPEN", "OPEN", "DECIDED", "DECIDED", "DECIDED", "CLOSED", "CLOSED", "CLOSED", "OPEN"]
     .map(
       (state, at) =>
         `(${at + 1}, 'req_${at + 1}', '${AT}', '${PRODUCTS[at < 9 ? 0 : 1]}', 'HOLD', 'REVIEW', 'x', '0', 0, 's', '0x1', 'g', '${state}')`,
     )
     .join(", ")}`,
  `INSERT INTO reviewer (reviewer_id, name, recusals, break_glass, added_at) VALUES ('rev_1', 'Ann', '[]', 'alone', '${AT}')`,
  `INSERT INTO reviewer_key (key_id, reviewer_id, credential_id, public_key, algorithm, counter, state, recusals, enrolled_at)
   VALUES ('key_1', 'rev_1', 'c', 'p', -8, 0, 'ACTIVE', '[]', '${AT}')`,
]

/** What the migrated database at the address says. */
async function expectCounted(address: string): Promise<void> {
  const database = databaseAt(address)
  const { store } = await database.open()
  try {
    const [payment, check] = PRODUCTS
    const filled = [
      { product: check, state: "OPEN", cases: 1 },
      { product: payment, state: "CLOSED", cases: 3 },
      { product: payment, state: "DECIDED", cases: 3 },
      { product: payment, state: "OPEN", cases: 3 },
    ] as const
    expect(await store.read(caseCounts)).toEqual([...filled])
    expect((await store.read(listKeys)).map(({ keyId, breakGlass }) => [keyId, breakGlass])).toEqual([["key_1", null]])
    const from = (await store.read(() => nextReviewStep(() => true)))?.from ?? 0
    await store.run(() => openCases({ from, to: from }, [newCase(11)]), "sequencing")
    expect(await store.read(caseCounts)).toContainEqual({ product: payment, state: "OPEN", cases: 4 })
  } finally {
    await store.close()
    await database.close()
  }
}

test("cases of a file of the release before are counted", async () => {
  using directory = freshDirectory()
  const path = join(directory.path, "bizauth.db")
  const older = openDatabase(path)
  migrate(older, AT, OLDER)
  for (const row of ROWS) older.run(row)
  expect(migrate(older, AT)).toEqual(migrations.slice(OLDER.length).map(({ name }) => name))
  older.close()
  await expectCounted(path)
})

test.skipIf(!HAS_POSTGRES)(`and those of a database on a server${NOT_RUN}`, () =>
  onReserved(async (connection, url) => {
    await migratePostgres(connection, AT, { base: postgresBase, migrations: OLDER })
    for (const row of ROWS) await connection.unsafe(row)
    const added = await migratePostgres(connection, AT)
    expect(added).toEqual(migrations.slice(OLDER.length).map(({ name }) => name))
    await expectCounted(url)
  }, newEmptyPostgresDatabase),
)
