/**
 * Another process that imports a register and is killed (SIGKILL, by itself) at one named point: in the first report of a step (`copying`,
 * `reading`, `digest`), at the begin of a step that counts nothing (`building`, `comparing`), `before-swap` with the files durable,
 * `after-swap` before old folders are removed.
 */
import { realMachine } from "../../../src/base/machine.ts"
import { importRegister } from "../../../src/sources/import/import-register.ts"
import { readRegisterInput } from "../../../src/sources/import/register-input.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { killedWork } from "./killed-work.ts"

const [point = "", database = "", root = "", folder = ""] = process.argv.slice(2)

const { store, work } = killedWork(point, database)
const context = { store, machine: realMachine, root, environment: "test" as const, adapter: ukCompaniesHouse, work }
const input = readRegisterInput([folder], "UK_COMPANIES_HOUSE")
await importRegister(context, input, { retrievedAt: null, acceptShrink: null })
await store.close()
