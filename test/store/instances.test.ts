import { expect, test } from "bun:test"
import {
  type Instance,
  listInstances,
  purgeInstances,
  recordInstance,
  removeInstance,
} from "../../src/store/instances.ts"
import { AT, LATER } from "./money-rows.ts"
import { moneyStore } from "./money-store.ts"

const instance = (instanceId: string, seenAt = AT): Instance => ({
  ...{ instanceId, host: `host-${instanceId}`, pid: 7, release: "1.2.3", startedAt: AT },
  seenAt,
})

test("each instance writes a row of its own and not `meta`; a row ends with its process, or after a time", async () => {
  const store = await moneyStore()
  const listed = () => store.run(listInstances)
  const metaRows = () => store.rows("SELECT * FROM meta ORDER BY name")
  const meta = await metaRows()
  for (const id of ["b", "a", "c", "b"]) await store.run(() => recordInstance(instance(id)))
  await store.run(() => recordInstance({ ...instance("b", LATER), startedAt: LATER }))
  expect(await listed()).toEqual([instance("a"), instance("b", LATER), instance("c")])
  expect(await metaRows()).toEqual(meta)
  await store.run(() => removeInstance("c"))
  expect(await listed()).toEqual([instance("a"), instance("b", LATER)])
  expect(await store.run(() => purgeInstances(AT))).toBe(0)
  expect(await store.run(() => purgeInstances(LATER))).toBe(1)
  expect(await listed()).toEqual([instance("b", LATER)])
  await store.close()
})
