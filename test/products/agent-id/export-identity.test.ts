import { afterAll, beforeAll, describe, expect } from "bun:test"
import { AgentExportBundle, EXPORT_BYTES_MAX, EXPORT_EVENTS_MAX } from "../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { writeVerifierKey } from "../../../src/core/checkpoint.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { verifierKeyOf } from "../../../src/core/sign-checkpoint.ts"
import { formatInstant, HOUR, SECOND } from "../../../src/core/time.ts"
import { compile } from "../../../src/http/read-body.ts"
import { verifyBundle } from "../../../src/offline/kinds/identity/verify-bundle.ts"
import { type ExportDeps, replyExport } from "../../../src/products/agent-id/export-identity.ts"
import { keptExports } from "../../../src/products/agent-id/kept-exports.ts"
import { routes } from "../../../src/server/app.ts"
import { readExport } from "../../../src/store/identity/agent-export.ts"
import { serviceIdentities } from "../../../src/store/identity/service-identities.ts"
import { enrolTestAgent, type TestAgent } from "../../fixtures/agent.ts"
import { BundleTestServer, SERVER_URL } from "../../fixtures/bundle-test-server.ts"
import { LONG } from "../../fixtures/long.ts"
import { routineRotation } from "../../fixtures/owned-identity.ts"
import { clockAt } from "../../fixtures/service.ts"
import { type ServiceOfRun, serviceOfRun } from "../../fixtures/service-of-run.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 2, 1, 12, 0, 7)
const clock = clockAt(START)
let opened: ServiceOfRun
let agent: TestAgent
let send: (request: Request) => Promise<Response>

beforeAll(async () => {
  opened = await serviceOfRun(clock)
  const app = routes(opened.service)
  send = (request) => app.handle(request)
  agent = await enrolTestAgent(send, opened.service.baseUrl)
})
afterAll(() => opened[Symbol.asyncDispose]())

const get = (path: string) => send(new Request(opened.service.baseUrl + path))
const exportOf = (agentId: string) => get(`/v1/agent-identities/${agentId}/export`)
const pinned = () => {
  const { logOrigin, keys } = opened.service
  return writeVerifierKey(sha256, verifierKeyOf(logOrigin, keys.logKey().x))
}

