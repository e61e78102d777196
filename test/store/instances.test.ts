import { expect, test } from "bun:test"
import { probeWrite, purgeInstances } from "../../src/store/instances.ts"
import { AT, LATER } from "./money-rows.ts"
import { moneyStore } from "./money-store.ts"

test("each instance writes a row of its own and not `meta`; the rows of those that are gone are removed", async () => {
  const store = await moneyStore()
  const rows = () => store.rows("SELECT instance_id, seen_at FROM instance ORDER BY 1")
  const metaRows = () => store.rows("SELECT * FROM meta ORDER BY name")
  const meta = await metaRows()
  for (const instance of ["a", "b", "a"]) expect(await store.run(() => probeWrite(instance, AT))).toBe(true)
  expect(await store.run(() => probeWrite("b", LATER))).toBe(true)
  expect(await rows()).toEqual([
    { instance_id: "a", seen_at: AT },
    { instance_id: "b", seen_at: LATER },
  ])
  expect(await metaRows()).toEqual(meta)
  expect(await store.run(() => purgeInstances(AT))).toBe(0)
  expect(await store.run(() => purgeInstances(LATER))).toBe(1)
  expect(await rows()).toEqual([{ instance_id: "b", seen_at: LATER }])
  await store.close()
})
