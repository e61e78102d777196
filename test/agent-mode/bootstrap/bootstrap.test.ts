import { afterAll, beforeAll, expect } from "bun:test"
import {
  type AgentBootstrapRequest,
  type AgentBootstrapResponse,
  agentBootstrap,
  CAPABILITIES,
} from "../../../schemas/agent-mode/bootstrap.ts"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { compile } from "../../../src/http/read-body.ts"
import { publicSandboxKey } from "../../../src/keys/sandbox-key.ts"
import { agentIdBootstrap } from "../../../src/products/agent-id/descriptor.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { type AgentService, agentService, type Told } from "../agent-service.ts"
import { countEffects, NO_EFFECT_COUNTED } from "../effects.ts"

const test = slowTests(import.meta.path)

const STRANGER = `svc:agent:${"A".repeat(32)}`

let service: AgentService
let serial = 0
beforeAll(async () => {
  service = await agentService({ agent_mode_planning: "on", intent_beacon: "on" })
})
afterAll(() => service[Symbol.asyncDispose]())

function wish(changes: Partial<AgentBootstrapRequest> = {}): AgentBootstrapRequest {
  return {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    environment: "LIVE",
    agent_id: null,
    requested_capabilities: ["AGENT_IDENTITY"],
    idempotency_key: `bootstrap-${++serial}`,
    ...changes,
  }
}

