/** A process that lists what was sold and opens cases on the database it is given, and prints a line after each step. */
import { writeSync } from "node:fs"
import { listSold } from "../../../src/delivery/sold-list.ts"
import { openNextCases } from "../../../src/review/open-cases.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { PRODUCTS } from "../sales/sold-rows.ts"

const database = databaseAt(process.argv[2] ?? "")
const { store } = await database.open()
for (let isBehind = true; isBehind; ) {
  const isListBehind = await listSold({ store, products: PRODUCTS })
  isBehind = (await openNextCases(store)) || isListBehind
  writeSync(1, "step\n")
}
writeSync(1, "done\n")
await store.close()
await database.close()
