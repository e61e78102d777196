import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openMigrated } from "../../fixtures/new-database.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)
// A process for each statement of the unit.
setDefaultTimeout(30_000)

const AGENT = `svc:agent:${"A".repeat(32)}`

/** More than the unit has statements, so that the last rounds are killed after the commit. */
const STATEMENTS_MAX = 20

function counts(path: string) {
  const database = new Database(path)
  const count = (table: string) => (database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
  const size = (database.query("SELECT tree_size AS n FROM log_head").get() as { n: number }).n
  const found = ["artifact_registration", "log_leaf", "shared_use"].map(count)
  database.close()
  return [...found, size]
}

test("a process killed anywhere in a registration leaves the row, its leaf and its count, or none of them", async () => {
  using fresh = freshDirectory()
  let finished = 0
  for (let killAt = 1; finished < 2 && killAt <= STATEMENTS_MAX; killAt++) {
    const path = join(fresh.path, `${killAt}.db`)
    const database = openMigrated(path)
    database.run(
      "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES (?, 'ACTIVE', 0, 'd', '2026-01-01T00:00:00.000Z')",
      [AGENT],
    )
    database.close()
    const script = join(import.meta.dir, "registering-process.ts")
    const child = Bun.spawnSync([process.execPath, script, path, AGENT, String(killAt)], { stderr: "inherit" })
    expect(child.signalCode).toBe("SIGKILL")
    const isFinished = child.stdout.toString().includes("finished")
    if (isFinished) finished++
    expect([killAt, counts(path)]).toEqual([killAt, isFinished ? [1, 1, 3, 1] : [0, 0, 0, 0]])
  }
  expect(finished).toBe(2)
})
