/** The statements of one purchase, noted in this process: the compiled program shows none. */
import { buyAnswer } from "../../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../test/fixtures/chain.ts"
import { newDatabaseOn } from "../../test/fixtures/test-database.ts"
import { enterBuyer, openTestServer, type TestServer } from "../../test/fixtures/test-server.ts"
import { type NotedUnit, notingStore } from "./noted-units.ts"
import type { BoughtProduct } from "./purchases.ts"

const BALANCE = 1_000_000_000n

/**
 * The units of one purchase of each product, in the order of `products`: both the call for a quote and the paid one. Without what a slow
 * purchase adds.
 */
export async function notedPurchases(
  engine: "sqlite" | "postgres",
  chain: Chain,
  products: readonly BoughtProduct[],
): Promise<readonly (readonly NotedUnit[])[]> {
  const database = await newDatabaseOn(engine)
  const noted: NotedUnit[] = []
  const server = await openTestServer(database, chain, { inPlaceOf: (own) => notingStore(own, noted) })
  try {
    await enterBuyer(server)
    await chain.mint(DEV_ACCOUNTS.payer.address, BALANCE)
    const purchases: NotedUnit[][] = []
    for (const product of products) {
      // The first purchase also prepares what later ones reuse.
      await buy(server, product)
      noted.length = 0
      await buy(server, product)
      purchases.push(noted.filter((unit, at) => !isAdded(unit, noted.slice(0, at))))
    }
    return purchases
  } finally {
    await server.close()
    await database.close()
  }
}

/** The renewal of a lease, and each poll of the chain after the first. */
function isAdded({ caller, statements }: NotedUnit, before: readonly NotedUnit[]): boolean {
  if (statements[0] === "attempt-leases.ts renew") return true
  return caller.startsWith("pursue.ts") && before.some((one) => one.caller === caller)
}

async function buy(server: TestServer, { path, body }: BoughtProduct): Promise<void> {
  const { status, text } = await buyAnswer(server, { path, body: body(DEV_ACCOUNTS.payer.address) })
  if (status !== 200) throw new Error(`not sold: ${text}`)
}

export interface SaleStatements {
  /** Of the row. */
  readonly name: string
  readonly bought: BoughtProduct
  /** Run by one sale, on SQLite. */
  readonly statements: number
}

/** For each row of purchases. */
export async function saleStatements(
  rows: readonly { readonly name: string; readonly bought: BoughtProduct | null }[],
): Promise<readonly SaleStatements[]> {
  const sold = rows.flatMap(({ name, bought }) => (bought === null ? [] : [{ name, bought }]))
  if (sold.length === 0) return []
  // The measured program and this process would take the same nonces of one chain's relayer.
  const chain = await startChain()
  try {
    const noted = await notedPurchases(
      "sqlite",
      chain,
      sold.map(({ bought }) => bought),
    )
    return sold.map((row, at) => ({ ...row, statements: statementCount(noted[at] ?? []) }))
  } finally {
    await chain.stop()
  }
}

/** Of the units that may write, or of the others. */
export function unitsThat(write: boolean, noted: readonly NotedUnit[]): readonly NotedUnit[] {
  return noted.filter(({ kind }) => (kind === "run" || kind === "runInPlace") === write)
}

export function statementCount(units: readonly NotedUnit[]): number {
  return units.reduce((sum, { statements }) => sum + statements.length, 0)
}
