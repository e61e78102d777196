/**
 * Prints the statements that one purchase runs, by unit, on both engines: `bun scripts/statements.ts`. Each statement of a unit is a round trip
 * on PostgreSQL, so their number decides how many purchases it sells.
 */
import { startChain } from "../test/fixtures/chain.ts"
import type { NotedUnit } from "./bench/noted-units.ts"
import { countStatements, purchaseUnits } from "./bench/purchase-statements.ts"

function print(engine: string, product: string, noted: readonly NotedUnit[]): void {
  const [writing, reading] = [countStatements(noted, true), countStatements(noted, false)]
  console.log(
    `\n${engine}, ${product}: ${writing.statements} statements in ${writing.units} writing units, ${reading.statements} in ${reading.units} reading ones`,
  )
  for (const { kind, caller, statements } of noted) {
    console.log(`  ${kind} ${caller}: ${statements.length}`)
    for (const statement of statements) console.log(`    ${statement}`)
  }
}

const chain = await startChain()
for (const engine of ["sqlite", "postgres"] as const) {
  for (const [product, noted] of await purchaseUnits(engine, chain)) print(engine, product, noted)
}
await chain.stop()
process.exit(0)
