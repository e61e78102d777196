/**
 * What planning never does, counted at each seam by a double: asks a publisher or a node, opens a socket, starts a process, reads a list
 * from the disk, or writes a row besides the use of a continuation. The service sells, with imported lists and every source switched on.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, spyOn } from "bun:test"
import { renameSync, writeFileSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { planningOperations, planningResults } from "../../../schemas/agent-mode/planning-operations.ts"
import { UNSERVED_INTENTS } from "../../../schemas/agent-mode/unserved-intents.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { intentsOf } from "../../../src/discovery/intents-of.ts"
import { compile } from "../../../src/http/read-body.ts"
import { routes } from "../../../src/server/app.ts"
import { openService } from "../../../src/server/open-service.ts"
import type { Service } from "../../../src/server/service.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { BASE_URL, defaults } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { intentBody, type Payload, type PlanningName } from "./planning-service.ts"

const test = slowTests(import.meta.path)

const NAMES = Object.keys(planningOperations) as PlanningName[]
const outside = { requests: 0, fetched: 0 }

let operator: ScreeningOperator
let listener: ReturnType<typeof Bun.serve>
let service: Service

beforeAll(async () => {
  operator = await openScreeningOperator([...REQUIRED_US_SOURCES, ...REQUIRED_GB_SOURCES])
  // The node and the publisher of the UK register: both only count.
  listener = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      outside.requests++
      return new Response("", { status: 500 })
    },
  })
  const secret = (name: string, text: string) => {
    const path = join(operator.data, "..", name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const url = `http://127.0.0.1:${listener.port}`
  const dataDirectory = await openDataDirectory(operator.data, {
    machine: realMachine,
    migrate: false,
    onFatal: (error) => {
      throw error
    },
  })
  service = await openService({
    dataDirectory,
    config: defaults({
      agent_mode_planning: "on",
      rate_limits: "off",
      sources_fetch: "on",
      payments: "test",
      rpc_url: url,
      pay_to: DEV_ACCOUNTS.payTo.address,
      relayer_key_file: secret("relayer.key", DEV_KEYS[1]),
      uk_companies_house_key_file: secret("register.key", "a-key-of-the-register"),
      uk_companies_house_url: url,
    }),
    baseUrl: BASE_URL,
    machine: realMachine,
    log: createLog("error", () => {}, realMachine.now),
    fetchSource: () => {
      outside.fetched++
      throw new Error("planning asked a publisher")
    },
  })
})
afterAll(async () => {
  await service.close()
  await listener.stop(true)
  operator[Symbol.dispose]()
})

/** Rows of every table. */
function rowCounts(): Record<string, number> {
  using database = new Database(dataPaths(operator.data).database, { readonly: true })
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  const count = (name: string) =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? -1
  return Object.fromEntries(tables.map(({ name }) => [name, count(name)]))
}

test("each planning route, for every intent: no source, no node, no socket, no process, no file, no row", async () => {
  const app = routes(service)
  const evaluated_at = formatInstant(realMachine.now())
  const intents = service.shell.served.rows().flatMap((row) => intentsOf(row).map(({ name }) => name))
  const ask = async (name: PlanningName, changes: Parameters<typeof intentBody>[0]) => {
    const freshness_requirements = { max_age_seconds: 604_800, evaluated_at }
    const response = await app.handle(
      new Request(BASE_URL + planningOperations[name].path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(intentBody({ freshness_requirements, ...changes })),
      }),
    )
    const told = (await response.json()) as { payload: Payload }
    expect([response.status, compile(planningResults[name]).Check(told)]).toEqual([200, true])
    return told.payload
  }
  const snapshots = dataPaths(operator.data).snapshots
  renameSync(snapshots, `${snapshots}-away`)
  const before = rowCounts()
  const spies = [
    spyOn(globalThis, "fetch"),
    spyOn(Bun, "connect"),
    spyOn(Bun, "spawn"),
    spyOn(Bun, "file"),
    spyOn(Socket.prototype, "connect"),
  ]
  const plans: Payload[] = []
  for (const name of NAMES) {
    for (const intent of [...intents, ...UNSERVED_INTENTS.keys()]) plans.push(await ask(name, { intent }))
  }
  const open = await ask("readiness", { input_digests: {} })
  const token = open.continuation?.token ?? ""
  plans.push(open, await ask("routes", { input_digests: {}, continuation: { token } }))

  expect(outside).toEqual({ requests: 0, fetched: 0 })
  expect(spies.map((spy) => [spy.getMockName(), spy.mock.calls.length])).toEqual(
    spies.map((spy) => [spy.getMockName(), 0]),
  )
  for (const spy of spies) spy.mockRestore()
  expect(rowCounts()).toEqual({ ...before, planning_continuation: 1, shared_use: (before["shared_use"] ?? 0) + 2 })
  renameSync(`${snapshots}-away`, snapshots)

  // Otherwise nothing of the sources, of payments and of the live register was planned.
  expect(plans.find(({ intent }) => intent === "CHECK_US_COMPANY")).toMatchObject({
    outcome: "SUPPORTED",
    source_health: { US_OFAC_SDN: { health: "HEALTHY" }, US_SAM_EXCLUSIONS: { health: "HEALTHY" } },
  })
  expect(plans.find(({ intent }) => intent === "AUTHORIZE_GB_BUSINESS_PAYMENT")?.["coverage"]).toMatchObject({
    limitations: ["LIVE_REGISTER_NOT_ASKED"],
  })
  for (const { effects } of plans) {
    expect(effects).toEqual({
      external_source_calls: 0,
      charged: false,
      decision_created: false,
      delivery_created: false,
      reservation_created: false,
    })
  }
}, 30_000)
