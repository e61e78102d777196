import { expect, test } from "bun:test"
import { sequencePending, waitingCapsules } from "../../../src/store/log/sequenced-log.ts"
import { leafRange, readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { findDelivery } from "../../../src/store/sales/deliveries.ts"
import { newDatabaseOn } from "../../fixtures/test-database.ts"
import { capsuleDigest, sell } from "./delivered-capsules.ts"

test("each unit holds every order, so the unit that delivers a capsule gives it its leaf", async () => {
  const database = await newDatabaseOn("sqlite")
  const { store } = await database.open()
  for (const name of ["a", "b", "c"]) {
    await sell(store, name)
    expect(await store.read(waitingCapsules)).toBeNull()
    const { size } = await store.read(readTreeHead)
    expect(await store.read(() => findDelivery(`drq_${name}`))).toMatchObject({ logIndex: size - 1 })
    const [leaf] = await store.read(() => leafRange(size - 1, size))
    expect(`sha256:${Buffer.from(leaf?.subarray(32, 64) ?? []).toString("hex")}`).toBe(capsuleDigest(name))
  }
  expect(await sequencePending(store)).toBe(0)
  await store.close()
  await database.close()
})
