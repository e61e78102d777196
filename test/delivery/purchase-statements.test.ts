/** How many statements one purchase runs. Each is a round trip on PostgreSQL: `bun scripts/statements.ts` prints them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { NotedUnit } from "../../scripts/bench/noted-units.ts"
import { countStatements, type Purchased, purchaseUnits } from "../../scripts/bench/purchase-statements.ts"
import { type Chain, startChain } from "../fixtures/chain.ts"
import { TEST_ENGINE } from "../fixtures/new-store.ts"

/** At most these in units that may write, and in the others. */
const MOST: Readonly<Record<Purchased, readonly [writing: number, reading: number]>> = {
  "company check": [48, 6],
  "Payment Decision": [76, 32],
}

let chain: Chain
let units: ReadonlyMap<Purchased, readonly NotedUnit[]>
beforeAll(async () => {
  chain = await startChain()
  units = await purchaseUnits(TEST_ENGINE, chain)
})
afterAll(() => chain.stop())

test.each(Object.entries(MOST))(
  "a purchase of the %s runs at most so many statements: %p",
  (product, [writing, reading]) => {
    const noted = units.get(product as Purchased) ?? []
    expect(countStatements(noted, true).statements).toBeLessThanOrEqual(writing)
    expect(countStatements(noted, false).statements).toBeLessThanOrEqual(reading)
    expect(noted.length).toBeGreaterThan(5)
  },
)

test("only the check before verification and the reserving unit read the list of a paid call", () => {
  const lists = (units.get("Payment Decision") ?? []).filter(({ statements }) => statements.includes("buyers.ts byId"))
  // The first is the quote's.
  expect(lists.map(({ kind }) => kind)).toEqual(["read", "read", "runInPlace"])
})
