/** Two servers and a third that counts, on one database and one chain, selling every paid product; their sources can be broken. */
import { join } from "node:path"
import type { Purchase } from "../fixtures/answers.ts"
import { DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { type Counter, counted, countedSigner } from "../fixtures/counted.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import {
  enterBuyer,
  type House,
  type HouseOptions,
  issuer,
  listedParty,
  NO_REGISTERS,
  openHouse,
  staticBoard,
} from "../fixtures/selling-house.ts"

const PRESENT_MS = 10_000
const PRESENT_EVERY_MS = 50

export type Desk = Awaited<ReturnType<typeof openDesk>>

const healthy = { board: staticBoard([listedParty()]), registers: NO_REGISTERS } satisfies Partial<HouseOptions>

export async function openDesk() {
  const directory = freshDirectory()
  const chain = await startChain()
  const rpc = startRpcProxy(chain.url)
  const path = join(directory.path, "nine.db")
  const houses: House[] = []
  const close = async () => {
    for (const house of houses) await house.close()
    await rpc.stop()
    await chain.stop()
    directory[Symbol.dispose]()
  }
  let sources = healthy
  const switched: typeof healthy = {
    board: { index: () => sources.board.index(), states: (at) => sources.board.states(at) },
    registers: { states: (at) => sources.registers.states(at), find: (...asked) => sources.registers.find(...asked) },
  }
  const counts = { sources: { n: 0 }, signatures: { n: 0 } } satisfies Record<string, Counter>
  let afterReserve: () => void = () => undefined
  try {
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    const trace: HouseOptions["trace"] = (step) => {
      if (step === "reserved") afterReserve()
    }
    houses.push(await openHouse(path, chain, { ...switched, trace }))
    await enterBuyer(houses[0] as House)
    houses.push(await openHouse(path, chain, { ...switched }))
    houses.push(
      await openHouse(path, chain, {
        board: counted(healthy.board, counts.sources),
        registers: counted(healthy.registers, counts.sources),
        signer: countedSigner(issuer, counts.signatures),
        rpcUrl: rpc.url,
      }),
    )
  } catch (error) {
    await close()
    throw error
  }
  const [first, second, third] = houses as [House, House, House]
  const count = (table: string) => (first.database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
  return {
    chain,
    houses: [first, second] as const,
    /** Asks its node through a proxy of its own and its sources through a counter. */
    counting: third,
    /** What the counting house asked and signed since it opened. */
    counts: () => ({ sources: counts.sources.n, signatures: counts.signatures.n, rpc: rpc.calls.length }),
    /** Everything that a sale leaves behind, on the chain and in the database. */
    traces: async () => ({
      transfers: (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length,
      requests: count("decision_request"),
      attempts: count("payment_attempt"),
      transactions: count("relayer_transaction"),
      deliveries: count("delivery"),
      leaves: count("log_leaf"),
      holds: count("authority_hold"),
      tokens: count("authorization_token"),
    }),
    /** Runs with other sources, on both selling houses. */
    async broken<T>(given: Partial<HouseOptions>, run: () => Promise<T>): Promise<T> {
      sources = { ...healthy, ...given }
      try {
        return await run()
      } finally {
        sources = healthy
      }
    },
    /** The sources break when the first house has reserved a payment, after every check before it; they stay so until `broken` ends. */
    breakAfterReserve(given: Partial<HouseOptions>): void {
      afterReserve = () => {
        sources = { ...healthy, ...given }
        afterReserve = () => undefined
      }
    },
    close,
  }
}

/** Presents one payment until it is no longer said to be under way. */
export async function present(
  house: Pick<House, "post">,
  { path, body, headers }: Purchase,
  payment: Record<string, string>,
): Promise<Response> {
  const until = Date.now() + PRESENT_MS
  for (;;) {
    const answer = await house.post(body, { ...headers, ...payment }, path)
    if (answer.status !== 202 || Date.now() > until) return answer
    await Bun.sleep(PRESENT_EVERY_MS)
  }
}
