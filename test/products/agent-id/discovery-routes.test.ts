import { afterAll, beforeAll, beforeEach, expect, spyOn } from "bun:test"
import { AgentIdBootstrap, AgentIdChannelBootstrap, AgentIdDescriptor } from "../../../schemas/agent-id/descriptor.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { compile } from "../../../src/http/read-body.ts"
import { routes } from "../../../src/server/app.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import { BASE_URL, clockAt } from "../../fixtures/service.ts"
import { type ServiceOfRun, serviceOfRun } from "../../fixtures/service-of-run.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const DAY_ONE = Date.UTC(2026, 10, 20, 23, 59, 59, 999)
const clock = clockAt(DAY_ONE)
let running: ServiceOfRun
let app: ReturnType<typeof routes>
beforeAll(async () => {
  running = await serviceOfRun(clock, { issuer_name: "Example & Sons" })
  app = routes(running.service)
})
beforeEach(async () => {
  clock.set(DAY_ONE)
  await running.database.write("DELETE FROM channel_entry")
})
afterAll(() => running[Symbol.asyncDispose]())

const ask = (path: string, init?: RequestInit) => app.handle(new Request(BASE_URL + path, init))
const entries = () =>
  running.database.rows(
    "SELECT day, channel, sum(entries) AS entries FROM channel_entry GROUP BY day, channel ORDER BY day, channel",
  )

