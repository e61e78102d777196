/**
 * Prints the statements that one purchase runs, by unit, on both engines: `bun scripts/statements.ts`. Each statement of a unit is a round trip
 * on PostgreSQL, so their number decides how many purchases it sells.
 */
import { startChain } from "../test/fixtures/chain.ts"
import { notedPurchases, statementCount, unitsThat } from "./bench/noted-purchases.ts"
import type { NotedUnit } from "./bench/noted-units.ts"
import { COMPANY_CHECK, PAYMENT_DECISION } from "./bench/purchases.ts"

const PRODUCTS = [COMPANY_CHECK, PAYMENT_DECISION]

function print(engine: string, product: string, noted: readonly NotedUnit[]): void {
  const [writing, reading] = [unitsThat(true, noted), unitsThat(false, noted)]
  console.log(
    `\n${engine}, ${product}: ${statementCount(writing)} statements in ${writing.length} writing units, ${statementCount(reading)} in ${reading.length} reading ones`,
  )
  for (const { kind, caller, statements } of noted) {
    console.log(`  ${kind} ${caller}: ${statements.length}`)
    for (const statement of statements) console.log(`    ${statement}`)
  }
}

const chain = await startChain()
for (const engine of ["sqlite", "postgres"] as const) {
  const purchases = await notedPurchases(engine, chain, PRODUCTS)
  for (const [at, { name }] of PRODUCTS.entries()) print(engine, name, purchases[at] ?? [])
}
await chain.stop()
process.exit(0)
