import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openDataDirectory } from "../../src/data-directory.ts"
import { issueMissingKeys } from "../../src/keys/issue-missing-keys.ts"
import { nextKeys } from "../../src/keys/key-places.ts"
import { listAllServiceKeys } from "../../src/store/service-keys.ts"
import { clockAt, testService } from "../fixtures/service.ts"

const machine = clockAt(Date.UTC(2026, 0, 1))
const onFatal = (error: unknown): never => {
  throw error
}

test("two processes that start on a directory of an earlier release end with one key of each use", async () => {
  await using running = await testService(machine)
  const { database, paths, store } = running.service.dataDirectory
  database.run("DELETE FROM service_key WHERE use <> 'statement'")
  const before = await store.read(listAllServiceKeys)
  for (const file of readdirSync(paths.keys).filter((name) => name.endsWith(".json"))) {
    if (!before.some(({ keyId }) => file === `${keyId}.json`)) await Bun.file(join(paths.keys, file)).delete()
  }
  const open = () => openDataDirectory(running.directory, { machine, migrate: true, onFatal })
  const [one, two] = [await open(), await open()]
  const made = await Promise.all([one, two].map((opened) => issueMissingKeys(opened.store, paths.keys, machine)))
  expect(
    made
      .flat()
      .map(({ use }) => use)
      .sort(),
  ).toEqual(["log", "sandbox"])
  const after = await store.read(listAllServiceKeys)
  expect(after.map(({ use, status }) => `${use} ${status}`).sort()).toEqual([
    "log ACTIVE",
    "sandbox ACTIVE",
    "statement ACTIVE",
  ])
  expect(after).toEqual(expect.arrayContaining(before))
  expect(readdirSync(nextKeys(paths.keys))).toEqual([])
  expect(await issueMissingKeys(one.store, paths.keys, machine)).toEqual([])
  for (const { store } of [one, two]) await store.close()
})
