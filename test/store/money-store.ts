/** A store of the test's own, for rows of `money-rows.ts`. */
import type { Unit } from "../../src/store/engine/unit.ts"
import { newStore } from "../fixtures/new-store.ts"

export async function moneyStore() {
  const { store, ...own } = await newStore()
  return { ...own, store, run: <T>(unit: () => Unit<T>) => store.run(unit) }
}
