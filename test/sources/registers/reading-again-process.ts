/**
 * Another process that reads a register again and is killed (SIGKILL, by itself) at one named point: in the first report of a step
 * (`copying`, `reading`, `digest`), at the begin of a step that counts nothing (`building`), `before-swap` with the files durable,
 * `after-swap` before the log says so.
 */
import { openDatabase } from "../../../db/open.ts"
import { createLog } from "../../../src/base/log.ts"
import type { WorkStep } from "../../../src/base/long-work.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite-store.ts"
import { deathAt, watchedStore } from "../../fixtures/watched-store.ts"
import { readHere } from "./earlier-register.ts"

const [point = "", database = "", root = ""] = process.argv.slice(2)
const dieAt = deathAt(point)

const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
const store = watchedStore(real, { before: () => dieAt("before-swap"), after: () => dieAt("after-swap") })
let step = ""
/** The first word of the step; the last one is the digest. */
const pointOf = (what: string) => (what.includes("digest") ? "digest" : (what.split(" ")[0] ?? ""))
const log = createLog("error", () => {}, realMachine.now)
await readHere(
  { store, root, machine: realMachine, log, adapters: [ukCompaniesHouse], disabled: [] },
  {
    step({ what, unit }: WorkStep) {
      step = what
      if (unit === undefined) dieAt(pointOf(step))
    },
    done: () => dieAt(pointOf(step)),
  },
)
await store.close()
