/**
 * Identities are not enumerable (Interface, "Agent identity resources"). Two services that differ in one enrolled agent get every request
 * that a stranger with its public keys, but without its id, can make. Both must send the same responses and headers, and do the same work
 * in the database: neither responses nor timing may reveal the agent.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { getCapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import { getOpenapiExamples } from "../../schemas/discovery/openapi.ts"
import { signWith } from "../../src/core/ed25519.ts"
import { publicJwk } from "../../src/core/jwk.ts"
import { DOCUMENT_OPERATIONS } from "../../src/discovery/document-operations.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { enrolmentRequest, proofOf } from "../fixtures/agent.ts"
import { agentModeQuestions } from "../fixtures/agent-mode-questions.ts"
import { AGENT_ID } from "../fixtures/buyers.ts"
import { DECIDED_AT, signedRequest } from "../fixtures/decision.ts"
import { PAGE_PATHS } from "../fixtures/page-paths.ts"
import { paidQuestions } from "../fixtures/paid-questions.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { openServer, post, stranger, victim, type WatchedServer } from "./two-services.ts"

/** Well formed, but unknown. */
const NOBODY = `svc:agent:${"n".repeat(32)}`
const REFERENCE = "r".repeat(32)
const get = (path: string) => new Request(BASE_URL + path)

const MANDATES_REVOKE = "/v1/us/decision-gates/buyer-onboarding/mandates/revoke"
const statement = {
  schema_version: "1.0.0",
  domain: "svc.agent-signature.v1",
  agent_id: NOBODY,
  key_id: victim.operational.keyId,
  algorithm: "Ed25519",
  canonicalization: "SVC-C14N-JSON-1",
  audience: "https://relying.example",
  action_type: "SYNTHETIC_TEST",
  context: { environment: "SANDBOX" },
  payload_digest: `sha256:${"0".repeat(64)}`,
  nonce: "N".repeat(43),
  issued_at: new Date(DECIDED_AT).toISOString(),
  expires_at: new Date(DECIDED_AT + 60_000).toISOString(),
}
const signature = signWith(stranger.operational.privateKey, JSON.stringify(statement))
const statementSignature = { schema_version: "1.0.0", statement, signature }
const payloadSignature = {
  schema_version: "1.0.0",
  profile: "PAYLOAD_ONLY",
  agent_id: NOBODY,
  key_id: victim.operational.keyId,
  payload: { message: "hello" },
  signature,
}
const change = { schema_version: "1.0.0", agent_id: NOBODY, target: "OPERATIONAL" }
const rotation = {
  ...change,
  purpose: "ROTATION",
  mode: "RECOVERY",
  new_public_jwk: publicJwk(victim.operational.x),
}
const revocation = { ...change, purpose: "REVOCATION", mode: "SELF", reason: "UNSPECIFIED" }
const signaturesOf = (names: readonly string[]) =>
  names.map((role) => ({ role, key_id: victim.operational.keyId, algorithm: "Ed25519", value: signature }))
const proof = {
  schema_version: "1.0.0",
  challenge_digest: `sha256:${"0".repeat(64)}`,
  signatures: signaturesOf(["OPERATIONAL", "RECOVERY"]),
}

/** Anyone gets a challenge for the victim's keys; only the holder of the keys learns its result. */
async function provenByAnother(server: WatchedServer): Promise<Request> {
  const answer = await server.ask(post("/v1/agent-identities/challenges", enrolmentRequest(victim)))
  const challenge = await answer.json()
  const path = `/v1/agent-identities/challenges/${challenge.challenge.challenge_id}/prove`
  const made = proofOf(challenge, stranger)
  const [operational, recovery] = challenge.required_signatures as { key_id: string }[]
  const signatures = made.signatures.map((one) => ({
    ...one,
    key_id: (one.role === "OPERATIONAL" ? operational : recovery)?.key_id,
  }))
  return post(path, { ...made, signatures })
}

/** The id of the other service's agent is unknown here. An id with one changed character is as unknown as any other. */
const nearMiss = (server: WatchedServer) =>
  `${server.victimId.slice(0, -1)}${server.victimId.endsWith("A") ? "B" : "A"}`

type Ask = (server: WatchedServer) => Request | Promise<Request>
const byId = (suffix: string): readonly Ask[] => [
  () => get(`/v1/agent-identities/${NOBODY}${suffix}`),
  () => get(`/v1/agent-identities/${encodeURIComponent(NOBODY)}${suffix}`),
  () => get(`/v1/agent-identities/${victim.operational.keyId}${suffix}`),
  () => get(`/v1/agent-identities/${victim.operational.x}${suffix}`),
]
const plain = (path: string): readonly Ask[] => [() => get(path)]
const bodies =
  (path: string) =>
  (...sent: readonly unknown[]): readonly Ask[] =>
    sent.map((body) => () => post(path, body))

const decisionPath = "/v1/us/decision-gates/release-payment-to-supplier"
const request = signedRequest()
const owner = {
  issued_at: new Date(DECIDED_AT).toISOString(),
  nonce: "N".repeat(43),
  signature,
}

