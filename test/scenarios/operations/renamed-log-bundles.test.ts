/** Bundles and receipts from before a log got its next name verify after it, and say which log they are of. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as verifyBundle } from "../../../src/cli/agent/verify-bundle.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { routes } from "../../../src/server/app.ts"
import { statementAgentId } from "../../../src/store/identity/service-identities.ts"
import { changeLogOrigin } from "../../../src/store/log/log-origin.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { testServiceOn } from "../../fixtures/service.ts"
import { runCommand } from "../../fixtures/terminal.ts"

setDefaultTimeout(60_000)

const folder = freshDirectory()
const data = join(folder.path, "data")
const at = (name: string) => join(folder.path, name)

/** The log's key as a verifier pins it, and a bundle of the service's own identity, as a running service gives them. */
async function published(bundle: string): Promise<string> {
  const { service } = await testServiceOn(data, realMachine)
  const app = routes(service).compile()
  const get = async (path: string) => (await app.handle(new Request(`http://localhost${path}`))).text()
  const agentId = await service.store.read(statementAgentId)
  writeFileSync(at(bundle), await get(`/v1/agent-identities/${agentId}/export`))
  const { verifier_keys } = JSON.parse(await get("/v1/agent-id/log")) as { verifier_keys: string[] }
  await service.close()
  return verifier_keys[0] ?? ""
}

let oldKey: string
let newKey: string
beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine, { logHost: "svc.example" })
  oldKey = await published("old.json")
  const { store } = await openDataDirectory(data, {
    machine: realMachine,
    migrate: false,
    onFatal: (error) => {
      throw error
    },
  })
  await store.run(() => changeLogOrigin("svc.example", { why: "a test", at: "2026-01-01T00:00:00Z" }))
  await store.close()
  newKey = await published("new.json")
})
afterAll(() => folder[Symbol.dispose]())

const verify = (bundle: string, key: string, ...flags: string[]) =>
  runCommand(verifyBundle, [at(bundle), "--log-key", key, ...flags])

test("each bundle verifies with the key of its log, and names it", async () => {
  for (const [bundle, key, number] of [
    ["old.json", oldKey, 1],
    ["new.json", newKey, 2],
  ] as const) {
    const { exit, out } = await verify(bundle, key)
    expect(Number(exit)).toBe(0)
    expect(out).toContain(`log    svc.example/agent-id/log/${number}, tree size `)
  }
})

test("a bundle does not verify with the key of the other name", async () => {
  expect((await verify("old.json", newKey)).out).toContain("LOG_ORIGIN_DIFFERS")
  expect((await verify("new.json", oldKey)).out).toContain("LOG_ORIGIN_DIFFERS")
})

test("a receipt from before the change is part of the history after it", async () => {
  const { key_event_log } = JSON.parse(await Bun.file(at("old.json")).text()) as {
    key_event_log: { receipt: unknown }[]
  }
  writeFileSync(at("receipt.json"), JSON.stringify(key_event_log[0]?.receipt))
  expect(Number((await verify("new.json", newKey, "--receipt", at("receipt.json"))).exit)).toBe(0)
})

test("a checkpoint that was remembered under the old name is not compared, and both names are said", async () => {
  const { exit, out } = await verify("new.json", newKey, "--since", at("old.json"))
  expect(Number(exit)).toBe(3)
  expect(out).toContain(
    "The remembered checkpoint is of svc.example/agent-id/log/1, and this one of svc.example/agent-id/log/2",
  )
})
