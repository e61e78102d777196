/**
 * Another process that reads a register again and is killed (SIGKILL, by itself) at one named point: in the first report of a step
 * (`copying`, `reading`, `digest`), at the begin of a step that counts nothing (`building`), `before-swap` with the files durable,
 * `after-swap` before the log says so.
 */
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { readHere } from "./earlier-register.ts"
import { killedWork } from "./killed-work.ts"

const [point = "", database = "", root = ""] = process.argv.slice(2)

const { store, work } = killedWork(point, database)
const log = createLog("error", () => {}, realMachine.now)
await readHere({ store, root, machine: realMachine, log, adapters: [ukCompaniesHouse], disabled: [] }, work)
await store.close()
