/** A backup made in the middle of sales, restored on an empty machine: everything that was sold before it verifies and replays there. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { command as exportCommand } from "../../../src/cli/documents/export.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { REQUIRED_US_SOURCES, SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { usBody } from "../../fixtures/answers.ts"
import { type Running, run, serve } from "../../fixtures/binary.ts"
import { atLength, howMany } from "../../fixtures/long.ts"
import { paymentAt, postTo, SERVICE_FLAGS } from "../../fixtures/product-operator.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { openTestOperator, type TestOperator } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

const SALES = atLength(6, 1_000)
/** Sales that are under way while the backup is made. */
const AT_ONCE = 4
setDefaultTimeout(240_000)

let operator: TestOperator
let server: Running
const sold: string[] = []
let inBackup: readonly string[]
const at = (name: string) => operator.path(name)
const command = async (...args: string[]) => {
  const ran = await run(args, { cwd: operator.folder, limitMs: 60_000 })
  if (ran.exit !== 0) throw new Error(`bizauth ${args.join(" ")}: ${ran.exit} ${ran.err}${ran.out}`)
  return ran.out
}

async function buy(): Promise<void> {
  const purchase = { path: companyCheckRules.path, body: JSON.stringify(usBody()) }
  const answer = await postTo(server.origin, purchase, await paymentAt(server.origin, purchase))
  const body = (await answer.json()) as { execution_id: string }
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  sold.push(body.execution_id)
}

beforeAll(async () => {
  operator = await openTestOperator()
  server = await operator.serve(SERVICE_FLAGS)
  writeFileSync(at("passphrase"), "correct horse battery\n", { mode: 0o600 })
  while (sold.length < SALES) await Promise.all(Array.from({ length: AT_ONCE }, buy))
  inBackup = [...sold]
  let isOver = false
  const flags = ["--include-lists", "--include-keys", "--passphrase-file", at("passphrase")]
  const backup = command("backup", at("backup.tar.zst"), "--data", operator.data, ...flags).finally(() => {
    isOver = true
  })
  while (!isOver) await buy()
  await backup
  await server.kill()
})
afterAll(() => operator[Symbol.asyncDispose]())

test("the backup is restored with its keys and lists into a directory that checks, audits and opens", async () => {
  expect(sold.length).toBeGreaterThan(inBackup.length)
  const verified = await command("backup", "verify", at("backup.tar.zst"), "--passphrase-file", at("passphrase"))
  expect(verified).toContain("files open with the passphrase")
  await command("restore", at("backup.tar.zst"), "--data", at("restored"), "--passphrase-file", at("passphrase"))
  await command("config", "check", "--data", at("restored"))
  await command("log", "audit", "--data", at("restored"))
  const absent = SOURCE_IDS.filter((id) => !REQUIRED_US_SOURCES.some((one) => one === id)).join(",")
  const checked = JSON.parse(
    await command("check", "--data", at("restored"), "--offline", "--json", "--sources-disabled", absent),
  )
  expect(checked.problems).toBe(0)
  const notes = checked.lines.filter((line: { state: string }) => line.state === "NOTE")
  expect(notes.map((line: { name: string }) => line.name)).toContain("restore")
})

test(`${howMany(1_000, SALES)} deliveries from before the backup verify and replay there, with the same bytes`, async () => {
  await command("keys", "export", "--data", at("restored"), "--with-revoked").then((out) =>
    writeFileSync(at("jwks.json"), out),
  )
  mkdirSync(at("exported"))
  const exported = async (id: string, data: string) => {
    const ran = await runCommand(exportCommand, [id, "--data", data])
    if (ran.exit !== 0) throw new Error(`export of ${id}: ${ran.exit} ${ran.err}`)
    return ran.out
  }
  for (const id of inBackup) {
    const bundle = await exported(id, at("restored"))
    expect(bundle).toBe(await exported(id, operator.data))
    writeFileSync(join(at("exported"), `${id}.json`), bundle)
  }
  const replayed = await command("replay", at("exported"), "--issuer", at("jwks.json"), "--json")
  const files = JSON.parse(replayed).files as readonly { readonly result: string }[]
  expect([files.length, files.filter(({ result }) => result === "VALID").length]).toEqual([
    inBackup.length,
    inBackup.length,
  ])
})

test("the log goes on under its next name, and the service sells nothing yet", async () => {
  expect(await command("log", "checkpoint", "--data", at("restored"))).toStartWith("127.0.0.1:8402/agent-id/log/2\n")
  await using restored = await serve(at("restored"), [...operator.selling, ...SERVICE_FLAGS])
  const purchase = { path: companyCheckRules.path, body: JSON.stringify(usBody()) }
  const codeOf = async () => ((await (await postTo(restored.origin, purchase)).json()) as { code: string }).code
  // Until the first look at the nodes has ended, the reason is that payments open.
  await until("the service names the restore", async () => (await codeOf()) === "RESTORED_RECENTLY")
})
