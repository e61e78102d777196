/** An asynchronous standby that lacks the last sales and is promoted: every instance stops selling and says why. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { realMachine } from "../../../../src/base/machine.ts"
import { OwnInstance } from "../../../../src/data/own-instance.ts"
import { ownStateChecks } from "../../../../src/data/own-state-checks.ts"
import { createDatabase, openEngine } from "../../../../src/store/engine/open-engine.ts"
import { readTreeHead } from "../../../../src/store/log/transparency-log.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../../fixtures/chain.ts"
import { HAS_POSTGRES, NOT_RUN, type PostgresServer, startPostgres, startStandby } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { databaseAt } from "../../../fixtures/test-database.ts"
import {
  enterBuyer,
  freshRequest,
  openTestServer,
  signedHeader,
  type TestServer,
} from "../../../fixtures/test-server.ts"
import { until } from "../../../fixtures/until.ts"
import { rowsOf } from "./server-rows.ts"

const test = slowTests(import.meta.path)

describe.skipIf(!HAS_POSTGRES)(`an asynchronous standby${NOT_RUN}`, () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let chain: Chain
  const servers: TestServer[] = []
  let end = async () => {}
  beforeAll(async () => {
    primary = await startPostgres(["synchronous_commit=on"])
    standby = await startStandby(primary)
    chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    await rowsOf(primary, "CREATE DATABASE shop TEMPLATE template0")
    const url = `postgres://postgres@${[primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",")}/shop`
    const place = { kind: "SERVER", url: () => url } as const
    await (await createDatabase(place, "2026-01-01T00:00:00.000Z")).store.close()
    const open = async () => {
      const engine = await openEngine(place, { onFatal: () => {} })
      return { engine, store: engine.store }
    }
    const beside = databaseAt(primary.url.replace(/postgres$/, "shop"))
    end = () => beside.close()
    for (let n = 0; n < 2; n++) servers.push(await openTestServer({ ...beside, open }, chain))
  }, 60_000)
  afterAll(async () => {
    for (const server of servers) await server.close()
    await end()
    await chain.stop()
    await standby.stop()
    await primary.stop()
  }, 60_000)

  const buy = async (server: TestServer) => {
    const request = freshRequest()
    return server.post(request, await signedHeader(server, request))
  }
  const paid = async () => (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
  const told = (server: TestServer) => server.lines.filter(({ event }) => event === "log_shorter")

  test("that lacks the last second and is promoted: both instances refuse paid calls, nobody is charged, and both say why", async () => {
    const [first, second] = servers as [TestServer, TestServer]
    await enterBuyer(first)
    for (const server of servers) expect((await buy(server)).status).toBe(200)
    const size = async (server: PostgresServer) =>
      Number((await rowsOf(server, "SELECT tree_size FROM log_head", "shop"))[0]?.["tree_size"])
    await until("both sales have their leaf, on both servers", async () => {
      const sizes = [await size(primary), await size(standby)]
      return sizes[0] === sizes[1] && Number(sizes[0]) >= 2
    })
    const held = freshRequest()
    const header = await signedHeader(second, held)
    // From here on nothing reaches the standby.
    const [sender] = await rowsOf(primary, "SELECT pid FROM pg_stat_replication")
    process.kill(Number(sender?.["pid"]), "SIGSTOP")
    const before = await size(primary)
    expect((await buy(first)).status).toBe(200)
    await until("the last sale has its leaf", async () => (await size(primary)) > before)
    const sold = await paid()
    process.kill(primary.pid, "SIGKILL")
    process.kill(Number(sender?.["pid"]), "SIGKILL")
    await rowsOf(standby, "SELECT pg_promote()")
    const begun = performance.now()
    await until("both say why", () => servers.every((server) => told(server).length > 0), { withinMs: 30_000 })
    if (process.env["BIZAUTH_SHOW"]) console.log({ stoppedMs: performance.now() - begun })
    expect(await size(standby)).toBe(before)
    for (const server of servers) {
      const refused = await server.post(held, header)
      const problem = (await refused.json()) as Record<string, unknown>
      expect([refused.status, problem]).toEqual([
        503,
        expect.objectContaining({ charged: false, reason_codes: ["DATABASE_LOG_SHORTER"] }),
      ])
      const checks = ownStateChecks({
        engine: server.engine,
        keys: { state: () => "READY", missing: () => [] },
        hmacKeys: { quoteKey: new Uint8Array(32), tokenKey: new Uint8Array(32) },
        instance: new OwnInstance({ engine: server.engine, machine: realMachine }),
        log: server.deps.log,
      })
      const reasons = (await Promise.all(checks.map((check) => check.reasons()))).flat()
      expect(reasons.map(({ code }) => code)).toEqual(["DATABASE_LOG_SHORTER"])
      expect(told(server)).toEqual([expect.objectContaining({ seen: before + 1, found: before })])
      await expect(server.store.read(readTreeHead)).rejects.toMatchObject({ reason: "LOG_SHORTER" })
    }
    expect(await paid()).toBe(sold)
  }, 120_000)
})
