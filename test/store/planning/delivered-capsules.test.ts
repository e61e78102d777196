import { expect, test } from "bun:test"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { findCapsuleByDigest } from "../../../src/store/planning/delivered-capsules.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openMigrated } from "../../fixtures/new-database.ts"

test("of equal response digests the same delivery is found, whatever the order of its rows", async () => {
  const found: (string | null)[] = []
  for (const ids of [
    ["drq_1", "drq_2", "drq_3"],
    ["drq_3", "drq_2", "drq_1"],
    ["drq_2", "drq_3", "drq_1"],
  ]) {
    using directory = freshDirectory()
    const database = openMigrated(`${directory.path}/bizauth.db`)
    database.run("PRAGMA foreign_keys = OFF")
    const insert = database.query(
      "INSERT INTO delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, response_digest) VALUES (?1, ?1, ?1, ?1, '{}', '{}', ?1, '', '', '', '', '{}', 'same')",
    )
    for (const id of ids) insert.run(id)
    const store = new SqliteStore(database, (error) => {
      throw error
    })
    found.push(await store.read(() => findCapsuleByDigest("same")))
    database.run("DELETE FROM delivery WHERE request_id = 'drq_1'")
    database.run("VACUUM")
    found.push(await store.read(() => findCapsuleByDigest("same")))
    await store.close()
  }
  expect(found).toEqual(["drq_1", "drq_2", "drq_1", "drq_2", "drq_1", "drq_2"])
})
