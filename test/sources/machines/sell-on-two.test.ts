/** Two services on one database sell on a real chain, each from the lists that it holds. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SECOND } from "../../../src/core/time.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { buyAnswer, signedFor, usBody } from "../../fixtures/answers.ts"
import { DEV_ACCOUNTS, startChain } from "../../fixtures/chain.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openTestServer } from "../../fixtures/test-server.ts"
import { type BenchMachine, type SharedBench, sharedBench } from "./shared-bench.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(120_000)

const PATH = "/v1/us/company-check"
const SDN = "US_OFAC_SDN"
const SKEW_MS = 10 * SECOND

async function importAll(machine: BenchMachine, bench: SharedBench) {
  for (const id of REQUIRED_US_SOURCES) expect((await machine.import(id, bench.files(id))).imported).toBe(true)
}

describe.skipIf(!HAS_POSTGRES)(`two services on one database${NOT_RUN}`, () => {
  test("each sells from the lists that it holds; one that cannot take the active list stops after the skew, without a charge", async () => {
    await using bench = await sharedBench({ start: Date.now(), skewMs: SKEW_MS })
    const chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 100_000_000n)
    const transfers = async () => (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
    const machines = [await bench.machine("one"), await bench.machine("other")] as const
    await importAll(machines[0], bench)
    const boards = [await machines[0].board(), await machines[1].board()] as const
    const held = boards.map(() => new Set<string>())
    const note = () => {
      for (const [at, { board }] of boards.entries())
        for (const id of Object.values(board.index().snapshotIds)) held[at]?.add(id)
    }
    const open = (at: 0 | 1) => openTestServer(bench.database, chain, { machine: bench.clock, board: boards[at].board })
    const servers = [await open(0), await open(1)] as const
    const earlier = new Set<string>()
    /** Buys from a service, and requires that it holds all snapshots that its records name. Returns them. */
    const buy = async (at: 0 | 1, purchase = { path: PATH, body: usBody() }, payment?: Record<string, string>) => {
      note()
      const bought = await buyAnswer(servers[at], purchase, payment)
      expect([bought.status, bought.answer.decision]).toEqual([200, "APPROVE"])
      const rows = await bench.database.rows<{ request: string; id: string }>(
        "SELECT request_id AS request, snapshot_id AS id FROM delivery_snapshot",
      )
      const named = rows.filter(({ request }) => !earlier.has(request))
      for (const { request } of named) earlier.add(request)
      expect(named).toHaveLength(REQUIRED_US_SOURCES.length)
      for (const { id } of named) expect(held[at]).toContain(id)
      return named.map(({ id }) => id).sort()
    }
    try {
      expect(await buy(0)).toEqual(await buy(1))
      const blocked = join(machines[1].root, ".received")
      rmSync(blocked, { recursive: true })
      writeFileSync(blocked, "")
      bench.clock.set(bench.clock.now() + SECOND)
      const { snapshotId } = await machines[0].import(SDN, bench.files(SDN))
      await Promise.all(boards.map(({ poll }) => poll()))
      expect([(await buy(0)).includes(snapshotId ?? ""), (await buy(1)).includes(snapshotId ?? "")]).toEqual([
        true,
        false,
      ])
      const purchase = { path: PATH, body: usBody() }
      const payment = await signedFor(servers[1], purchase)
      bench.clock.set(bench.clock.now() + SKEW_MS + 1)
      const before = await transfers()
      // Without a payment, and with one for a quote from before.
      for (const [body, headers] of [[usBody(), {}] as const, [purchase.body, payment] as const]) {
        const refused = await servers[1].post(body, headers, PATH)
        expect(refused.headers.get("payment-required")).toBeNull()
        expect(await refused.json()).toMatchObject({
          ...{ decision: "RETRY", reason_codes: ["SOURCE_UNAVAILABLE"], evidence: [] },
          source_health: { [SDN]: "UNAVAILABLE", US_TRADE_CSL: "HEALTHY" },
          economic_activity: { charged: false, quote_created: false, settlement_created: false },
        })
      }
      const [state] = boards[1].board.states(bench.clock.now()).filter(({ sourceId }) => sourceId === SDN)
      expect(state?.reasonCodes).toEqual(["SOURCE_UNAVAILABLE", "SNAPSHOT_BEHIND"])
      expect(await transfers()).toBe(before)
      expect((await buy(0)).includes(snapshotId ?? "")).toBe(true)
      // The same payment buys the answer as soon as the list is there.
      rmSync(blocked)
      for (let round = 0; round < 8; round++) await boards[1].poll()
      expect((await buy(1, purchase, payment)).includes(snapshotId ?? "")).toBe(true)
    } finally {
      for (const server of servers) await server.close()
      await chain.stop()
    }
  })
})