const paid = Object.fromEntries(
  Object.entries(paidQuestions(DECIDED_AT, victim.operational.keyId)).map(([route, questions]) => [
    route,
    questions.map(
      ({ path, body, headers }): Ask =>
        () =>
          body === undefined ? get(path) : post(path, body, headers),
    ),
  ]),
)

const documents = Object.fromEntries(
  requestDocuments(BASE_URL)
    .flatMap(({ operations }) => [operations.schema.path, operations.example.path])
    .concat(
      DOCUMENT_OPERATIONS.map(({ path }) => path),
      getCapabilityManifest.path,
      getOpenapiExamples.path,
    )
    .map((path) => [`GET ${path}`, plain(path)]),
)

/** Every request of a stranger to each route. A route that is missing here fails the first test. */
const requests: Readonly<Record<string, readonly Ask[]>> = {
  "GET /v1/agent-id": plain("/v1/agent-id"),
  "GET /v1/agent-id/bootstrap": plain("/v1/agent-id/bootstrap"),
  "GET /v1/agent-id/mark.svg": plain("/v1/agent-id/mark.svg"),
  "GET /v1/agent-id/channels/:channel/bootstrap": plain("/v1/agent-id/channels/nowhere/bootstrap"),
  "GET /v1/agent-id/claims/key-control-only": plain("/v1/agent-id/claims/key-control-only"),
  "GET /v1/agent-id/verifier.mjs": plain("/v1/agent-id/verifier.mjs"),
  "POST /v1/agent-id/artifacts": bodies("/v1/agent-id/artifacts")(statementSignature, payloadSignature),
  "GET /v1/agent-id/invitations/:reference": plain(`/v1/agent-id/invitations/${REFERENCE}`),
  "GET /v1/agent-id/invitations/:reference/bootstrap": plain(`/v1/agent-id/invitations/${REFERENCE}/bootstrap`),
  "POST /v1/agent-identities/challenges": bodies("/v1/agent-identities/challenges")(
    enrolmentRequest(victim),
    enrolmentRequest({ operational: victim.recovery, recovery: victim.operational }),
    rotation,
    { ...rotation, target: "RECOVERY" },
    revocation,
    { ...revocation, target: "IDENTITY", mode: "RECOVERY" },
  ),
  "POST /v1/agent-identities/challenges/:challengeId/prove": [
    provenByAnother,
    ...bodies(`/v1/agent-identities/challenges/${REFERENCE}/prove`)(proof),
  ],
  "POST /v1/agent-identities/:challengeId/prove": bodies(`/v1/agent-identities/${REFERENCE}/prove`)(proof),
  "GET /v1/agent-identities/:agentId": byId(""),
  "GET /v1/agent-identities/:agentId/status": byId("/status"),
  "GET /v1/agent-identities/:agentId/jwks.json": byId("/jwks.json"),
  "GET /v1/agent-identities/:agentId/export": byId("/export"),
  "POST /v1/agent-signatures/verify": bodies("/v1/agent-signatures/verify")(
    statementSignature,
    { ...statementSignature, replay_check: "RECORD" },
    payloadSignature,
  ),
  // The two endpoints that run the same reads by name.
  "POST /v1/agent/mcp": [NOBODY, victim.operational.x].map(
    (agentId) => () =>
      post("/v1/agent/mcp", {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "GetAgentIdentity", arguments: { agentId } },
      }),
  ),
  "POST /v1/agent/a2a": [NOBODY, victim.operational.x].map((agentId) => () => {
    const parts = [{ data: { operation: "GetAgentIdentity", input: { agentId } } }]
    const params = { message: { messageId: "m-1", role: "ROLE_USER", parts } }
    return post("/v1/agent/a2a", { jsonrpc: "2.0", id: 1, method: "SendMessage", params }, { "a2a-version": "1.0" })
  }),
  "GET /v1/us/federal/source-health": plain("/v1/us/federal/source-health"),
  [`POST ${decisionPath}`]: bodies(decisionPath)(request),
  [`POST ${decisionPath}/recover`]: bodies(`${decisionPath}/recover`)({ request, authentication: owner }),
  [`POST ${decisionPath}/eligibility`]: bodies(`${decisionPath}/eligibility`)(request),
  ...documents,
  ...paid,
  "POST /v1/us/decision-gates/buyer-onboarding/enroll": bodies("/v1/us/decision-gates/buyer-onboarding/enroll")({
    agent_id: AGENT_ID,
    key_id: victim.operational.keyId,
  }),
  "POST /v1/us/decision-gates/buyer-onboarding/delegations/:delegationId/revoke": bodies(
    "/v1/us/decision-gates/buyer-onboarding/delegations/dlg_1/revoke",
  )({ agent_id: AGENT_ID }),
  "POST /v1/us/decision-gates/buyer-onboarding/mandates/revoke": bodies(MANDATES_REVOKE)({ agent_id: AGENT_ID }),
  ...agentModeQuestions(victim.operational.keyId),
  "GET /": plain("/"),
  "GET /openapi.json": plain("/openapi.json"),
  "GET /v1/agent/capabilities": plain("/v1/agent/capabilities"),
  "GET /v1/agent/preflight/:cnpj": [
    () => get("/v1/agent/preflight/12ABC34501DE35"),
    () => get("/v1/agent/preflight/12ABC34501DE36"),
  ],
  "GET /.well-known/jwks.json": plain("/.well-known/jwks.json"),
  "GET /problems/:code": plain("/problems/AGENT_NOT_FOUND"),
  "GET /livez": plain("/livez"),
  "GET /readyz": plain("/readyz"),
  ...Object.fromEntries(Object.entries(PAGE_PATHS).map(([route, path]) => [route, plain(path)])),
}

