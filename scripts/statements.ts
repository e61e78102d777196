/**
 * Prints the statements that one purchase runs, by unit, on both engines: `bun scripts/statements.ts`. Each statement of a unit is a round trip
 * on PostgreSQL, so their number decides how many purchases it sells.
 */
import { checkCompany } from "../schemas/us/company-check.ts"
import { buyAnswer, usBody } from "../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../test/fixtures/chain.ts"
import { newDatabaseOn } from "../test/fixtures/test-database.ts"
import {
  enterBuyer,
  freshRequest,
  openTestServer,
  signedHeader,
  type TestServer,
} from "../test/fixtures/test-server.ts"
import { type NotedUnit, notingStore } from "./bench/noted-units.ts"

const WRITES: ReadonlySet<NotedUnit["kind"]> = new Set(["run", "runInPlace"])

async function report(engine: "sqlite" | "postgres", chain: Chain) {
  const database = await newDatabaseOn(engine)
  const noted: NotedUnit[] = []
  const server = await openTestServer(database, chain, { inPlaceOf: (own) => notingStore(own, noted) })
  try {
    await enterBuyer(server)
    for (const [product, buy] of Object.entries(PURCHASES)) {
      // The first purchase also prepares what later ones reuse.
      await buy(server)
      noted.length = 0
      await buy(server)
      print(engine, product, noted)
    }
  } finally {
    await server.close()
    await database.close()
  }
}

const PURCHASES: Readonly<Record<string, (server: TestServer) => Promise<void>>> = {
  "company check": async (server) => {
    const { status, text } = await buyAnswer(server, { path: checkCompany.path, body: usBody() })
    if (status !== 200) throw new Error(`not sold: ${text}`)
  },
  "Payment Decision": async (server) => {
    const request = freshRequest()
    const answer = await server.post(request, await signedHeader(server, request))
    if (answer.status !== 200) throw new Error(`not sold: ${await answer.text()}`)
  },
}

function print(engine: string, product: string, noted: readonly NotedUnit[]): void {
  const count = (units: readonly NotedUnit[]) => units.reduce((sum, { statements }) => sum + statements.length, 0)
  const writing = noted.filter(({ kind }) => WRITES.has(kind))
  const reading = noted.filter(({ kind }) => !WRITES.has(kind))
  console.log(
    `\n${engine}, ${product}: ${count(writing)} statements in ${writing.length} writing units, ${count(reading)} in ${reading.length} reading ones`,
  )
  for (const { kind, caller, statements } of noted) {
    console.log(`  ${kind} ${caller}: ${statements.length}`)
    for (const statement of statements) console.log(`    ${statement}`)
  }
}

const chain = await startChain()
await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
for (const engine of ["sqlite", "postgres"] as const) await report(engine, chain)
await chain.stop()
process.exit(0)
