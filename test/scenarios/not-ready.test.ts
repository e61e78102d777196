/**
 * A server that cannot settle, store or verify what it sells quotes nothing, gives the same reason in `/readyz` and in the refusal, and
 * continues to serve reads and recovery.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { untilOpened } from "../../scripts/demo/until-opened.ts"
import { type Running, run, serve } from "../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { overriding } from "../fixtures/overriding.ts"
import { type RpcProxy, startRpcProxy } from "../fixtures/rpc-proxy.ts"
import {
  ask,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type Signed,
  type TestOperator,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

/** Longer than two readiness checks of a server. */
const MEASURED_MS = 25_000

let operator: TestOperator
let signed: Signed
let bought: { readonly signed: Signed; readonly header: Record<string, string>; readonly bytes: string }
const servers: Running[] = []
const proxies: RpcProxy[] = []

beforeAll(async () => {
  operator = await openTestOperator()
  const server = await operator.serve()
  const paid = await operator.sign()
  const header = await paymentFor(server.origin, paid)
  bought = { signed: paid, header, bytes: (await present(server.origin, paid, header)).bytes }
  signed = await operator.sign()
  await server.stop()
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  for (const proxy of proxies) await proxy.stop()
  await operator[Symbol.asyncDispose]()
})

function node(): RpcProxy {
  const proxy = startRpcProxy(operator.chain.url)
  proxies.push(proxy)
  return proxy
}

/** A server on a copy of the market's directory. `flags` replace those of the operator. */
async function serveCopy(name: string, flags: readonly string[], environment = "test") {
  const data = operator.path(name)
  cpSync(operator.data, data, { recursive: true })
  const database = new Database(join(data, "bizauth.db"))
  database.run("UPDATE meta SET value = ?1 WHERE name = 'environment'", [environment])
  database.close()
  const server = await serve(data, overriding(operator.selling, flags))
  servers.push(server)
  await untilOpened(server.origin)
  return { ...server, data }
}

/** The reasons that `/readyz` names; empty when it is 200. */
async function readyz(origin: string): Promise<readonly string[]> {
  const answer = await fetch(`${origin}/readyz`)
  const { reason_codes: reasons = [] } = (await answer.json()) as { reason_codes?: string[] }
  expect(answer.status).toBe(reasons.length === 0 ? 200 : 503)
  return reasons
}

/** The response to an unpaid request: `quoted`, or the reasons of the refusal. */
async function quote(origin: string): Promise<"quoted" | readonly string[]> {
  const answer = await ask(origin, signed.request)
  if (answer.status === 402) return "quoted"
  const problem = (await answer.json()) as { code: string; reason_codes: string[]; charged: boolean }
  expect([answer.status, problem.charged, answer.headers.get("payment-required")]).toEqual([503, false, null])
  return problem.reason_codes
}

/** Waits until `/readyz` names exactly these reasons. The refusal to quote must name the same. */
async function becomes(origin: string, reasons: readonly string[]): Promise<void> {
  const until = Date.now() + MEASURED_MS
  for (let found = await readyz(origin); String(found) !== String(reasons); found = await readyz(origin)) {
    if (Date.now() > until) expect(found).toEqual([...reasons])
    await Bun.sleep(250)
  }
  expect(await quote(origin)).toEqual(reasons.length === 0 ? "quoted" : [...reasons])
}

/** Requests that never depend on whether anything can be sold. */
async function servesReadsAndRecovery(origin: string): Promise<void> {
  expect((await fetch(`${origin}/.well-known/jwks.json`)).status).toBe(200)
  const repeated = await ask(origin, bought.signed.request, bought.header)
  expect([repeated.status, await repeated.text()]).toEqual([200, bought.bytes])
  expect((await operator.recover(origin, bought.signed)).exit).toBe(0)
}

