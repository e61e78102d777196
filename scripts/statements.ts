/**
 * Prints the statements that one purchase runs, by unit, on both engines: `bun scripts/statements.ts`. Each statement of a unit is a round trip
 * on PostgreSQL, so their number decides how many purchases it sells.
 */
import type { Database } from "bun:sqlite"
import { join } from "node:path"
import { SQL } from "bun"
import { checkCompany } from "../schemas/us/company-check.ts"
import { PostgresStore } from "../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../src/store/engine/postgres/target-text.ts"
import type { Store } from "../src/store/engine/unit.ts"
import { buyAnswer, usBody } from "../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../test/fixtures/chain.ts"
import { freshDirectory } from "../test/fixtures/directories.ts"
import { onPostgres } from "../test/fixtures/postgres-schema.ts"
import {
  enterBuyer,
  freshRequest,
  openTestServer,
  signedHeader,
  type TestServer,
} from "../test/fixtures/test-server.ts"
import { type NotedUnit, notingStore } from "./bench/noted-units.ts"

const WRITES: ReadonlySet<NotedUnit["kind"]> = new Set(["run", "runInPlace"])

/** `enter` completes what the fixtures enter into SQLite itself. */
async function report(engine: string, chain: Chain, storeOf: (own: Store) => Store, enter: (own: Database) => unknown) {
  const directory = freshDirectory()
  const noted: NotedUnit[] = []
  const server = await openTestServer(join(directory.path, "sold.db"), chain, {
    inPlaceOf: (own) => notingStore(storeOf(own), noted),
  })
  try {
    await enterBuyer(server)
    await enter(server.database)
    for (const [product, buy] of Object.entries(PURCHASES)) {
      // The first purchase also prepares what later ones reuse.
      await buy(server)
      noted.length = 0
      await buy(server)
      print(engine, product, noted)
    }
  } finally {
    await server.close()
    directory[Symbol.dispose]()
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

/** The agent, whom the fixtures enter without a unit. */
async function copyAgent(from: Database, to: SQL): Promise<void> {
  for (const table of ["agent", "agent_key", "agent_event"]) {
    for (const row of from.query<Record<string, unknown>, []>(`SELECT * FROM ${table}`).all()) {
      await to`INSERT INTO ${to(table)} ${to(row)}`
    }
  }
}

const chain = await startChain()
await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
await report(
  "SQLite",
  chain,
  (own) => own,
  () => {},
)
await onPostgres(async ({ url }) => {
  const sql = new SQL(url, { max: 1 })
  await report(
    "PostgreSQL",
    chain,
    () => new PostgresStore(readTarget(url)),
    (own) => copyAgent(own, sql),
  )
  await sql.close()
})
await chain.stop()
process.exit(0)
