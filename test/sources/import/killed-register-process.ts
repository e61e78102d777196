/**
 * Another process that imports a register and is killed (SIGKILL, by itself) at one named point: in the first report of a step (`copying`,
 * `reading`, `digest`), at the begin of a step that counts nothing (`building`, `comparing`), `before-swap` with the files durable,
 * `after-swap` before old folders are removed.
 */
import { realMachine } from "../../../src/base/machine.ts"
import { importSource } from "../../../src/sources/import/import-source.ts"
import { findInput } from "../../../src/sources/import/read-input.ts"
import { registerSource } from "../../../src/sources/import/source.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { killedWork } from "./killed-work.ts"

const [point = "", database = "", root = "", folder = ""] = process.argv.slice(2)

const { store, work } = killedWork(point, database)
const source = registerSource(ukCompaniesHouse)
const context = { store, machine: realMachine, root, environment: "test" as const, source, work }
const input = findInput([folder], "UK_COMPANIES_HOUSE")
await importSource(context, input, { retrievedAt: null, acceptShrink: null })
await store.close()
