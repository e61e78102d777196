/**
 * Another process that imports a register and is killed (SIGKILL, by itself) at one named point: in the first report of a step (`copying`,
 * `reading`, `digest`), at the begin of a step that counts nothing (`building`, `comparing`), `before-swap` with the files durable,
 * `after-swap` before old folders are removed.
 */
import { openDatabase } from "../../../db/open.ts"
import type { WorkStep } from "../../../src/base/long-work.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { importRegister } from "../../../src/sources/registers/import-register.ts"
import { readRegisterInput } from "../../../src/sources/registers/register-input.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite-store.ts"
import { deathAt, watchedStore } from "../../fixtures/watched-store.ts"

const [point = "", database = "", root = "", folder = ""] = process.argv.slice(2)

const dieAt = deathAt(point)

const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
const store = watchedStore(real, { before: () => dieAt("before-swap"), after: () => dieAt("after-swap") })
let step = ""
/** The first word of the step; the last one is the digest. */
const pointOf = (what: string) => (what.includes("digest") ? "digest" : (what.split(" ")[0] ?? ""))
const context = {
  ...{ store, machine: realMachine, root },
  environment: "test" as const,
  adapter: ukCompaniesHouse,
  work: {
    step({ what, unit }: WorkStep) {
      step = what
      if (unit === undefined) dieAt(pointOf(step))
    },
    done: () => dieAt(pointOf(step)),
  },
}
const input = readRegisterInput([folder], "UK_COMPANIES_HOUSE")
await importRegister(context, input, { retrievedAt: null, acceptShrink: null })
await store.close()
