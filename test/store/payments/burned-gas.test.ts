import { expect, test } from "bun:test"
import { bookBurnedGas, gasBurned } from "../../../src/store/payments/burned-gas.ts"
import { moneyStore } from "../money-store.ts"

test("burned gas is summed per code and day", async () => {
  const store = await moneyStore()
  await store.run(() => bookBurnedGas("code", "2026-11-21", 10n ** 20n))
  await store.run(() => bookBurnedGas("code", "2026-11-21", 1n))
  await store.run(() => bookBurnedGas("code", "2026-11-22", 5n))
  expect(await store.run(() => gasBurned("code", "2026-11-21"))).toBe(10n ** 20n + 1n)
  expect(await store.run(() => gasBurned("code", "2026-11-22"))).toBe(5n)
  expect(await store.run(() => gasBurned("other", "2026-11-21"))).toBe(0n)
  await store.close()
})