describe("GET /v1/agent-identities/{agentId}/export", () => {
  test("returns a file that verifies offline with the service's own log key", async () => {
    clock.set(START + HOUR)
    const answer = await exportOf(agent.agentId)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="${agent.agentId.replaceAll(":", "-")}.json"`,
    )
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    const text = await answer.text()
    const said = await verifyBundle(text, { logKey: pinned(), at: formatInstant(clock.now() + 9 * SECOND) })
    expect(said.steps.filter(({ outcome }) => outcome !== "VALID")).toEqual([])
    expect(said).toMatchObject({ result: "VALID", trust: "PINNED_LOG" })
    expect(said.identity).toMatchObject({ agent_id: agent.agentId, identity_status: "ACTIVE", sequence: 0 })
    const bundle = JSON.parse(text) as AgentExportBundle
    expect(compile(AgentExportBundle).Check(bundle)).toBe(true)
    expect(canonicalize(bundle)).toBe(text)
    expect(bundle.exported_at).toBe(formatInstant(clock.now()))
  })

  test("states that its status is of the export time, and where the current status is", async () => {
    const bundle = (await (await exportOf(agent.agentId)).json()) as AgentExportBundle
    const uri = `${opened.service.baseUrl}/v1/agent-identities/${agent.agentId}/status`
    expect(bundle.status_as_of).toEqual({
      as_of: bundle.status.payload.as_of,
      limitation: "STATUS_AS_OF_EXPORT",
      statement: "Later rotation or revocation is not visible in this bundle",
      online_status_uri: uri,
    })
    expect(bundle.status.payload.log).toEqual({
      origin: opened.service.logOrigin,
      tree_size: bundle.transparency.currency_proof.leaf_index + 1,
    })
    expect(bundle.limitations.length).toBe(7)
  })

  test("exports the service's own identities like any agent's", async () => {
    for (const { agentId } of await opened.service.store.read(serviceIdentities)) {
      const text = await (await exportOf(agentId)).text()
      const said = await verifyBundle(text, { logKey: pinned(), at: formatInstant(clock.now()) })
      expect(said.steps.filter(({ outcome }) => outcome !== "VALID")).toEqual([])
    }
  })

  test("is linked from the profile; unknown and malformed ids get the same 404", async () => {
    const profile = (await (await get(`/v1/agent-identities/${agent.agentId}`)).json()) as { links: { export: string } }
    expect((await send(new Request(profile.links.export))).status).toBe(200)
    for (const id of [`svc:agent:${"A".repeat(32)}`, "svc:agent:short", "svc%3Aagent"]) {
      const answer = await exportOf(id)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: "AGENT_NOT_FOUND" })
    }
    expect((await exportOf(agent.agentId.replaceAll(":", "%3A"))).status).toBe(200)
  })
})

test("a second export within the same window returns the same file; a new event of the agent or the service, or the next window, gives a new one", async () => {
  await using server = await BundleTestServer.open()
  const alice = await server.enrol("alice")
  server.clock.at = Math.ceil(server.clock.at / HOUR) * HOUR
  const agentId = alice.state?.agentId ?? ""
  const machine = clockAt(server.clock.at)
  const deps: ExportDeps = {
    ...{ store: server.store, machine, signer: () => server.signer(), logKey: () => server.logKey() },
    ...{ refreshKeys: async () => {}, logOrigin: server.origin, baseUrl: () => SERVER_URL, kept: keptExports() },
  }
  const call = { params: { agentId } } as unknown as Parameters<typeof replyExport>[1]
  const exported = async () => new TextDecoder().decode((await replyExport(deps, call)).body as Uint8Array)
  const first = await exported()
  machine.set(server.clock.at + 29 * SECOND)
  expect(await exported()).toBe(first)
  await server.accept(routineRotation(alice, server.clock.at))
  const rotated = await exported()
  expect((JSON.parse(rotated) as AgentExportBundle).key_event_log).toHaveLength(2)
  await server.changeKey("log", routineRotation)
  expect(await exported()).not.toBe(rotated)
  machine.set(server.clock.at + 30 * SECOND)
  const later = await exported()
  expect((JSON.parse(later) as AgentExportBundle).exported_at).toBe(formatInstant(machine.now()))
  expect(later).not.toBe(rotated)
})

test("a key that another process just rotated is read again, and the bundle verifies", async () => {
  await using server = await BundleTestServer.open()
  const alice = await server.enrol("alice")
  const [oldSigner, oldLogKey] = [server.signer(), server.logKey()]
  server.clock.at += HOUR
  await server.changeKey("statement", routineRotation)
  await server.changeKey("log", routineRotation)
  server.clock.at += HOUR
  let fresh = false
  const deps: ExportDeps = {
    store: server.store,
    machine: clockAt(server.clock.at),
    signer: () => (fresh ? server.signer() : oldSigner),
    logKey: () => (fresh ? server.logKey() : oldLogKey),
    refreshKeys: async () => {
      fresh = true
    },
    logOrigin: server.origin,
    baseUrl: () => SERVER_URL,
    kept: keptExports(),
  }
  const call = { params: { agentId: alice.state?.agentId ?? "" } } as unknown as Parameters<typeof replyExport>[1]
  const { body } = await replyExport(deps, call)
  const said = await verifyBundle(body as Uint8Array, {
    logKey: server.verifierKey(),
    at: formatInstant(server.clock.at),
  })
  expect([fresh, said.result]).toEqual([true, "VALID"])
})

test("a clock set back between acceptance and export never gives a bundle older than its own events", async () => {
  await using server = await BundleTestServer.open()
  const alice = await server.enrol("alice")
  const machine = clockAt(server.clock.at - HOUR)
  const deps: ExportDeps = {
    ...{ store: server.store, machine, signer: () => server.signer(), logKey: () => server.logKey() },
    ...{ refreshKeys: async () => {}, logOrigin: server.origin, baseUrl: () => SERVER_URL, kept: keptExports() },
  }
  const call = { params: { agentId: alice.state?.agentId ?? "" } } as unknown as Parameters<typeof replyExport>[1]
  const { body } = await replyExport(deps, call)
  const said = await verifyBundle(body as Uint8Array, {
    logKey: server.verifierKey(),
    at: formatInstant(server.clock.at),
  })
  expect(said.result).toBe("VALID")
})

describe("the limit of events in one bundle, including the service's own", () => {
  test("is one thousand; the bundle is made at the limit and refused above it", async () => {
    expect(EXPORT_EVENTS_MAX).toBe(1000)
    await using server = await BundleTestServer.open()
    const alice = await server.enrol("alice")
    const agentId = alice.state?.agentId ?? ""
    expect((await server.store.read(() => readExport(agentId, 3))).kind).toBe("FOUND")
    expect((await server.store.read(() => readExport(agentId, 2))).kind).toBe("TOO_LONG")
    expect((await server.store.read(() => readExport("svc:agent:nobody", 2))).kind).toBe("NOT_FOUND")
  })

  test.skipIf(!LONG)(
    "allows a history of 998 events with the service's two, within 4 MiB, which verifies; one more gets 409 (BIZAUTH_LONG=1)",
    async () => {
      await using server = await BundleTestServer.open()
      let alice = await server.enrol("alice")
      const rotate = async () => {
        server.clock.at += HOUR
        alice = await server.accept(routineRotation(alice, server.clock.at))
      }
      for (let sequence = 1; sequence < EXPORT_EVENTS_MAX - 2; sequence++) await rotate()
      const agentId = alice.state?.agentId ?? ""
      const text = await server.bundleText(agentId)
      expect(text.length).toBeLessThan(EXPORT_BYTES_MAX)
      const said = await verifyBundle(text, { logKey: server.verifierKey(), at: formatInstant(server.clock.at) })
      expect([said.result, said.identity?.sequence]).toEqual(["VALID", EXPORT_EVENTS_MAX - 3])
      await rotate()
      const deps: ExportDeps = {
        ...{ store: server.store, machine: clockAt(server.clock.at), signer: () => server.signer() },
        ...{
          logKey: () => server.logKey(),
          refreshKeys: async () => {},
          logOrigin: server.origin,
          baseUrl: () => SERVER_URL,
          kept: keptExports(),
        },
      }
      const call = { params: { agentId } } as unknown as Parameters<typeof replyExport>[1]
      expect(await replyExport(deps, call).catch((error: Error) => error)).toMatchObject({ code: "EXPORT_TOO_LONG" })
    },
    240_000,
  )
})
