/** How many statements one purchase runs. Each is a round trip on PostgreSQL: `bun scripts/statements.ts` prints them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { notedPurchases, statementCount, unitsThat } from "../../scripts/bench/noted-purchases.ts"
import type { NotedUnit } from "../../scripts/bench/noted-units.ts"
import { COMPANY_CHECK, PAYMENT_DECISION } from "../../scripts/bench/purchases.ts"
import { type Chain, startChain } from "../fixtures/chain.ts"
import { TEST_ENGINE } from "../fixtures/new-store.ts"

/** At most these in units that may write, and in the others. */
const MOST = [
  { product: COMPANY_CHECK, writing: 49, reading: 6 },
  { product: PAYMENT_DECISION, writing: 77, reading: 32 },
]

let chain: Chain
let units: readonly (readonly NotedUnit[])[]
beforeAll(async () => {
  chain = await startChain()
  const products = MOST.map(({ product }) => product)
  units = await notedPurchases(TEST_ENGINE, chain, products)
})
afterAll(() => chain.stop())

test.each(MOST.map((one, at) => [one.product.name, at, one] as const))(
  "a purchase of the %s runs at most so many statements",
  (_name, at, { writing, reading }) => {
    const noted = units[at] ?? []
    expect(statementCount(unitsThat(true, noted))).toBeLessThanOrEqual(writing)
    expect(statementCount(unitsThat(false, noted))).toBeLessThanOrEqual(reading)
    expect(noted.length).toBeGreaterThan(5)
  },
)

test("only the check before verification and the reserving unit read the list of a paid call", () => {
  const lists = (units.at(-1) ?? []).filter(({ statements }) => statements.includes("buyers.ts byId"))
  // The first is the quote's.
  expect(lists.map(({ kind }) => kind)).toEqual(["read", "read", "runInPlace"])
})