describe("an unhealthy chain stops the sale:", () => {
  test.concurrent("a node that is unavailable at the start, then a node of another chain: no quote before it is the right one", async () => {
    const proxy = node()
    proxy.fault("*", { reject: true })
    const { origin } = await serveCopy("away", ["--rpc-url", proxy.url])
    await becomes(origin, ["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
    await servesReadsAndRecovery(origin)
    proxy.reset()
    proxy.fault("eth_chainId", { result: "0x1" })
    await becomes(origin, ["WRONG_CHAIN"])
    await servesReadsAndRecovery(origin)
    proxy.reset()
    await becomes(origin, [])
  })

  test.concurrent("a node that starts to answer nonsense", async () => {
    const proxy = node()
    const { origin } = await serveCopy("nonsense", ["--rpc-url", proxy.url])
    await becomes(origin, [])
    proxy.fault("eth_call", { result: "garbage" })
    await becomes(origin, ["CHAIN_UNAVAILABLE"])
  })

  test.concurrent("a second node that becomes unavailable", async () => {
    const [first, second] = [node(), node()]
    const { origin } = await serveCopy("second", ["--rpc-url", first.url, "--rpc-url-second", second.url])
    await becomes(origin, [])
    second.fault("*", { reject: true })
    await becomes(origin, ["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"])
    await servesReadsAndRecovery(origin)
  })

  test.concurrent("a hosted facilitator that does not respond", async () => {
    const flags = ["--settler", "http", "--facilitator-url", "http://127.0.0.1:1"]
    const { origin } = await serveCopy("hosted", flags)
    await becomes(origin, ["FACILITATOR_UNAVAILABLE"])
    await servesReadsAndRecovery(origin)
  })
})

describe("an unhealthy database stops the sale:", () => {
  test.concurrent("its file is replaced while the server runs", async () => {
    const { origin, data } = await serveCopy("replaced", [])
    await becomes(origin, [])
    const path = join(data, "bizauth.db")
    renameSync(path, `${path}.old`)
    cpSync(`${path}.old`, path)
    await becomes(origin, ["DATABASE_MOVED"])
  })

  test.concurrent("its write-ahead log is removed while the server runs", async () => {
    const { origin, data } = await serveCopy("unlogged", [])
    await becomes(origin, [])
    rmSync(join(data, "bizauth.db-wal"))
    await becomes(origin, ["DATABASE_MOVED"])
  })

  test.concurrent("its directory is renamed, until it is back", async () => {
    const { origin, data } = await serveCopy("renamed", [])
    await becomes(origin, [])
    renameSync(data, `${data}.old`)
    // It is the directory whose free disk space is checked, too.
    await becomes(origin, ["DATABASE_MOVED", "CHECK_FAILED_DISK"])
    renameSync(`${data}.old`, data)
    await becomes(origin, [])
  })
})

describe("live payments that rely on one host", () => {
  test.concurrent.each([
    ["no second node", (url: string) => ["--rpc-url", url]],
    ["two nodes of one host", (url: string) => ["--rpc-url", url, "--rpc-url-second", node().url]],
  ] as const)("%s: no quote until the operator accepts the host by name, which is then logged", async (...row) => {
    const [name, nodes] = row
    const flags = ["--payments", "live", ...nodes(node().url)]
    const refused = await serveCopy(`${name} refused`, flags, "live")
    await operator.chain.mine(1)
    await becomes(refused.origin, ["SINGLE_NODE"])
    await servesReadsAndRecovery(refused.origin)
    await refused.kill()
    const accepted = await serveCopy(`${name} accepted`, [...flags, "--single-node-accepted-by", "J. Doe"], "live")
    await operator.chain.mine(1)
    await becomes(accepted.origin, [])
    expect(accepted.err()).toContain('"event":"single_node","accepted_by":"J. Doe"')
  })
})

describe("payments open after the server listens:", () => {
  test("with a node that never responds, reads and repeats are served at once, and nothing is quoted", async () => {
    const silent = node()
    silent.fault("*", { delayMs: 20_000 })
    cpSync(operator.data, operator.path("silent"), { recursive: true })
    const began = performance.now()
    const server = await serve(operator.path("silent"), overriding(operator.selling, ["--rpc-url", silent.url]))
    servers.push(server)
    await servesReadsAndRecovery(server.origin)
    // The two queries to the node at the start time out after four seconds each.
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(await quote(server.origin)).toEqual(["PAYMENTS_OPENING"])
  })

  test.each([
    ["a payee that is the relayer", ["--pay-to", DEV_ACCOUNTS.relayer.address], "relayer's own address"],
    ["no payee", ["--pay-to", ""], "pay_to is needed"],
    ["a key file that is missing", ["--relayer-key-file", "/nonexistent/relayer.key"], "relayer_key_file"],
    ["a node over the open network", ["--rpc-url", "http://192.0.2.1"], "https"],
  ])("%s is rejected by serve and by config check, without a network query", async (_, flags, said) => {
    const words = ["--data", operator.data, "--listen", "127.0.0.1:0", ...overriding(operator.selling, flags)]
    const checked = await run(["config", "check", ...words])
    const served = await run(["serve", ...words])
    for (const { exit, err } of [checked, served]) {
      expect(exit).toBe(6)
      expect(err).toContain(said)
    }
  })
})