/** The log shows the number of events. Its files are checked for forbidden content, not compared with the other service. */
const logRoutes: Readonly<Record<string, readonly string[]>> = {
  "GET /v1/agent/service-proof": ["/v1/agent/service-proof"],
  "GET /status": ["/status"],
  "GET /v1/agent-id/log": ["/v1/agent-id/log"],
  "GET /v1/agent-id/log/checkpoint": ["/v1/agent-id/log/checkpoint"],
  "GET /v1/agent-id/log/tile/*": ["0/000.p/1", "entries/000.p/1", "entries/000"].map(
    (tile) => `/v1/agent-id/log/tile/${tile}`,
  ),
  "GET /v1/agent-id/log/inclusion/:index/:size": [0, 1, 2, 3, 4].map((n) => `/v1/agent-id/log/inclusion/${n}/${n + 1}`),
  "GET /v1/agent-id/log/consistency/:from/:to": ["/v1/agent-id/log/consistency/0/1"],
}

/** Keeps the form, without random texts and times. */
function shapeOf(text: string): string {
  return text
    .replace(/[A-Za-z0-9+/_=-]{20,}/g, (run) => `<${run.length}>`)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
}

async function told(server: WatchedServer, ask: Ask): Promise<unknown> {
  const request = await ask(server)
  server.work()
  const answer = await server.ask(request)
  const headers = [...answer.headers]
    .filter(([name]) => !["x-request-id", "etag", "content-digest", "svc-generation"].includes(name))
    .map(([name, value]) => [name, name === "accept-signature" ? shapeOf(value) : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return { status: answer.status, headers, body: shapeOf(await answer.text()), work: server.work() }
}

let inhabited: WatchedServer
let empty: WatchedServer
beforeAll(async () => {
  inhabited = await openServer(true)
  empty = await openServer(false)
})
afterAll(async () => {
  await inhabited[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
})

test("the questions below cover every route of the service", () => {
  const registered = inhabited.rows.map(({ method, path }) => `${method} ${path}`)
  expect(registered.toSorted()).toEqual([...Object.keys(requests), ...Object.keys(logRoutes)].toSorted())
})

describe("a stranger with an agent's public keys gets the same responses whether the agent is enrolled or not", () => {
  for (const [route, asks] of Object.entries(requests)) {
    for (const [i, ask] of asks.entries()) {
      test(`${route}, question ${i + 1}`, async () => {
        expect(await told(inhabited, ask)).toEqual(await told(empty, ask))
      })
    }
  }

  test("an id that differs from an agent's by one character is unknown like any other", async () => {
    for (const suffix of ["", "/status", "/jwks.json", "/export"]) {
      const near = await told(inhabited, (server) => get(`/v1/agent-identities/${nearMiss(server)}${suffix}`))
      const far = await told(inhabited, () => get(`/v1/agent-identities/${NOBODY}${suffix}`))
      expect(near).toEqual(far)
    }
  })
})

test("a caller who knows the id gets another response (control for the comparison above)", async () => {
  for (const suffix of ["", "/status", "/jwks.json", "/export"]) {
    const known = await told(inhabited, (server) => get(`/v1/agent-identities/${server.victimId}${suffix}`))
    const unknown = await told(empty, () => get(`/v1/agent-identities/${NOBODY}${suffix}`))
    expect(known).toMatchObject({ status: 200 })
    expect(known).not.toEqual(unknown)
  }
})

describe("the log contains nothing that identifies an agent or a key", () => {
  for (const [route, paths] of Object.entries(logRoutes)) {
    test(route, async () => {
      const secrets = [inhabited.victimId.slice("svc:agent:".length), ...Object.values(victim).flatMap(namesOf)]
      for (const path of paths) {
        const answer = await inhabited.ask(get(path))
        const bytes = Buffer.from(await answer.arrayBuffer())
        const headers = JSON.stringify([...answer.headers])
        for (const secret of secrets) {
          expect(bytes.includes(secret)).toBe(false)
          expect(bytes.includes(Buffer.from(secret, "base64url"))).toBe(false)
          expect(headers).not.toContain(secret)
        }
      }
    })
  }
})

function namesOf({ keyId, x }: { keyId: string; x: string }): string[] {
  return [keyId.slice("ed25519-".length), x]
}
