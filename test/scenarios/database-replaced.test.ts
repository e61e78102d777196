/**
 * A server whose database file was deleted or replaced takes no more money, at once: what it would store is lost with its process. The
 * periodic check of readiness comes later and names the same reason.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { untilOpened } from "../../scripts/demo/until-opened.ts"
import { type Running, run, serve } from "../fixtures/binary.ts"
import {
  ask,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type TestOperator,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

/** Longer than two readiness checks of a server. */
const MEASURED_MS = 25_000

let operator: TestOperator
const servers: Running[] = []

beforeAll(async () => {
  operator = await openTestOperator()
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  await operator[Symbol.asyncDispose]()
})

/** A server on a copy of the operator's directory, and a payment for its quote. Other servers sell nothing for this request. */
async function withPayment(name: string) {
  const data = operator.path(name)
  cpSync(operator.data, data, { recursive: true })
  const server = await serve(data, operator.selling)
  servers.push(server)
  await untilOpened(server.origin)
  const signed = await operator.sign()
  return { server, data, file: join(data, "bizauth.db"), signed, header: await paymentFor(server.origin, signed) }
}

async function vacuumed(file: string, to: string): Promise<void> {
  const database = new Database(file, { readonly: true })
  database.query("VACUUM INTO ?1").run(to)
  database.close()
}

const CHANGES: readonly [what: string, change: (file: string) => void | Promise<void>, names: string][] = [
  ["deleted", (file) => rmSync(file), "bizauth.db"],
  [
    "moved away, and a copy put in its place",
    (file) => {
      renameSync(file, `${file}.old`)
      cpSync(`${file}.old`, file)
    },
    "bizauth.db",
  ],
  [
    "replaced by a backup that is renamed over it",
    async (file) => {
      await vacuumed(file, `${file}.backup`)
      renameSync(`${file}.backup`, file)
    },
    "bizauth.db",
  ],
  ["left without its write-ahead log", (file) => rmSync(`${file}-wal`), "bizauth.db-wal"],
  [
    "given another write-ahead log",
    (file) => {
      writeFileSync(`${file}-wal.new`, readFileSync(`${file}-wal`))
      renameSync(`${file}-wal.new`, `${file}-wal`)
    },
    "bizauth.db-wal",
  ],
]

test.concurrent.each(CHANGES)("the database of a running server is %s", async (what, change, names) => {
  const { server, file, signed, header } = await withPayment(what.replaceAll(" ", "-"))
  const paid = (await operator.transfers()).length
  await change(file)
  // Before any check of readiness can run.
  const answer = await ask(server.origin, signed.request, header)
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ code: "DATABASE_MOVED", charged: false, reason_codes: ["DATABASE_MOVED"] }),
  ])
  await becomesMoved(server, join(file, "..", names))
  expect((await operator.transfers()).length).toBe(paid)
})

/** SQLite reads pages that are gone, so it may refuse before the file is looked at. */
test.concurrent("the database of a running server is overwritten by a shorter copy of itself", async () => {
  const { server, file, signed, header } = await withPayment("shorter")
  const paid = (await operator.transfers()).length
  truncateSync(file, 4096)
  const { status } = await ask(server.origin, signed.request, header)
  expect([500, 503]).toContain(status)
  await becomesMoved(server, file)
  expect((await operator.transfers()).length).toBe(paid)
})

/** Waits until the log names the file and `/readyz` the reason. */
async function becomesMoved(server: Running, file: string): Promise<void> {
  await server.logged('"event":"database_moved"')
  expect(server.err()).toContain(`"file":"${file}"`)
  const until = Date.now() + MEASURED_MS
  for (;;) {
    const answer = await fetch(`${server.origin}/readyz`)
    const { reason_codes: reasons = [] } = (await answer.json()) as { reason_codes?: string[] }
    if (answer.status === 503 && reasons.includes("DATABASE_MOVED")) return
    if (Date.now() > until) expect([answer.status, reasons]).toEqual([503, ["DATABASE_MOVED"]])
    await Bun.sleep(250)
  }
}

test("a directory that is renamed and put back sells again, with the same payment", async () => {
  const { server, data, signed, header } = await withPayment("renamed")
  renameSync(data, `${data}.away`)
  expect((await ask(server.origin, signed.request, header)).status).toBe(503)
  renameSync(`${data}.away`, data)
  const { statuses } = await present(server.origin, signed, header, [202, 503])
  expect(statuses.at(-1)).toBe(200)
})

test("a command beside the server says that the database is missing, not that there never was one", async () => {
  const { data, file } = await withPayment("missing")
  rmSync(file)
  const checked = await run(["check", "--offline", "--data", data])
  expect(checked.exit).toBe(8)
  const listed = await run(["keys", "list", "--data", data])
  expect(listed.exit).toBe(7)
  for (const text of [checked.out, listed.err]) {
    expect(text).toContain(`${file} is missing`)
    expect(text).toContain("restore your newest backup")
  }
})
