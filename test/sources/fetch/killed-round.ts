/**
 * Another process that fetches the SDN list from a mirror and is killed (SIGKILL, by itself) at one named point: `downloading` with a file
 * half on the disk, `downloaded` before the first write to the database, `imported` with the swap done and the round's row unwritten.
 */
import { openDatabase } from "../../../db/open.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { fetchTarget } from "../../../src/sources/fetch/fetch-target.ts"
import { realNetwork } from "../../../src/sources/fetch/network.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { usOfacSdn } from "../../../src/sources/publishers/us-ofac/adapter.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { SHORT_LIMITS } from "../../fixtures/downloads.ts"
import { mirrorBelow } from "../../fixtures/mirror-below.ts"
import { deathAt, watchedStore } from "../../fixtures/watched-store.ts"

const [point = "", database = "", root = "", mirror = ""] = process.argv.slice(2)

const dieAt = deathAt(point)

const real = new SqliteStore(openDatabase(database), (error) => {
  throw error
})
// The swap, the removed snapshots, then the row of the round.
const before = ["downloaded", "swapped", "imported"]
const store = watchedStore(real, { before: (nth) => dieAt(before[nth - 1] ?? "") })
const context = { store, machine: realMachine, root, environment: "test" as const }
const limits = { ...SHORT_LIMITS, firstByteMs: 10_000, idleMs: 10_000, paceWindowMs: 10_000, wholeMs: 20_000 }
await fetchRound(fetchTarget(listSource(usOfacSdn), context), {
  ...context,
  transport: { network: realNetwork, mirror: mirrorBelow(mirror), limits, userAgent: "bizauth/test" },
  samKey: null,
  wait: async () => {},
  work: { step: () => {}, done: () => dieAt("downloading") },
})
await store.close()
