/**
 * Another process on a machine of its own, which kills itself (SIGKILL) before or after a unit, such as `after 7`: the units that write while it imports a
 * folder, or the units that read while it receives the active list.
 */
import { realMachine } from "../../../src/base/machine.ts"
import { importSource } from "../../../src/sources/import/import-source.ts"
import { readInput } from "../../../src/sources/import/read-input.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { receiveSnapshot } from "../../../src/sources/machines/receive-snapshot.ts"
import { sharedOf } from "../../../src/sources/machines/shared-database.ts"
import { usOfacSdn } from "../../../src/sources/publishers/us-ofac/adapter.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { storeWith } from "../../fixtures/store-with.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { deathAt, watchedStore } from "../../fixtures/watched-store.ts"

const SDN = "US_OFAC_SDN"
const [point = "", address = "", root = "", folder = ""] = process.argv.slice(2)
const dieAt = deathAt(point)
const { engine, store: own } = await databaseAt(address).open()

if (folder === "") {
  const row = await own.read(() => activeSnapshot(SDN))
  if (row === null) throw new Error("no list is active")
  let units = 0
  const store = storeWith(own, {
    read: async (unit) => {
      const nth = ++units
      const result = await own.read(unit)
      dieAt(`after ${nth}`)
      return result
    },
  })
  await receiveSnapshot({ store, root }, row)
} else {
  const store = watchedStore(own, {
    before: (nth) => dieAt(`before ${nth}`),
    after: (nth) => dieAt(`after ${nth}`),
  })
  const place = { store, machine: realMachine, root, shared: sharedOf(engine, realMachine) }
  const context = { ...place, environment: "test", source: listSource(usOfacSdn) } as const
  await importSource(context, readInput([folder], SDN), { retrievedAt: null, acceptShrink: null })
}
await own.close()
