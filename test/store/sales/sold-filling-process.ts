/** A process that keeps the list of what was sold complete on the database it is given, and prints a line after each step. */
import { writeSync } from "node:fs"
import { listSold } from "../../../src/delivery/sold-list.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { PRODUCTS } from "./sold-rows.ts"

const database = databaseAt(process.argv[2] ?? "")
const { store } = await database.open()
while (await listSold({ store, products: PRODUCTS })) writeSync(1, "step\n")
writeSync(1, "done\n")
await store.close()
await database.close()
