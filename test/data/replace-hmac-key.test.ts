/** A lost or stolen HMAC key has a way out on every engine, and a killed replacement leaves nothing that serves with two keys. */
import { expect, setDefaultTimeout } from "bun:test"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command } from "../../src/cli/keys/replace-hmac.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { OwnInstance } from "../../src/data/own-instance.ts"
import { ownStateChecks } from "../../src/data/own-state-checks.ts"
import { REPLACE_HMAC_STEPS } from "../../src/data/replace-hmac-key.ts"
import { directoryForEach } from "../fixtures/new-data-directory.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { until } from "../fixtures/until.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const silent = createLog("error", () => {}, realMachine.now)
const directory = directoryForEach()

const open = () =>
  openDataDirectory(directory().path, {
    ...{ machine: realMachine, migrate: true, databaseFile: directory().databaseFile },
    onFatal: (error) => {
      throw error
    },
  })
const program = join(import.meta.dir, "replace-hmac-process.ts")
const start = (step: string) =>
  Bun.spawn([process.execPath, program, directory().path, directory().databaseFile ?? "", "tokenKey", step], {
    stdout: "pipe",
    stderr: "inherit",
  })
/** Another process tries, because a refused open leaves the file open until the next collection of garbage. */
const refusal = async () => new Response(start("OPEN").stdout).text()
const replace = (use: string) => runCommand(command, ["--use", use, "--data", directory().path])

test.each([
  ["quote", "quoteKey"],
  ["token", "tokenKey"],
] as const)("a new %s key takes the place of a lost, another or a known one", async (use, key) => {
  const path = dataPaths(directory().path)[key]
  for (const spoil of [() => rmSync(path), () => writeFileSync(path, new Uint8Array(32).fill(5)), () => {}]) {
    spoil()
    const before = statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "hex") : null
    if (before === null) expect(await refusal()).toContain(`bizauth keys replace-hmac --use ${use}`)
    const ran = await replace(use)
    expect(ran).toMatchObject({ exit: EXIT.DONE, out: expect.stringContaining("every other instance") })
    expect(readFileSync(path, "hex")).not.toBe(before ?? "")
    expect(statSync(path)).toMatchObject({ size: 32 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await (await open()).store.close()
  }
})

test("a key file of another database is refused, and the refusal names the command", async () => {
  writeFileSync(dataPaths(directory().path).quoteKey, new Uint8Array(32).fill(5))
  await expect(open()).rejects.toThrow("If no directory has the key any more: bizauth keys replace-hmac --use quote")
})

test("an unknown use is refused", async () => {
  expect(await replace("log")).toMatchObject({ exit: EXIT.USAGE, err: expect.stringContaining("quote or token") })
})

test("no key is replaced while a process serves", async () => {
  const path = dataPaths(directory().path).quoteKey
  const before = readFileSync(path, "hex")
  const { engine, store } = await open()
  const workers = engine.workers({ machine: realMachine, log: silent })
  for (const worker of workers) worker.start()
  await until("it is refused", async () => (await replace("quote")).exit === EXIT.DATA)
  const kept = readFileSync(path, "hex")
  for (const worker of workers) await worker.stop()
  await store.close()
  expect(kept).toBe(before)
})

test.each(["quote", "token"])(
  "a process that could not be seen while the %s key was replaced sells nothing more",
  async (use) => {
    const { engine, store, ...hmacKeys } = await open()
    const checks = ownStateChecks({
      ...{ engine, hmacKeys, log: silent, keys: { state: () => "READY", missing: () => [] } },
      instance: new OwnInstance({ engine, machine: realMachine }),
    })
    const codes = async () => (await Promise.all(checks.map((check) => check.reasons()))).flat().map(({ code }) => code)
    // No worker of it holds the lock of the schema.
    const { exit } = await replace(use)
    expect([exit, await codes()]).toEqual(engine.isShared ? [EXIT.DONE, ["HMAC_KEY_REPLACED"]] : [EXIT.DATA, []])
    await store.close()
  },
)

test.each([...REPLACE_HMAC_STEPS])("a replacement that is killed before %s is done by the next one", async (step) => {
  const { tokenKey, keys } = dataPaths(directory().path)
  const before = readFileSync(tokenKey, "hex")
  const child = start(step)
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
  // The recorded check value is that of a file without its name.
  if (step === "RENAME") expect(await refusal()).toContain("bizauth keys replace-hmac --use token")
  else await (await open()).store.close()
  expect(readFileSync(tokenKey, "hex")).toBe(before)
  expect(await replace("token")).toMatchObject({ exit: EXIT.DONE, err: "" })
  await (await open()).store.close()
  expect(readdirSync(keys).filter((name) => name.includes(".partial-"))).toEqual([])
})