async function ask(body: object, headers: Record<string, string> = {}, on = service): Promise<Told> {
  const request = new Request(BASE_URL + agentBootstrap.path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
  const told = await on.told(await on.send(request))
  const schema = agentBootstrap.responses[200]?.schema
  if (told.status === 200 && schema) expect(compile(schema).Errors(told.body).First()).toBeUndefined()
  return told
}

const answerTo = async (changes: Partial<AgentBootstrapRequest>, on = service) =>
  (await ask(wish(changes), {}, on)).body as unknown as AgentBootstrapResponse
const idsOf = ({ steps }: AgentBootstrapResponse) => steps.map(({ operation_id }) => operation_id)
const PLANNING_IDS = Object.values(planningOperations).map(({ id }) => id)
const PRODUCT_ROWS = () => service.service.shell.served.rows().filter(({ product }) => product !== undefined)

test("an agent without identity gets the two calls of its enrolment first; an ACTIVE one does not", async () => {
  const nobody = await answerTo({})
  expect(nobody.agent).toEqual({ agent_id: null, identity_status: "NOT_STATED" })
  expect(idsOf(nobody)).toEqual([
    "IssueAgentIdentityChallenge",
    "ProveAgentIdentityChallenge",
    "GetAgentIdentityStatus",
    "ExportAgentIdentity",
  ])
  const unknown = await answerTo({ agent_id: STRANGER })
  expect(unknown.agent).toEqual({ agent_id: STRANGER, identity_status: "UNKNOWN" })
  expect(idsOf(unknown)).toEqual(idsOf(nobody))

  const { agentId } = await service.enrol()
  const known = await answerTo({ agent_id: agentId })
  expect(known.agent).toEqual({ agent_id: agentId, identity_status: "ACTIVE" })
  expect(idsOf(known)).toEqual(["GetAgentIdentityStatus", "ExportAgentIdentity"])
  expect(known.next_machine_action).toBe("CALL_STEPS_IN_ORDER")
})

test("steps are rows of the operation table: every capability, each row as it is served", async () => {
  const { steps } = await answerTo({ requested_capabilities: [...CAPABILITIES] })
  const rows = new Map(service.service.shell.served.rows().map((row) => [row.id, row]))
  for (const { operation_id, method, uri, authentication } of steps) {
    const row = rows.get(operation_id)
    expect({ method, uri, authentication }).toEqual({
      method: row?.method as "POST",
      uri: `${BASE_URL}${row?.path}`,
      authentication: row?.authentication as string,
    })
  }
  expect(steps.map(({ order }) => order)).toEqual(steps.map((_, index) => index + 1))
  expect(PLANNING_IDS.every((id) => steps.some(({ operation_id }) => operation_id === id))).toBe(true)
})

test("what the operator has switched off is no step, and the answer names the capability", async () => {
  await using off = await agentService({ sandbox: "off", sales: "off", challenge_issuance: "off" })
  const { steps, limitations, planning, sandbox } = await answerTo({ requested_capabilities: [...CAPABILITIES] }, off)
  const ids = new Set(steps.map(({ operation_id }) => operation_id))
  for (const id of [...PLANNING_IDS, ...PRODUCT_ROWS().map((row) => row.id), "accept_intent_beacon_event"]) {
    expect(ids).not.toContain(id)
  }
  for (const id of ["IssueAgentIdentityChallenge", "hold_agent_dialogue", "run_synthetic_journey"]) {
    expect(ids).not.toContain(id)
  }
  const named = limitations.filter((word) => word.endsWith("_NOT_AVAILABLE_NOW"))
  const without = CAPABILITIES.filter((capability) => capability !== "OFFLINE_VERIFICATION")
  expect(named).toEqual(without.map((capability) => `${capability}_NOT_AVAILABLE_NOW`))
  expect(planning).toEqual({ enabled: false, flag: "agent_mode_planning" })
  expect(sandbox.enabled).toBe(false)
  expect(sandbox.journeys).toEqual([])

  const nothing = await answerTo({ requested_capabilities: ["PLANNING"] }, off)
  expect(nothing.steps).toEqual([])
  expect(nothing.next_machine_action).toBe("STOP_AND_SEEK_ALTERNATIVE")
})

test("identity, documents, sandbox key and limits are those of the service", async () => {
  const told = await answerTo({ requested_capabilities: ["PLANNING", "OFFLINE_VERIFICATION"] })
  const { enrollment } = agentIdBootstrap({ baseUrl: BASE_URL, issuerName: service.service.config.issuer_name })
  expect(told.identity).toEqual({ enrollment })
  expect(told.sandbox.key).toEqual(await publicSandboxKey(service.service.store))
  expect(told.planning).toEqual({ enabled: true, flag: "agent_mode_planning" })
  expect(told.limits).toMatchObject({ body_bytes: 65_536, wallet_import_body_bytes: 1_048_576 })
  expect(Object.keys(told.limits).some((name) => name.endsWith("_per_minute"))).toBe(false)
  expect(told.discovery.documents).toContainEqual({
    uri: `${BASE_URL}/.well-known/svc-capabilities.json`,
    media_type: "application/json",
  })
  for (const { uri } of told.discovery.documents) {
    expect([uri, (await service.send(new Request(uri))).status]).toEqual([uri, 200])
  }
  expect(told.valid_as_of).toBe(new Date(service.clock.now()).toISOString())
  expect(Date.parse(told.expires_at) - Date.parse(told.valid_as_of)).toBe(3_600_000)

  await using counting = await agentService({ agent_mode_planning: "on", rate_limits: "on" })
  const { limits } = await answerTo({ requested_capabilities: ["PLANNING"] }, counting)
  expect(limits).toMatchObject({ free_agent_preflight_per_minute: 120 })
}, 20_000)

test("the same request has the same id", async () => {
  const body = wish()
  const [first, again] = [await ask(body), await ask(body)]
  expect(again.body).toEqual(first.body)
  expect((await ask(wish())).body["bootstrap_id"]).not.toBe(first.body["bootstrap_id"])
})

test("403 in order, 409, and the payment header before the body", async () => {
  const { agentId } = await service.enrol()
  await using off = await agentService({ sandbox: "off" })
  const inSandbox = { environment: "SANDBOX" } as const
  const other = { provider: "ACME" }
  expect((await ask(wish({ ...inSandbox, ...other }), {}, off)).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  expect((await ask(wish({ ...inSandbox, ...other, agent_id: agentId }))).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  expect((await ask(wish({ ...inSandbox, ...other, agent_id: STRANGER }))).refusal).toBe("403 PROVIDER_ISOLATION")
  expect((await ask(wish(other))).refusal).toBe("403 PROVIDER_ISOLATION")
  for (const name of ["Payment-Signature", "X-Payment"]) {
    expect((await ask({ not: "read" }, { [name]: "x" })).refusal).toBe("403 ECONOMIC_ISOLATION")
  }
  const first = wish({ provider: "SYNTHETIC" })
  expect((await ask(first)).status).toBe(200)
  const changed = await ask({ ...first, agent_id: STRANGER })
  expect(changed.refusal).toBe("409 IDEMPOTENCY_CONFLICT")
  for (const { headers } of [changed, await ask(first), await ask({})]) {
    expect(headers.get("x-contract-version")).toBe("1.0.0")
    expect(headers.get("x-agent-mode-lifecycle")).toBe("ACTIVE")
    expect(headers.get("cache-control")).toContain("no-store")
    expect(headers.get("access-control-allow-origin")).toBeNull()
  }
})

test("a request that is refused leaves its key free", async () => {
  const refused = wish({ provider: "ACME" })
  expect((await ask(refused)).status).toBe(403)
  const { provider: _, ...right } = refused
  expect((await ask(right)).status).toBe(200)
})

test("422: closed schema, private key, raw bank data", async () => {
  const faults: readonly [object, string][] = [
    [{ ...wish(), more: 1 }, "422 SCHEMA_INVALID"],
    [wish({ requested_capabilities: [] }), "422 SCHEMA_INVALID"],
    [wish({ requested_capabilities: ["SANDBOX", "SANDBOX"] }), "422 SCHEMA_INVALID"],
    [wish({ idempotency_key: "short" }), "422 SCHEMA_INVALID"],
    [{ ...wish(), key: { kty: "OKP", d: "x" } }, "422 PRIVATE_KEY_MATERIAL_REJECTED"],
    [wish({ idempotency_key: "GB33BUKB20201555555555" }), "422 RAW_BANK_DATA_REJECTED"],
  ]
  for (const [body, refusal] of faults) expect([body, (await ask(body)).refusal]).toEqual([body, refusal])
})

test("nothing is read from a file, sent or stored", async () => {
  const { agentId } = await service.enrol()
  await answerTo({ requested_capabilities: [...CAPABILITIES] })
  const effects = await countEffects(service.directory, async () => {
    for (const environment of ["LIVE", "SANDBOX"] as const) {
      for (const agent_id of [null, STRANGER, agentId]) {
        const body = wish({ environment, agent_id, requested_capabilities: [...CAPABILITIES] })
        const { status } = await ask(body)
        expect(status).toBe(environment === "SANDBOX" && agent_id === agentId ? 403 : 200)
      }
    }
  })
  expect(effects).toEqual(NO_EFFECT_COUNTED)
})

test("a sandbox agent rehearses in journeys, whatever it asks for", async () => {
  const told = await answerTo({ environment: "SANDBOX", requested_capabilities: ["PURCHASE", "PLANNING"] })
  expect(idsOf(told).every((id) => id === "run_synthetic_journey")).toBe(true)
  expect(told.bootstrap_id).toStartWith("bst_")
  expect(digestOf(told.effects)).toBe(
    digestOf({
      external_source_calls: 0,
      charged: false,
      decision_created: false,
      delivery_created: false,
      reservation_created: false,
    }),
  )
})
