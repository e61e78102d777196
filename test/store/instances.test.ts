import { expect, test } from "bun:test"
import { probeWrite, purgeInstances } from "../../src/store/instances.ts"
import { AT, LATER, moneyStore } from "./money-rows.ts"

test("each instance writes a row of its own and not `meta`; the rows of those that are gone are removed", async () => {
  const store = moneyStore()
  const rows = () => store.database.query("SELECT instance_id, seen_at FROM instance ORDER BY 1").values()
  const meta = store.database.query("SELECT * FROM meta").values()
  for (const instance of ["a", "b", "a"]) expect(await store.run(() => probeWrite(instance, AT))).toBe(true)
  expect(await store.run(() => probeWrite("b", LATER))).toBe(true)
  expect(rows()).toEqual([
    ["a", AT],
    ["b", LATER],
  ])
  expect(store.database.query("SELECT * FROM meta").values()).toEqual(meta)
  expect(await store.run(() => purgeInstances(AT))).toBe(0)
  expect(await store.run(() => purgeInstances(LATER))).toBe(1)
  expect(rows()).toEqual([["b", LATER]])
  await store.close()
})
