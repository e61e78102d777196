/**
 * What one purchase asks the node and adds to the database. It is counted apart from the rows, because the proxy that counts would slow them: the
 * program starts again on the data of the measured system, with the proxy in place of the node.
 */
import { Database } from "bun:sqlite"
import { join } from "node:path"
import { dataPaths } from "../../src/data/data-paths.ts"
import { overriding } from "../../test/fixtures/overriding.ts"
import { until } from "../../test/fixtures/until.ts"
import { untilOpened } from "../demo/until-opened.ts"
import { type CountingProxy, type NodeUse, startCountingProxy } from "./counting-proxy.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { startServer } from "./processes.ts"
import { type BoughtProduct, type Payers, purchases } from "./purchases.ts"

export interface PurchaseCosts {
  /** For a sale of {@link AT_ONCE} by all wallets at once. */
  readonly atOnce: NodeUse
  /** For a sale of {@link SINGLE} by one wallet. */
  readonly single: NodeUse
  /** Bytes of the database for a sale: pages that it took and that are not free, when each payment is final. */
  readonly bytes: number
}

/** The first sales load code and keep answers of the node for later ones. */
const FIRST = 16
const AT_ONCE = 160
const SINGLE = 16

/** The system's own server must have ended. */
export async function measurePurchaseCosts(
  { binary, data, flags, payers }: MeasuredSystem,
  product: BoughtProduct,
): Promise<PurchaseCosts> {
  const proxy = startCountingProxy(payers.chain.url)
  const command = [binary, "serve", "--data", data, ...overriding(flags, ["--rpc-url", proxy.url])]
  const server = await startServer(command, join(data, "..", "counted.log"))
  const database = new Database(dataPaths(data).database, { readonly: true })
  try {
    await untilOpened(server.origin)
    const sell = (by: Payers, count: number) => used(proxy, count, () => purchases(by, product, count)(server.origin))
    await sell(payers, FIRST)
    await untilFinal(database, payers)
    const before = usedBytes(database)
    const atOnce = await sell(payers, AT_ONCE)
    const single = await sell({ ...payers, wallets: payers.wallets.slice(0, 1) }, SINGLE)
    await untilFinal(database, payers)
    return { atOnce, single, bytes: (usedBytes(database) - before) / (AT_ONCE + SINGLE) }
  } finally {
    database.close()
    await server.stop()
    await proxy.stop()
  }
}

async function used(proxy: CountingProxy, sales: number, work: () => Promise<unknown>): Promise<NodeUse> {
  const before = proxy.used()
  await work()
  const after = proxy.used()
  return { posts: (after.posts - before.posts) / sales, questions: (after.questions - before.questions) / sales }
}

const FINAL_MS = 60_000
const POLL_MS = 250

/** Until the server has seen each payment in a safe block. */
async function untilFinal(database: Database, { chain }: Payers): Promise<void> {
  // The chain counts a block as safe when another one follows it.
  await chain.mine(2)
  const waiting = database.query("SELECT 1 FROM payment_attempt WHERE look_at IS NOT NULL LIMIT 1")
  await until("each payment is final", () => waiting.get() === null, { everyMs: POLL_MS, withinMs: FINAL_MS })
}

/** Bytes of the pages that hold rows, also of those that are only in the write-ahead log. */
export function usedBytes(database: Database): number {
  const [pages, free, size] = ["page_count", "freelist_count", "page_size"].map((name) =>
    Number(Object.values(database.query<Record<string, number>, []>(`PRAGMA ${name}`).get() ?? {})[0]),
  )
  return ((pages ?? Number.NaN) - (free ?? Number.NaN)) * (size ?? Number.NaN)
}
