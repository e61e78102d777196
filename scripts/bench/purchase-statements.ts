/** The units of one purchase of each of two products, with their statements. Both calls of it count: that for a quote, and the paid one. */
import { checkCompany } from "../../schemas/us/company-check.ts"
import { buyAnswer, usBody } from "../../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { newDatabaseOn } from "../../test/fixtures/test-database.ts"
import {
  enterBuyer,
  freshRequest,
  openTestServer,
  signedHeader,
  type TestServer,
} from "../../test/fixtures/test-server.ts"
import { type NotedUnit, notingStore } from "./noted-units.ts"

const PURCHASES = {
  "company check": async (server: TestServer) => {
    const { status, text } = await buyAnswer(server, { path: checkCompany.path, body: usBody() })
    if (status !== 200) throw new Error(`not sold: ${text}`)
  },
  "Payment Decision": async (server: TestServer) => {
    const request = freshRequest()
    const answer = await server.post(request, await signedHeader(server, request))
    if (answer.status !== 200) throw new Error(`not sold: ${await answer.text()}`)
  },
}

export type Purchased = keyof typeof PURCHASES

/** By product. Without what a slow purchase adds. */
export async function purchaseUnits(
  engine: "sqlite" | "postgres",
  chain: Chain,
): Promise<ReadonlyMap<Purchased, readonly NotedUnit[]>> {
  await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
  const database = await newDatabaseOn(engine)
  const noted: NotedUnit[] = []
  const server = await openTestServer(database, chain, { inPlaceOf: (own) => notingStore(own, noted) })
  try {
    await enterBuyer(server)
    const found = new Map<Purchased, readonly NotedUnit[]>()
    for (const product of Object.keys(PURCHASES) as Purchased[]) {
      // The first purchase also prepares what later ones reuse.
      await PURCHASES[product](server)
      noted.length = 0
      await PURCHASES[product](server)
      found.set(
        product,
        noted.filter((unit, at) => !isAdded(unit, noted.slice(0, at))),
      )
    }
    return found
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

/** Of the units that may write, or of the others. */
export function countStatements(noted: readonly NotedUnit[], isWriting: boolean) {
  const units = noted.filter(({ kind }) => (kind === "run" || kind === "runInPlace") === isWriting)
  return { units: units.length, statements: units.reduce((sum, { statements }) => sum + statements.length, 0) }
}
