/** The commands that show and confirm identities after a restore. The service's own identities serve as agents here. */
import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect } from "bun:test"
import { command as confirm } from "../../src/cli/identities/confirm.ts"
import { command as list } from "../../src/cli/identities/list.ts"
import { formatInstant } from "../../src/core/time.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { openScreeningOperator, type ScreeningOperator } from "../fixtures/screening-operator.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const WHO = ["--reason", "signed letter", "--author", "J. Doe"]

let operator: ScreeningOperator
let database: Database
let agentId: string
beforeEach(async () => {
  operator = await openScreeningOperator()
  database = new Database(dataPaths(operator.data).database)
  database.run("PRAGMA foreign_keys = OFF")
  agentId = (database.query("SELECT agent_id FROM agent ORDER BY agent_id LIMIT 1").get() as { agent_id: string })
    .agent_id
  database.run("DELETE FROM service_identity WHERE agent_id = ?", [agentId])
})
afterEach(() => {
  database.close()
  operator[Symbol.dispose]()
})

const restoredNow = () => {
  const at = formatInstant(Date.now() + 1)
  const restores = JSON.stringify([{ backup_at: at, restored_at: at, newest_declared_at: null }])
  database.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('restores', ?)", [restores])
}
const on = (command: typeof list, ...args: string[]) => runCommand(command, [...args, "--data", operator.data])
const confirming = (...ids: string[]) => on(confirm, ...ids, ...WHO)

test("without a restore nothing is listed, and nothing is there to confirm", async () => {
  expect((await on(list)).out).toBe("no identity is paused by a restore\n")
  const refused = await confirming(agentId)
  expect([refused.exit, refused.err]).toEqual([
    3,
    expect.stringContaining("a restore paused none of these; see bizauth identities list"),
  ])
})

test("after a restore an identity is listed until it is confirmed, with who and why", async () => {
  restoredNow()
  await Bun.sleep(5)
  expect((await on(list)).out).toStartWith(`PAUSED  ${agentId}  newest event `)
  expect(JSON.parse((await on(list, "--json")).out)).toMatchObject({
    identities: [{ agent_id: agentId, state: "PAUSED" }],
    more_after: null,
  })
  expect((await on(list, "--after", agentId)).out).toBe("no identity is paused by a restore\n")

  const done = await confirming(agentId)
  expect([done.exit, done.out]).toEqual([0, `CONFIRMED  ${agentId}\n`])
  expect((await on(list)).out).toBe("no identity is paused by a restore\n")
  expect(database.query("SELECT kind, subject, author, reason FROM restore_confirmation").all()).toEqual([
    { kind: "AGENT", subject: agentId, author: "J. Doe", reason: "signed letter" },
  ])
  expect((await confirming(agentId)).exit).toBe(3)
})

test("an unknown identity is exit 5, and neither a missing reason nor a missing identity is taken", async () => {
  restoredNow()
  const unknown = await confirming("svc:agent:none")
  expect([unknown.exit, unknown.err]).toEqual([5, expect.stringContaining("see bizauth identities list")])
  expect((await on(confirm, agentId, "--author", "J. Doe")).exit).toBe(2)
  expect((await on(confirm, ...WHO)).exit).toBe(2)
  expect(database.query("SELECT count(*) AS n FROM restore_confirmation").get()).toEqual({ n: 0 })
})
