/** The list of tools, and the results of the free ones. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Type } from "@sinclair/typebox"
import Ajv2020 from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { closed } from "../../../schemas/common.ts"
import { FREE, type Operation, operation } from "../../../schemas/operation.ts"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { sendOverNetwork } from "../../../src/agent/service-call.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { selfContained } from "../../../src/endpoints/mcp/tool-schema.ts"
import { inputOf, pathParameters } from "../../../src/endpoints/mcp/tools.ts"
import { intentBody } from "../../agent-mode/planning/planning-service.ts"
import { enrolmentRequest, enrolTestAgent, makeAgentKeys, proofOf, type TestAgent } from "../../fixtures/agent.ts"
import { askLegacy, askModern, type McpService, mcpService } from "../../fixtures/mcp.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: string; readonly properties?: object }
  readonly outputSchema?: object
  readonly annotations: Record<string, boolean>
}
interface ToolResult {
  readonly content: readonly [{ readonly type: string; readonly text: string }]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** One for all: each builds the meta-schema again. */
const ajv = new Ajv2020({ strict: false })
addFormats(ajv)

let service: McpService
let agent: TestAgent
let tools: readonly Tool[]
beforeAll(async () => {
  service = await mcpService({ rate_limits: "off", agent_mode_planning: "on" })
  agent = await enrolTestAgent(sendOverNetwork, service.origin)
  tools = await listed("identity,planning,sales,sandbox")
})
afterAll(() => service[Symbol.asyncDispose]())

/** The tools that a client lists which asks for these sets. */
async function listed(sets: string): Promise<readonly Tool[]> {
  const { json } = await askModern(new URL(`?sets=${sets}`, service.url), "tools/list")
  return json.result["tools"] as Tool[]
}

const PAID = PRODUCT_OPERATIONS.map(({ paid }) => paid.id)

describe("tools/list", () => {
  test("has the paid tools and the free ones, each name once", () => {
    const names = tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of [...PAID, "EnrollAgentIdentity", "get_us_federal_source_health"]) expect(names).toContain(name)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
  })

  test("by default has what a purchase needs: at most 20 tools and 48 KB, the same text each time, in both eras", async () => {
    const [first, second] = [await askModern(service.url, "tools/list"), await askModern(service.url, "tools/list")]
    expect(first.text).toBe(second.text)
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(48 * 1024)
    const names = (first.json.result["tools"] as Tool[]).map(({ name }) => name)
    expect(names.length).toBeLessThanOrEqual(20)
    expect(names.filter((name) => !PAID.includes(name)).toSorted()).toEqual(
      [
        "EnrollAgentIdentity",
        "ProveAgentIdentityChallenge",
        "check_eligibility",
        "free_agent_preflight",
        "free_cnpj_preflight",
        "get_capabilities",
        "get_stored_answer",
        "get_us_federal_source_health",
        "recover_payment_decision",
        "review_draft",
      ].toSorted(),
    )
    expect(names).toEqual(expect.arrayContaining(PAID))
    expect((await askLegacy(service.url, "tools/list")).json.result["tools"]).toEqual(first.json.result["tools"])
  })

  test("has the sets that the address names, each once and in one order, after the default tools", async () => {
    const byDefault = (await listed("")).length
    const identity = await listed("identity")
    expect(identity.length).toBeGreaterThan(byDefault)
    expect(identity.slice(byDefault).map(({ name }) => name)).toContain("RotateAgentKey")
    expect(await listed("sandbox,identity")).toEqual(await listed("identity,%20sandbox,identity"))
    const other = await askModern(new URL("?sets=identity&sets=sandbox", service.url), "tools/list")
    expect(other.json.result["tools"]).toEqual((await listed("identity,sandbox")) as never)
  })

  test("a set that does not exist is an error that names those that do; a call needs no set", async () => {
    const wrong = new URL("?sets=identity,everything", service.url)
    const { status, json } = await askModern(wrong, "tools/list")
    expect([status, json.error["code"], json.id]).toEqual([200, -32602, 1])
    expect(json.error["message"]).toContain("identity, planning, sales, sandbox")
    expect(json.error.data).toEqual({ known: ["identity", "planning", "sales", "sandbox"] })
    const { result } = (await askModern(service.url, "tools/call", { name: "GetAgentIdProduct" })).json
    expect(result["isError"]).toBeUndefined()
  })

  test("has the sets of the setting mcp_sets for every client", async () => {
    await using other = await mcpService({ mcp_sets: "sandbox,planning" })
    const { json } = await askModern(other.url, "tools/list")
    const names = (json.result["tools"] as Tool[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["run_synthetic_journey", "get_exact_agent_quote"]))
    expect(names).not.toContain("RotateAgentKey")
  })

  test("every schema compiles alone as JSON Schema 2020-12 and describes an object", () => {
    for (const { inputSchema, outputSchema } of tools) {
      for (const schema of outputSchema ? [inputSchema, outputSchema] : [inputSchema]) {
        expect(() => ajv.compile(schema)).not.toThrow()
        expect((schema as Tool["inputSchema"]).type).toBe("object")
      }
    }
  })

  test("a paid tool has no output schema, and a path parameter is among the members", () => {
    for (const { name, outputSchema, inputSchema } of tools) {
      if (PAID.includes(name)) expect(outputSchema).toBeUndefined()
      const row = service.service.shell.served.find(name)?.operation
      for (const parameter of row ? pathParameters(row) : [])
        expect(Object.keys(inputSchema.properties ?? {})).toContain(parameter)
    }
  })

  test("the hints say what a call does", () => {
    const hintsOf = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    expect(hintsOf("GetAgentIdentity")).toEqual({ readOnlyHint: true, openWorldHint: false })
    expect(hintsOf("EnrollAgentIdentity")).toEqual({ destructiveHint: false, openWorldHint: false })
    expect(hintsOf("gb_business_payment_authorize")).toEqual({ destructiveHint: false, idempotentHint: true })
  })

  test("a path parameter with the name of a member of the body is a fault of the program", () => {
    const row = operation({
      ...FREE,
      id: "twice",
      method: "POST",
      path: "/v1/{name}",
      summary: "",
      body: closed({ name: Type.String() }),
      responses: { 200: { description: "" } },
      cors: "NONE",
      rateLimit: { group: "test", perMinute: 1 },
      tool: "READ",
    })
    expect(() => inputOf(row, row.body)).toThrow("twice: a path parameter has the name of a member")
  })
})

