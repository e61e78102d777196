/** Units after which money moves run only while the open database is the one at its path. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { openMigrated } from "../fixtures/new-database.ts"
import { list, put } from "./nonce-rows.ts"

test("a unit in place is refused and never runs later, and the units beside it are committed", async () => {
  using fresh = freshDirectory()
  const state = { inPlace: true, looks: 0, fatal: [] as unknown[] }
  const store = new SqliteStore(openMigrated(join(fresh.path, "a.db")), (error) => state.fatal.push(error), {
    isInPlace: () => {
      state.looks++
      return state.inPlace
    },
  })
  await store.runInPlace(() => put("first"))
  expect(state.looks).toBe(1)
  state.inPlace = false
  const refused = await Promise.allSettled([
    store.run(() => put("beside")),
    store.runInPlace(() => put("refused")),
    store.run(() => put("after")),
  ])
  expect(refused.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  const [, moved] = refused
  expect(moved?.status === "rejected" && moved.reason).toEqual(new StoreUnavailable("MOVED"))
  // One unit of a batch throws, so the others run again. The refused one is not among them, although the file is back.
  const again = Promise.allSettled([
    store.runInPlace(() => put("refused")),
    // biome-ignore lint/correctness/useYield: a unit that throws at once
    store.run(function* () {
      state.inPlace = true
      throw new Error("bug")
    }),
    store.run(() => put("last")),
  ])
  expect((await again).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"])
  expect(await store.read(list)).toEqual(["after", "beside", "first", "last"])
  await store.runInPlace(() => put("refused"))
  expect(state.fatal).toEqual([])
  await store.close()
})
