/** The migration that shortens long keys in indexes finds those of a database of the release before, on both engines. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { postgresBase } from "../../db/postgres/base.ts"
import { migratePostgres } from "../../db/postgres/migrate-postgres.ts"
import { obligationKey } from "../../src/checks/obligation.ts"
import { legalNameKey } from "../../src/core/legal-name-key.ts"
import { answersOfObligation } from "../../src/store/sales/answer-records.ts"
import { recordsOfObligation } from "../../src/store/sales/authorization-records.ts"
import { holdConflict } from "../../src/store/sales/holds.ts"
import { openRedelivery } from "../../src/store/sales/redeliveries.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { longText } from "../fixtures/long-texts.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, onReserved } from "../fixtures/postgres-schema.ts"
import { databaseAt } from "../fixtures/test-database.ts"

const AT = "2026-11-29T10:00:00.000Z"
const BEFORE = migrations.filter(({ ordinal }) => ordinal < 59)
/** More than one page of them. */
const RECORDS = 201
const longKey = (at: number) => obligationKey(`${at}-${longText(260)}`)
const NAME = legalNameKey(longText(260, 1))
const SHORT = "inv-1"
const DESTINATION = `sha256:${"0".repeat(64)}`

const KEYS = [...Array.from({ length: RECORDS }, (_, at) => longKey(at)), SHORT, "x".repeat(257)]
const idOf = (at: number) => `drq_${String(at).padStart(4, "0")}`
const text = (value: string) => `'${value}'`
const values = (row: (key: string, id: string) => string[]) =>
  KEYS.map((key, at) => `(${row(key, idOf(at)).map(text).join(", ")})`).join(", ")

/** What the release before wrote. */
const ROWS = [
  `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
   VALUES ${values((_, id) => [id, "p", "s", id, id, id, "{}", "NEW", AT, AT])}`,
  `INSERT INTO answer_record (obligation_key, request_id, product, owner, execution_id, core_digest, subject, name_key, decision, decided_at, valid_until, supplier_id)
   VALUES ${values((key, id) => [key, id, "p", "0x1", id, id, "lei:1", "", "APPROVE", AT, AT, "s"])}`,
  `INSERT INTO authorization_record (obligation_key, request_id, organization_id, supplier_key, supplier_entity_id, supplier_name_key, document_digest,
     instruction_digest, payee_fingerprint, destination_fingerprint, mandate_key_id, decision, decision_id, response_digest, decided_at, valid_until, supplier_id)
   VALUES ${values((key, id) => [key, id, "org", "lei:1", "e", "", "d", "i", "p", "f", "k", "ALLOW", id, id, AT, AT, "s"])}`,
  `INSERT INTO redelivery (request_id, scope, subject, until) VALUES ${values((key, id) => [id, "s", `lei:1\n${key}`, "9999"])}`,
  ...(
    [
      ["OBLIGATION", `lei:1\n${longKey(0)}`],
      ["CHALLENGE", longKey(0)],
      ["CHALLENGE", SHORT],
      ["SUPPLIER", `${JSON.stringify(`name\n${NAME}`)}\n${DESTINATION}\ndrq_0000`],
    ] as const
  ).map(
    ([kind, value]) =>
      `INSERT INTO authority_hold (organization_id, kind, value, request_id, spent) VALUES ('org', '${kind}', '${value}', 'drq_0000', 0)`,
  ),
]

/** What this release finds in the database at the address. */
async function expectFound(address: string): Promise<void> {
  const database = databaseAt(address)
  const { store } = await database.open()
  try {
    for (const [at, key] of [...KEYS.entries()].filter(([at]) => at === 0 || at >= RECORDS - 1)) {
      const found = await store.read(function* () {
        const answers = yield* answersOfObligation("0x1", "p", ["s"], key)
        const records = yield* recordsOfObligation("org", ["s"], key)
        const late = yield* openRedelivery("s", `lei:1\n${key}`, AT)
        return [...[...answers, ...records].flatMap((one) => [one.requestId, one.obligationKey]), late]
      })
      expect(found).toEqual([idOf(at), key, idOf(at), key, idOf(at)])
    }
    const indexed = await database.rows<{ key: string; whole: string | null }>(
      "SELECT obligation_key AS key, whole_obligation_key AS whole FROM answer_record ORDER BY request_id",
    )
    expect(indexed.map(({ whole }) => whole)).toEqual([...KEYS.slice(0, RECORDS), null, null])
    expect(Math.max(...indexed.map(({ key }) => key.length))).toBe(257)
    const another = { kind: "SUPPLIER", value: `name\n${NAME}`, destination: "another" } as const
    const single = [
      { kind: "OBLIGATION", value: `lei:1\n${longKey(0)}` } as const,
      { kind: "CHALLENGE", value: longKey(0) } as const,
    ]
    for (const hold of [...single, { kind: "CHALLENGE", value: SHORT } as const, another]) {
      expect(await store.read(() => holdConflict("org", hold, "drq_0001"))).toEqual({ kind: hold.kind, spent: false })
    }
    expect(await store.read(() => holdConflict("org", { ...another, destination: DESTINATION }, "drq_0001"))).toBeNull()
  } finally {
    await store.close()
    await database.close()
  }
}

test("long keys of a file of the release before are found", async () => {
  using directory = freshDirectory()
  const path = join(directory.path, "bizauth.db")
  const older = openDatabase(path)
  migrate(older, AT, BEFORE)
  for (const row of ROWS) older.run(row)
  expect(migrate(older, AT)).toContain("0059_long_keys")
  older.close()
  await expectFound(path)
})

test.skipIf(!HAS_POSTGRES)(`and those of a database on a server${NOT_RUN}`, () =>
  onReserved(async (connection, url) => {
    await migratePostgres(connection, AT, { base: postgresBase, migrations: BEFORE })
    for (const row of ROWS) await connection.unsafe(row)
    expect(await migratePostgres(connection, AT)).toContain("0059_long_keys")
    await expectFound(url)
  }, newEmptyPostgresDatabase),
)
