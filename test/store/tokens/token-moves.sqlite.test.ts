import { expect, test } from "bun:test"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openMigrated } from "../../fixtures/new-database.ts"

test("the holds of a token are found by their own index", () => {
  using fresh = freshDirectory()
  const database = openMigrated(`${fresh.path}/bizauth.db`)
  const plan = database
    .query("EXPLAIN QUERY PLAN SELECT request_id FROM authority_hold WHERE kind = 'CHANGE_AUTHORIZATION' AND value = ?")
    .all("x")
  expect(JSON.stringify(plan)).toContain("authority_hold_change")
  database.close()
})
