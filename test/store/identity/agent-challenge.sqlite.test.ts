import { expect, test } from "bun:test"
import { join } from "node:path"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openMigrated } from "../../fixtures/new-database.ts"

test("counting, finding, superseding and purging challenges use their indexes", () => {
  using fresh = freshDirectory()
  using database = openMigrated(join(fresh.path, "bizauth.db"))
  const plan = (sql: string) =>
    (database.query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join("; ")
  expect(plan("SELECT count(*) FROM agent_challenge WHERE client = 'a' AND expires_at > 'b'")).toContain(
    "agent_challenge_client",
  )
  expect(plan("SELECT 1 FROM agent_challenge WHERE agent_id = 'a' AND state = 'ISSUED'")).toContain(
    "agent_challenge_agent",
  )
  expect(
    plan("SELECT 1 FROM agent_challenge WHERE client IS NULL AND state <> 'CONSUMED' AND expires_at < 'b'"),
  ).toMatch(/SEARCH .*agent_challenge_uncounted/)
})
