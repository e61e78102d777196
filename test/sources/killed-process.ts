/**
 * Another process that imports a folder and is killed (SIGKILL, by itself) at one named point: `parsing`, `before-swap` with the files
 * durable, `after-swap` before old folders are removed. `staging` never returns from the write: the parent kills it there.
 */
import { openDatabase } from "../../db/open.ts"
import { realMachine } from "../../src/base/machine.ts"
import { importSource } from "../../src/sources/import/import-source.ts"
import type { ImportOptions } from "../../src/sources/import/import-times.ts"
import { readInput } from "../../src/sources/import/read-input.ts"
import { listSource } from "../../src/sources/import/source.ts"
import { usOfacSdn } from "../../src/sources/publishers/us-ofac/adapter.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [point = "", database = "", root = "", folder = "", told = "{}"] = process.argv.slice(2)
/** Further options of the import in a live directory. Without them the directory is a test directory. */
const options = JSON.parse(told) as Partial<ImportOptions>
const environment = told === "{}" ? "test" : "live"

const dieAt = deathAt(point)

const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
const store = watchedStore(real, { before: () => dieAt("before-swap"), after: () => dieAt("after-swap") })
const adapter = {
  ...usOfacSdn,
  parse: (files: Parameters<typeof usOfacSdn.parse>[0]) => {
    dieAt("parsing")
    return usOfacSdn.parse(files)
  },
}
const input = readInput([folder], "US_OFAC_SDN")
await importSource({ store, machine: realMachine, root, environment, source: listSource(adapter) }, input, {
  retrievedAt: null,
  acceptShrink: null,
  ...options,
})
await store.close()
