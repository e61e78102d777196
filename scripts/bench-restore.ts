/**
 * Plays a whole backup and restore with real deliveries: bun scripts/bench-restore.ts [DELIVERIES] [MEGABYTES].
 *
 * Sells company checks on a local chain, grows the database to the size, makes a backup with keys and lists while another process writes 500
 * times a second, restores it into an empty directory, and runs `config check`, `check --offline`, `log audit`, and an export and a replay
 * of every delivery there. Each export must have the bytes of the original. Exits with 1 if any of it fails.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../src/base/machine.ts"
import { command as exportCommand } from "../src/cli/documents/export.ts"
import { openDataDirectory } from "../src/data/data-directory.ts"
import { companyCheckRules } from "../src/products/us/company-check/rules.ts"
import { usBody } from "../test/fixtures/answers.ts"
import { run } from "../test/fixtures/binary.ts"
import { paymentAt, postTo, SERVICE_FLAGS } from "../test/fixtures/product-operator.ts"
import { runCommand } from "../test/fixtures/terminal.ts"
import { openTestOperator } from "../test/fixtures/test-operator.ts"
import { fillDatabase, waitSummary, writesWhile } from "./bench/write-load.ts"

const DELIVERIES = Number(process.argv[2] ?? 1_000)
const MEGABYTES = Number(process.argv[3] ?? 500)
const AT_ONCE = 4
const TRIES_MAX = 30
const RETRY_MS = 500

await using operator = await openTestOperator()
const at = (name: string) => operator.path(name)
const started = performance.now()
const print = (text: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${text}`)

async function command(...args: string[]): Promise<string> {
  const ran = await run(args, { cwd: operator.folder })
  if (ran.exit !== 0) throw new Error(`bizauth ${args.join(" ")}: ${ran.exit} ${ran.err}${ran.out}`)
  return ran.out
}

async function exported(id: string, data: string): Promise<string> {
  const ran = await runCommand(exportCommand, [id, "--data", data])
  if (ran.exit !== 0) throw new Error(`export of ${id}: ${ran.exit} ${ran.err}`)
  return ran.out
}

const server = await operator.serve(SERVICE_FLAGS)
const sold: string[] = []
async function buy(): Promise<void> {
  const purchase = { path: companyCheckRules.path, body: JSON.stringify(usBody()) }
  const payment = await paymentAt(server.origin, purchase)
  let answer = await postTo(server.origin, purchase, payment)
  // 202: the payment is not settled yet. The same payment gets the answer.
  for (let tries = 0; answer.status === 202 && tries < TRIES_MAX; tries++) {
    await Bun.sleep(RETRY_MS)
    answer = await postTo(server.origin, purchase, payment)
  }
  if (answer.status !== 200) throw new Error(`a purchase answered ${answer.status}`)
  sold.push(((await answer.json()) as { execution_id: string }).execution_id)
}
while (sold.length < DELIVERIES) await Promise.all(Array.from({ length: AT_ONCE }, buy))
await server.stop()
print(`${sold.length} answers are sold and delivered`)

const opened = await openDataDirectory(operator.data, {
  machine: realMachine,
  migrate: true,
  onFatal: (error) => {
    throw error
  },
})
fillDatabase(opened, MEGABYTES)
print(`the database has ${(statSync(opened.paths.database).size / 1e6).toFixed(0)} MB`)

writeFileSync(at("passphrase"), "correct horse battery\n", { mode: 0o600 })
const passphrase = ["--passphrase-file", at("passphrase")]
const backup = command(
  "backup",
  at("backup.tar.zst"),
  "--data",
  operator.data,
  "--include-lists",
  "--include-keys",
  ...passphrase,
)
const waits = await writesWhile(opened.store, backup)
await opened.store.close()
print(`backup of ${(statSync(at("backup.tar.zst")).size / 1e6).toFixed(0)} MB; writers: ${waitSummary(waits)}`)

await command("backup", "verify", at("backup.tar.zst"), ...passphrase)
await command("restore", at("backup.tar.zst"), "--data", at("restored"), ...passphrase)
print("restored into an empty directory")
await command("config", "check", "--data", at("restored"))
await command("check", "--data", at("restored"), "--offline", "--sources-disabled", "UK_SANCTIONS_LIST")
await command("log", "audit", "--data", at("restored"))
print("config check, check --offline and log audit pass")

writeFileSync(at("jwks.json"), await command("keys", "export", "--data", at("restored"), "--with-revoked"))
mkdirSync(at("exported"))
for (const id of sold) {
  const bundle = await exported(id, at("restored"))
  if (bundle !== (await exported(id, operator.data))) throw new Error(`the export of ${id} has other bytes`)
  writeFileSync(join(at("exported"), `${id}.json`), bundle)
}
const replayed = await command("replay", at("exported"), "--issuer", at("jwks.json"), "--json")
const files = JSON.parse(replayed).files as readonly { readonly result: string }[]
const valid = files.filter(({ result }) => result === "VALID").length
if (files.length !== sold.length || valid !== sold.length) throw new Error(`${valid} of ${sold.length} replay`)
print(`${valid} deliveries export with the same bytes and replay`)
