import { expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { newDatabase } from "../../fixtures/new-store.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import type { TestDatabase } from "../../fixtures/test-database.ts"

const test = slowTests(import.meta.path)
// A process for each statement of the unit.
setDefaultTimeout(60_000)

const AGENT = `svc:agent:${"A".repeat(32)}`

/** More than the unit has statements, so that the last rounds are killed after the commit. */
const STATEMENTS_MAX = 20

async function counts(database: TestDatabase): Promise<unknown[]> {
  const found: unknown[] = []
  for (const table of ["artifact_registration", "log_leaf", "shared_use"]) found.push(await database.count(table))
  const head = await database.row<{ size: number }>("SELECT tree_size AS size FROM log_head")
  return [...found, head?.size]
}

/** Whether the unit came to its end. */
async function registeredUntil(killAt: number): Promise<boolean> {
  const database = await newDatabase()
  try {
    await database.write(
      "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES (?, 'ACTIVE', 0, 'd', '2026-01-01T00:00:00.000Z')",
      AGENT,
    )
    const script = join(import.meta.dir, "registering-process.ts")
    const command = [process.execPath, script, database.address, AGENT, String(killAt)]
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
    const printed = await new Response(child.stdout).text()
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    const isFinished = printed.includes("finished")
    expect([killAt, await counts(database)]).toEqual([killAt, isFinished ? [1, 1, 3, 1] : [0, 0, 0, 0]])
    return isFinished
  } finally {
    await database.close()
  }
}

test("a process killed anywhere in a registration leaves the row, its leaf and its count, or none of them", async () => {
  let finished = 0
  for (let killAt = 1; finished < 2 && killAt <= STATEMENTS_MAX; killAt++) {
    if (await registeredUntil(killAt)) finished++
  }
  expect(finished).toBe(2)
})
