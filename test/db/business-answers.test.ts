/** A database of the release before the answer products. Its holds stay in force, and its deliveries are returned unchanged. */
import { expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { findDeliveryByAnyId } from "../../src/store/sales/deliveries.ts"
import { holdConflict, takeHolds } from "../../src/store/sales/holds.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const AT = "2026-01-01T00:00:00.000Z"
const LAST_BEFORE = 16

const OLD_ROWS = `
  INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
    VALUES ('drq_1', 'p', 's', 'key-one', 'sha256:1', 'sha256:1', '{}', 'DELIVERED', '${AT}', '${AT}'),
           ('drq_2', 'p', 's', 'key-two', 'sha256:2', 'sha256:2', '{}', 'NEW', '${AT}', '${AT}');
  INSERT INTO payment_attempt (id, request_id, chain_id, asset, payer, nonce, pay_to, value, valid_after, valid_before, max_timeout_seconds,
      quote_id, payload_sha256, payer_has_code, settler, state, watched, created_at, updated_at)
    VALUES ('att_1', 'drq_1', 8453, 'a', 'b', 'n', 'c', '1', 0, 1, 300, 'q', 'h', 0, 'self', 'SETTLED', 0, '${AT}', '${AT}');
  INSERT INTO delivery (request_id, attempt_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id,
      valid_until, computed_at, body, response_digest)
    VALUES ('drq_1', 'att_1', 'dec_1', 'dlv_1', '{}', '{}', '{}', 'sha256:c', 'k', '${AT}', '${AT}', '{"body":1}', 'sha256:r');
  INSERT INTO authority_hold (organization_id, kind, value, request_id, spent)
    VALUES ('org:one', 'MANDATE_ID', 'mandate-1', 'drq_1', 1), ('org:one', 'OBLIGATION', 'inv-2', 'drq_2', 0)`

test("holds and deliveries of the earlier release stay unchanged, and holds of new kinds can be added", async () => {
  using directory = freshDirectory()
  const database = openDatabase(`${directory.path}/bizauth.db`)
  migrate(
    database,
    AT,
    migrations.filter(({ ordinal }) => ordinal <= LAST_BEFORE),
  )
  database.run(OLD_ROWS)
  const held = () =>
    database.query("SELECT organization_id, kind, value, request_id, spent FROM authority_hold ORDER BY value").all()
  const before = held()
  expect(before.length).toBe(2)

  expect(migrate(database, AT).length).toBe(migrations.length - LAST_BEFORE)
  expect(held()).toEqual(before)
  expect(database.query("PRAGMA foreign_key_check").all()).toEqual([])
  const index = "SELECT tbl_name FROM sqlite_schema WHERE name = 'authority_hold_request'"
  expect(database.query(index).get()).toEqual({ tbl_name: "authority_hold" })
  const odd = "INSERT INTO authority_hold VALUES ('org:one', 'ODD', 'x', 'drq_1', 0, 0)"
  expect(() => database.run(odd)).toThrow("CHECK constraint failed")
  const stray = "INSERT INTO authority_hold VALUES ('org:one', 'CHALLENGE', 'x', 'drq_9', 0, 0)"
  expect(() => database.run(stray)).toThrow("FOREIGN KEY constraint failed")

  const store = new SqliteStore(database, (error) => {
    throw error
  })
  expect(await store.run(() => takeHolds("org:one", "drq_2", [{ kind: "MANDATE_ID", value: "mandate-1" }]))).toEqual({
    kind: "MANDATE_ID",
    spent: true,
  })
  expect(await store.run(() => takeHolds("0xabc", "drq_2", [{ kind: "CHALLENGE", value: "case-1" }]))).toBeNull()
  expect(await store.read(() => holdConflict("0xabc", { kind: "CHALLENGE", value: "case-1" }, "drq_1"))).toEqual({
    kind: "CHALLENGE",
    spent: false,
  })
  expect(await store.read(() => findDeliveryByAnyId("dec_1"))).toMatchObject({
    body: '{"body":1}',
    attachmentId: null,
    attachmentJson: null,
  })
  await store.close()
})