const call = async (name: string, args: object) => {
  const { json } = await askModern(service.url, "tools/call", { name, arguments: args })
  return json.result as unknown as ToolResult
}

/** A free operation without inputs, so that every planning tool answers. */
const plannedIntent = () =>
  intentBody({
    intent: "READ_US_SOURCE_HEALTH",
    input_digests: {},
    freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(Date.now()) },
  })

/** Arguments of each free read. A new free read without a line here fails the test. */
const reads: Record<string, () => object> = {
  GetAgentIdProduct: () => ({}),
  GetKeyControlOnlyClaim: () => ({}),
  GetAgentIdentity: () => ({ agentId: agent.agentId }),
  GetAgentIdentityStatus: () => ({ agentId: agent.agentId }),
  GetAgentIdentityJwks: () => ({ agentId: agent.agentId }),
  ExportAgentIdentity: () => ({ agentId: agent.agentId }),
  get_us_federal_source_health: () => ({}),
  free_cnpj_preflight: () => ({ cnpj: "12ABC34501DE35" }),
  get_capabilities: () => ({}),
  get_service_proof: () => ({}),
  read_service_entry: () => ({}),
  get_identity_adoption: () => ({}),
  get_multichannel_status: () => ({}),
  free_agent_preflight: plannedIntent,
  get_autonomous_readiness: plannedIntent,
  get_exact_agent_quote: plannedIntent,
  select_best_valid_route: plannedIntent,
  preview_evidence_reuse: plannedIntent,
  agent_bootstrap: () => ({
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    environment: "LIVE",
    agent_id: agent.agentId,
    requested_capabilities: ["PLANNING", "PURCHASE"],
    idempotency_key: "bootstrap by tool",
  }),
  run_synthetic_journey: () => ({
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    environment: "SANDBOX",
    journey: "AGENT_ID_ENROLLMENT",
    seed: 1,
    clock: null,
    idempotency_key: "journey by tool",
  }),
}

/** The schema that the tool lists, or that of its route if the list leaves it out. */
function outputSchemaOf(name: string): object {
  const { responses } = service.service.shell.served.find(name)?.operation ?? { responses: {} }
  const ofRoute = (responses as Operation["responses"])[200]?.schema
  if (!ofRoute) throw new Error(`${name} has no schema`)
  return tools.find((tool) => tool.name === name)?.outputSchema ?? selfContained(ofRoute)
}

