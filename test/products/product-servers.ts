/**
 * Two servers, and a third that counts, on one database and one chain. They sell every paid product, and a test can break their sources.
 */
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { openRestClient } from "../../src/sources/publishers/uk-companies-house/rest-client.ts"
import type { Purchase } from "../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { type Counter, counted, countedSigner, switched } from "../fixtures/counted.ts"
import { GB_NAME, GB_NUMBER, gbSources } from "../fixtures/gb.ts"
import { leavesOf } from "../fixtures/log-leaves.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { prepareProducts } from "../fixtures/products.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import type { TestDatabase } from "../fixtures/test-database.ts"
import {
  enterBuyer,
  issuer,
  listedParty,
  NO_REGISTERS,
  openTestServer,
  staticBoard,
  type TestServer,
  type TestServerOptions,
} from "../fixtures/test-server.ts"
import { companiesHouse, json, profile } from "../sources/publishers/uk-companies-house/rest-test-client.ts"

const PRESENT_MS = 25_000
const PRESENT_EVERY_MS = 50

export type ProductServers = Awaited<ReturnType<typeof openProductServers>>

const healthy = {
  board: staticBoard([listedParty()]),
  registers: NO_REGISTERS,
  gb: gbSources(),
} satisfies Partial<TestServerOptions>

export async function openProductServers() {
  const chain = await startChain()
  const rpc = startRpcProxy(chain.url)
  const register = companiesHouse(json(profile({ company_number: GB_NUMBER, company_name: GB_NAME })))
  const database = await newDatabase()
  const servers: TestServer[] = []
  const close = async () => {
    for (const server of servers) await server.close()
    await register.stop()
    await rpc.stop()
    await chain.stop()
    await database.close()
  }
  let sources: typeof healthy = healthy
  const given = {
    board: switched(() => sources.board),
    registers: switched(() => sources.registers),
    gb: switched(() => sources.gb),
  }
  const counts = { sources: { n: 0 }, signatures: { n: 0 } } satisfies Record<string, Counter>
  let afterReserve: () => void | Promise<void> = () => undefined
  try {
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    const trace: TestServerOptions["trace"] = (step) => {
      return step === "reserved" ? afterReserve() : undefined
    }
    servers.push(await openTestServer(database, chain, { ...given, trace }))
    await enterBuyer(servers[0] as TestServer)
    await prepareProducts(servers[0] as TestServer)
    servers.push(await openTestServer(database, chain, given))
    servers.push(await openCounting(database, chain, servers[0] as TestServer, counts, rpc.url, register.url))
  } catch (error) {
    await close()
    throw error
  }
  const [first, second, third] = servers as [TestServer, TestServer, TestServer]
  const { count } = database
  const paid = () => chain.transfersTo(DEV_ACCOUNTS.payTo.address)
  return {
    chain,
    servers: [first, second] as const,
    /** Queries its node through its own proxy, and its sources through a counter. */
    counting: third,
    /** The queries and signatures of the counting server since it opened. */
    counts: () => ({ sources: counts.sources.n, signatures: counts.signatures.n, rpc: rpc.calls.length }),
    /** Transfers to the service, in order. */
    paid,
    /** All traces of a sale on the chain and in the database. */
    traces: async () => ({
      transfers: (await paid()).length,
      requests: await count("decision_request"),
      attempts: await count("payment_attempt"),
      transactions: await count("relayer_transaction"),
      deliveries: await count("delivery"),
      leaves: await leavesOf(database),
      holds: await count("authority_hold"),
      tokens: await count("authorization_token"),
    }),
    /** Runs with other sources on both selling servers. */
    async broken<T>(given: Partial<TestServerOptions>, run: () => Promise<T>): Promise<T> {
      sources = { ...healthy, ...given }
      try {
        return await run()
      } finally {
        sources = healthy
      }
    },
    /** The sources fail after the first server has passed every check and reserved a payment. They stay so until `broken` ends. */
    breakAfterReserve(given: Partial<TestServerOptions>): void {
      afterReserve = () => {
        sources = { ...healthy, ...given }
        afterReserve = () => undefined
      }
    },
    /** The first server pauses after its next reservation: `reserved` resolves there, and `goOn` continues. */
    holdAfterReserve() {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      afterReserve = () => {
        afterReserve = () => undefined
        reached.resolve()
        return released.promise
      }
      return { reserved: reached.promise, goOn: released.resolve }
    },
    close,
  }
}

/** All queries and signatures of this server go through a counter. Its register of companies is the live one. */
async function openCounting(
  database: TestDatabase,
  chain: Pick<Chain, "url">,
  { store }: Pick<TestServer, "store">,
  counts: { readonly sources: Counter; readonly signatures: Counter },
  rpcUrl: string,
  registerUrl: string,
): Promise<TestServer> {
  const requests = <T extends object>(thing: T) => counted(thing, counts.sources)
  const live = openRestClient({
    store,
    machine: realMachine,
    log: createLog("error", () => undefined, realMachine.now),
    service: { baseUrl: registerUrl, key: "secret-api-key", timeoutMs: 5_000 },
    requestsMax: 600,
  })
  const { gb } = healthy
  return openTestServer(database, chain, {
    board: requests(healthy.board),
    registers: requests(healthy.registers),
    gb: { ...gb, list: requests(gb.list), registers: requests(gb.registers), live: requests(live) },
    signer: countedSigner(issuer, counts.signatures),
    rpcUrl,
  })
}

/** Presents one payment until it is no longer in progress. */
export async function present(
  server: Pick<TestServer, "post">,
  { path, body, headers }: Purchase,
  payment: Record<string, string>,
): Promise<Response> {
  const until = Date.now() + PRESENT_MS
  for (;;) {
    const answer = await server.post(body, { ...headers, ...payment }, path)
    if (answer.status !== 202 || Date.now() > until) return answer
    await Bun.sleep(PRESENT_EVERY_MS)
  }
}