const tokens = [
  "KEY_CONTROL_ONLY",
  "NO_LEGAL_IDENTITY_CLAIM",
  "NO_ENTERPRISE_AUTHORITY",
  "NO_PAYMENT_AUTHORITY",
  "NO_CONTENT_TRUTH_CLAIM",
  "NO_REPUTATION_CLAIM",
  "NO_OUTCOME_CLAIM",
]
/** Copied from the interface's first table. Texts that the service words itself are checked by type. */
const descriptorTable = {
  product_id: "svc.agent-id.v1",
  solution_id: "agent-id",
  version: "1.0.0",
  name: expect.any(String),
  promise: expect.any(String),
  description: expect.any(String),
  descriptions: { short: expect.any(String), medium: expect.any(String), long: expect.any(String) },
  keywords: expect.any(Array),
  visual_identity: {
    mark: expect.any(String),
    image_url: `${BASE_URL}/v1/agent-id/mark.svg`,
    palette: {
      ink: expect.stringMatching(/^#[0-9A-F]{6}$/),
      signal: expect.stringMatching(/^#[0-9A-F]{6}$/),
      paper: expect.stringMatching(/^#[0-9A-F]{6}$/),
    },
  },
  customer: "AUTONOMOUS_AGENT_OR_AGENT_RUNTIME",
  price: { amount: "0", currency: "N/A_NO_CHARGE" },
  coverage: "GLOBAL_KEY_CONTROL_ONLY",
  assurance_level: "SELF_REGISTERED",
  claim: "KEY_CONTROL_ONLY",
  evidence: "ED25519_PROOF_OF_POSSESSION",
  issuer: "Example & Sons",
  human_approval_required: false,
  private_key_leaves_agent: false,
  private_key_custody: "AGENT_ONLY",
  enrollment_keys_required: ["OPERATIONAL", "RECOVERY"],
  algorithms: ["Ed25519"],
  formats: ["SVC-C14N-JSON-1", "JWK_RFC8037"],
  intents: expect.any(Array),
  limitations: tokens,
  data_policy: {
    private_keys_accepted: false,
    identity_directory: false,
    activity_history_public: false,
    economic_history_public: false,
  },
}
/** The second table: the members that the bootstrap variants add. */
const bootstrapTable = {
  ...descriptorTable,
  contract: {
    version: "1.0.0",
    claim: "KEY_CONTROL_ONLY",
    human_approval_required: false,
    private_key_leaves_agent: false,
    economic_activity: false,
  },
  enrollment: {
    calls: 2,
    key_generation: "LOCAL_ED25519_TWO_INDEPENDENT_KEYS",
    first_request: { method: "POST", uri: `${BASE_URL}/v1/agent-identities/challenges`, purpose: "ENROLLMENT" },
    proof_request: { method: "POST", uri_template: `${BASE_URL}/v1/agent-identities/{challengeId}/prove` },
  },
  external_signing: {
    canonicalization: "SVC-C14N-JSON-1",
    algorithm: "Ed25519",
    signing_location: "LOCAL_ONLY",
    verification_uri: `${BASE_URL}/v1/agent-signatures/verify`,
  },
  synthetic_test: {
    payload: { message: expect.any(String) },
    context: { environment: expect.any(String) },
    action_type: expect.any(String),
  },
}

const documents = [
  ["/v1/agent-id", AgentIdDescriptor, descriptorTable],
  ["/v1/agent-id/bootstrap", AgentIdBootstrap, bootstrapTable],
  [
    "/v1/agent-id/channels/mcp/bootstrap",
    AgentIdChannelBootstrap,
    {
      ...bootstrapTable,
      channel_entry: { channel: "mcp", recorded: true, first_party: true, independent_discovery_proof: false },
    },
  ],
] as const
test.each(documents)("%s has exactly the members of the interface, as canonical JSON", async (path, schema, table) => {
  const answer = await ask(path)
  const text = await answer.text()
  const body = JSON.parse(text)
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(body).toEqual(table)
  expect([...compile(schema).Errors(body)]).toEqual([])
  expect(text).toBe(canonicalize(body))
})

const cached = [
  ["/v1/agent-id", "public, max-age=300"],
  ["/v1/agent-id/bootstrap", "public, max-age=300"],
  ["/v1/agent-id/channels/acp/bootstrap", "public, no-cache"],
  ["/v1/agent-id/claims/key-control-only", "public, max-age=86400, immutable"],
  ["/v1/agent-id/mark.svg", "public, max-age=86400"],
] as const
test.each(cached)("%s is revalidated by its ETag, and any origin may read it", async (path, cacheControl) => {
  const answer = await ask(path)
  const etag = answer.headers.get("etag") ?? ""
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect(answer.headers.get("cache-control")).toBe(cacheControl)
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
  const again = await ask(path, { headers: { "if-none-match": etag } })
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
  const preflight = await ask(path, {
    method: "OPTIONS",
    headers: { origin: "https://agent.example", "access-control-request-method": "GET" },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
  expect(preflight.headers.get("access-control-allow-methods")).toContain("GET")
})

test("openings of a channel, including revalidations, are counted by UTC day, and nothing else is stored", async () => {
  const open = (channel: string, headers = {}) => ask(`/v1/agent-id/channels/${channel}/bootstrap`, { headers })
  const first = await open("mcp")
  await open("mcp", { "if-none-match": first.headers.get("etag") ?? "" })
  await open("ai-catalog")
  clock.set(DAY_ONE + 1)
  await open("mcp")
  expect(await entries()).toEqual([
    { day: "2026-11-20", channel: "ai-catalog", entries: 1 },
    { day: "2026-11-20", channel: "mcp", entries: 2 },
    { day: "2026-11-21", channel: "mcp", entries: 1 },
  ])
})

test("an unknown channel gets 404 with the six channels, and counts nothing", async () => {
  for (const channel of ["web", "MCP", "mcp%20", "%00", "acp,mcp", "__proto__", "constructor"]) {
    const answer = await ask(`/v1/agent-id/channels/${channel}/bootstrap`)
    expect(answer.status).toBe(404)
    const detail = "The channels of this service are acp, mcp, a2a, x402, openapi, ai-catalog."
    expect(await answer.json()).toMatchObject({ code: "NOT_FOUND", detail })
  }
  expect(await entries()).toEqual([])
})

test("when the opening cannot be recorded, the bootstrap says so and is otherwise unchanged", async () => {
  const path = "/v1/agent-id/channels/mcp/bootstrap"
  const { channel_entry: counted, ...recorded } = (await (await ask(path)).json()) as AgentIdChannelBootstrap
  const unwritable = spyOn(running.service.store, "run").mockRejectedValueOnce(new StoreUnavailable("FULL"))
  const answer = await ask(path)
  const { channel_entry: uncounted, ...bootstrap } = (await answer.json()) as AgentIdChannelBootstrap
  unwritable.mockRestore()
  expect(answer.status).toBe(200)
  expect([counted.recorded, uncounted.recorded]).toEqual([true, false])
  expect(bootstrap).toEqual(recorded)
  expect(running.logged.some(({ event }) => event === "channel_entry_not_recorded")).toBe(true)
  expect(await entries()).toEqual([{ day: "2026-11-20", channel: "mcp", entries: 1 }])
})

test("the six channels match the configuration", async () => {
  const settings = { agent_id_channels: "one, two,three,four,five,six", acp_channel: "six" }
  await using other = await serviceOfRun(clock, settings)
  const mapped = routes(other.service)
  const status = async (channel: string) =>
    (await mapped.handle(new Request(`${BASE_URL}/v1/agent-id/channels/${channel}/bootstrap`))).status
  expect(await Promise.all(["one", "two", "six", "mcp"].map(status))).toEqual([200, 200, 200, 404])
})

test("the image named by the descriptor exists, and can neither load nor run anything", async () => {
  const { visual_identity } = (await (await ask("/v1/agent-id")).json()) as AgentIdDescriptor
  const answer = await app.handle(new Request(visual_identity.image_url))
  expect(answer.headers.get("content-type")).toBe("image/svg+xml")
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin")
  const svg = await answer.text()
  expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"')
  expect(svg).not.toMatch(/script|href|style=|on[a-z]+=/)
  for (const colour of Object.values(visual_identity.palette)) expect(svg).toContain(colour)
})

test("ink and signal are readable on paper: WCAG 2.2 contrast of 7 and 4.5", async () => {
  const { visual_identity } = (await (await ask("/v1/agent-id")).json()) as AgentIdDescriptor
  const luminance = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const { ink, signal, paper } = visual_identity.palette
  const contrast = (colour: string) => (luminance(paper) + 0.05) / (luminance(colour) + 0.05)
  expect(contrast(ink)).toBeGreaterThan(7)
  expect(contrast(signal)).toBeGreaterThan(4.5)
})