describe("a free tool", () => {
  test("every free read has a line in this test", () => {
    const found = tools.filter(({ annotations }) => annotations["readOnlyHint"]).map(({ name }) => name)
    // No offer exists here: the faults below have that tool. The tools of several products have a test of their own.
    const others = ["get_sales_offer_status", "check_eligibility", "review_draft", "get_stored_answer"]
    expect(found.toSorted()).toEqual([...Object.keys(reads), ...others].toSorted())
  })

  test.each(Object.keys(reads))("%s returns what its schema says, once as text and once as a value", async (name) => {
    const result = await call(name, reads[name]?.() ?? {})
    expect(result.isError).toBeUndefined()
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    const valid = ajv.compile(outputSchemaOf(name))
    expect([valid(result.structuredContent), valid.errors]).toEqual([true, null])
  })

  test("enrols an agent in two calls, with a path parameter among the arguments", async () => {
    const keys = makeAgentKeys()
    const issued = (await call("EnrollAgentIdentity", enrolmentRequest(keys))).structuredContent as Parameters<
      typeof proofOf
    >[0] & { challenge: { challenge_id: string } }
    const challengeId = issued.challenge.challenge_id
    const proved = await call("ProveAgentIdentityChallenge", { challengeId, ...proofOf(issued, keys) })
    expect(proved.structuredContent).toMatchObject({ result: "ENROLLED", replayed: false })
  })

  test("plans the same for a member that is null and for one that is left out", async () => {
    const intent = { ...plannedIntent(), product_id: null, budget: null }
    const bare = Object.fromEntries(Object.entries(intent).filter(([, value]) => value !== null))
    const [whole, short] = [await call("free_agent_preflight", intent), await call("free_agent_preflight", bare)]
    expect(whole.isError).toBeUndefined()
    expect(short.content[0].text).toBe(whole.content[0].text)
  })

  test("verifies a signature", async () => {
    const verified = await call("VerifyAgentSignature", signedStatement(agent, Date.now()))
    expect(verified.isError).toBeUndefined()
  })
})

const faults: readonly [name: string, tool: string, args: object, code: string][] = [
  ["an unknown argument", "get_us_federal_source_health", { more: 1 }, "SCHEMA_INVALID"],
  ["a missing path parameter", "GetAgentIdentity", {}, "SCHEMA_INVALID"],
  ["a path parameter of another type", "GetAgentIdentity", { agentId: 1 }, "SCHEMA_INVALID"],
  ["an empty path parameter", "GetAgentIdentity", { agentId: "" }, "SCHEMA_INVALID"],
  ["a missing path parameter next to a body", "ProveAgentIdentityChallenge", {}, "SCHEMA_INVALID"],
  ["a body that does not match", "IssueAgentIdentityChallenge", { operation: "NONE" }, "SCHEMA_INVALID"],
  ["the purpose of another tool", "EnrollAgentIdentity", { purpose: "REVOCATION" }, "SCHEMA_INVALID"],
  ["an unknown product", "check_eligibility", { product: "everything", request: {} }, "SCHEMA_INVALID"],
  ["no product", "review_draft", { request: {} }, "SCHEMA_INVALID"],
  [
    "an unknown answer",
    "get_stored_answer",
    { product: "us_company_check", execution_id: `exe_${"A".repeat(22)}` },
    "EXECUTION_NOT_FOUND",
  ],
  ["an unknown agent", "GetAgentIdentity", { agentId: `svc:agent:${"x".repeat(32)}` }, "AGENT_NOT_FOUND"],
  ["an unknown offer", "get_sales_offer_status", { offerCapsuleId: `ofr_${"A".repeat(22)}` }, "OFFER_NOT_FOUND"],
  ["an unknown member with bank data", "us_company_check", { iban: "DE89370400440532013000" }, "SCHEMA_INVALID"],
]
test.each(faults)("%s is a result with the problem as text, not a protocol error", async (_name, tool, args, code) => {
  const result = await call(tool, args)
  expect([result.isError, result.structuredContent]).toEqual([true, undefined])
  const problem = JSON.parse(result.content[0].text)
  expect(problem).toMatchObject({ code, charged: false })
  expect(problem.next_machine_action).toBeString()
  expect(result.content[0].text).not.toContain("DE8937")
})
