import { afterEach, beforeEach, expect } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { Point } from "@noble/ed25519"
import { exportJWK, generateKeyPair } from "jose"
import { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { encodeBase64url } from "../../../src/core/base64url.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { keyIdOf, publicJwk } from "../../../src/core/jwk.ts"
import { compile } from "../../../src/http/read-body.ts"
import { OUTSTANDING_PER_CLIENT_MAX } from "../../../src/products/agent-id/open-challenge.ts"
import { enrolmentRequest, makeAgentKeys } from "../../fixtures/agent.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { storedText } from "../../fixtures/stored-text.ts"
import { BASE_URL, codeOf, openService, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

const PATH = "/v1/agent-identities/challenges"
let service: Service
beforeEach(async () => {
  service = await openService()
})
afterEach(() => service.close())

test("an enrolment challenge is the key event itself, bound to this service, these keys and ten minutes", async () => {
  const keys = makeAgentKeys()
  const response = await service.post(PATH, enrolmentRequest(keys))
  const body = (await response.json()) as AgentIdentityChallenge
  expect(response.status).toBe(201)
  expect([...compile(AgentIdentityChallenge).Errors(body)]).toEqual([])
  expect(body.challenge).toMatchObject({
    audience: BASE_URL,
    purpose: "ENROLLMENT",
    claim: "KEY_CONTROL_ONLY",
    agent_id: null,
    sequence: 0,
    previous_event_digest: null,
    next_operational_key_digest: null,
    issued_at: "2026-03-01T12:00:07.250Z",
    expires_at: "2026-03-01T12:10:07.250Z",
    change: { kind: "ENROLL", authorized_by: ["OPERATIONAL", "RECOVERY"] },
  })
  expect(body.challenge.keys.operational?.key_id).toBe(keys.operational.keyId)
  expect(body.challenge_digest).toBe(digestOf(body.challenge))
  expect(body.required_signatures).toEqual([
    { role: "OPERATIONAL", key_id: keys.operational.keyId },
    { role: "RECOVERY", key_id: keys.recovery.keyId },
  ])
  expect(body.proof_request.uri).toBe(`${BASE_URL}${PATH}/${body.challenge.challenge_id}/prove`)
  expect(body.price).toEqual({ amount: "0", currency: "N/A_NO_CHARGE" })
  expect(body.limitations).toHaveLength(7)
})

/** Each returns a public key as its tool exports it. */
const EXPORTERS: Readonly<Record<string, () => Promise<object>>> = {
  "Web Crypto": async () => {
    const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair
    return crypto.subtle.exportKey("jwk", pair.publicKey)
  },
  "node:crypto": async () => generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }),
  jose: async () => exportJWK((await generateKeyPair("EdDSA", { extractable: true })).publicKey),
  "a tool that writes every member": async () => ({
    ...publicJwk(makeAgentKeys().operational.x),
    ...{ kid: "mine", alg: "EdDSA", use: "sig", key_ops: ["verify"], ext: true },
  }),
}

test.each(Object.entries(EXPORTERS))(
  "a public key is accepted as %s exports it, and its id is the thumbprint",
  async (_, make) => {
    const [operational, recovery] = [await make(), await make()] as { x: string }[]
    if (!operational || !recovery) throw new Error("no keys")
    const keys = { operational_public_jwk: operational, recovery_public_jwk: recovery }
    const response = await service.post(PATH, { schema_version: "1.0.0", purpose: "ENROLLMENT", ...keys })
    const { challenge } = (await response.json()) as AgentIdentityChallenge
    expect(response.status).toBe(201)
    const expected = { key_id: keyIdOf(operational.x), public_jwk: publicJwk(operational.x) }
    expect(challenge.keys.operational).toEqual(expected)
  },
)

test("the event contains the commitment to the next key", async () => {
  const next = `sha256:${"a".repeat(64)}`
  const body = { ...enrolmentRequest(makeAgentKeys()), next_operational_key_digest: next, invitation_reference: null }
  const answer = (await (await service.post(PATH, body)).json()) as AgentIdentityChallenge
  expect(answer.challenge.next_operational_key_digest).toBe(next)
})

const hex = (text: string) => encodeBase64url(new Uint8Array(Buffer.from(text, "hex")))
const own = makeAgentKeys()
const negated = (x: string) => {
  const bytes = new Uint8Array(Buffer.from(x, "base64url"))
  bytes[31] = (bytes[31] ?? 0) ^ 0x80
  return encodeBase64url(bytes)
}
const torsion = Point.fromBytes(
  new Uint8Array(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex")),
  false,
)
const mixed = encodeBase64url(
  Point.fromBytes(new Uint8Array(Buffer.from(own.operational.x, "base64url")), false)
    .add(torsion)
    .toBytes(),
)
const slack = (x: string) => x.slice(0, 42) + String.fromCharCode(x.charCodeAt(42) + 1)
const base = enrolmentRequest(own)
const operational = (jwk: object) => ({ ...base, operational_public_jwk: jwk })
const withX = (x: string) => operational({ kty: "OKP", crv: "Ed25519", x })
const agentId = `svc:agent:${"A".repeat(32)}`
const jwk = base.operational_public_jwk

const rows: readonly [string, unknown, string][] = [
  ["a body that is not JSON", "{", "400 MALFORMED_JSON"],
  ["a duplicate member", '{"purpose":"ENROLLMENT","purpose":"ENROLLMENT"}', "400 MALFORMED_JSON"],
  ["an unknown member", { ...base, extra: 1 }, "422 SCHEMA_INVALID"],
  ["an unknown member of a key", operational({ ...jwk, x5c: ["AA"] }), "422 SCHEMA_INVALID"],
  ["a missing recovery key", { ...base, recovery_public_jwk: undefined }, "422 SCHEMA_INVALID"],
  ["another curve", operational({ ...jwk, crv: "X25519" }), "422 SCHEMA_INVALID"],
  ["a private key", operational({ ...jwk, d: "A".repeat(43) }), "422 PRIVATE_KEY_MATERIAL_REJECTED"],
  [
    "a private key as Web Crypto exports it",
    operational({ ...jwk, d: "A".repeat(43), key_ops: ["sign"], ext: true }),
    "422 PRIVATE_KEY_MATERIAL_REJECTED",
  ],
  [
    "a private key of a kind unknown here",
    operational({ kty: "RSA", d: "AA", p: "AA" }),
    "422 PRIVATE_KEY_MATERIAL_REJECTED",
  ],
  ["a symmetric key", operational({ kty: "oct", k: "AA" }), "422 PRIVATE_KEY_MATERIAL_REJECTED"],
  [
    "a private key whose x is weak",
    operational({ ...jwk, x: "A".repeat(43), d: "AA" }),
    "422 PRIVATE_KEY_MATERIAL_REJECTED",
  ],
  ["stray bits behind the key", withX(slack(own.operational.x)), "422 KEY_ENCODING_INVALID"],
  ["a coordinate beyond the field", withX(hex(`ee${"ff".repeat(30)}7f`)), "422 KEY_ENCODING_INVALID"],
  ["the identity point", withX(hex(`01${"00".repeat(31)}`)), "422 KEY_SMALL_ORDER"],
  ["a point with a torsion component", withX(mixed), "422 KEY_MIXED_ORDER"],
  ["the same key in both roles", { ...base, recovery_public_jwk: jwk }, "422 KEYS_NOT_INDEPENDENT"],
  [
    "a key and its negation",
    { ...base, recovery_public_jwk: { ...jwk, x: negated(jwk.x) } },
    "422 KEYS_NOT_INDEPENDENT",
  ],
  [
    "a rotation of an unknown identity",
    {
      schema_version: "1.0.0",
      purpose: "ROTATION",
      agent_id: agentId,
      target: "OPERATIONAL",
      mode: "ROUTINE",
      new_public_jwk: jwk,
    },
    "404 AGENT_NOT_FOUND",
  ],
  [
    "a rotation to a private key",
    {
      schema_version: "1.0.0",
      purpose: "ROTATION",
      agent_id: agentId,
      target: "OPERATIONAL",
      mode: "ROUTINE",
      new_public_jwk: { ...jwk, d: "AA" },
    },
    "422 PRIVATE_KEY_MATERIAL_REJECTED",
  ],
  [
    "a revocation of an unknown identity",
    {
      schema_version: "1.0.0",
      purpose: "REVOCATION",
      agent_id: agentId,
      target: "OPERATIONAL",
      mode: "RECOVERY",
      reason: "KEY_COMPROMISE",
    },
    "404 AGENT_NOT_FOUND",
  ],
]
for (const [what, body, code] of rows) {
  test(`${what} gets ${code} and stores nothing`, async () => {
    expect(await codeOf(await service.post(PATH, body))).toBe(code)
    expect(await service.count("agent_challenge")).toBe(0)
  })
}

test("a private key in a request appears in no log line, no response and not in the database", async () => {
  const marker = "c2VjcmV0LW1hcmtlci1vZi1hLXByaXZhdGUta2V5LTE"
  const answer = await (await service.post(PATH, operational({ ...jwk, d: marker }))).text()
  await service.store.run(function* () {})
  expect(service.logLines.length).toBeGreaterThan(0)
  const stored = await storedText(service)
  // What would be found: a value that the database has.
  expect(stored).toContain(service.serviceX)
  for (const text of [answer, ...service.logLines, stored]) expect(text).not.toContain(marker)
})

test("an address holds at most twenty open challenges; another address and the next ten minutes have their own limit", async () => {
  const ask = async (from: string) => service.post(PATH, enrolmentRequest(makeAgentKeys()), from)
  for (let i = 0; i < OUTSTANDING_PER_CLIENT_MAX; i++) expect((await ask("192.0.2.7")).status).toBe(201)
  service.clock.at += 60_000
  const refused = await ask("192.0.2.7")
  expect(refused.headers.get("retry-after")).toBe("540")
  expect((await refused.json()) as object).toMatchObject({
    code: "RATE_LIMITED",
    reason_codes: ["OUTSTANDING_CHALLENGES_OF_ADDRESS"],
    retryable: true,
  })
  expect((await ask("192.0.2.8")).status).toBe(201)
  service.clock.at += 540_000
  expect((await ask("192.0.2.7")).status).toBe(201)
})

test("an address may request twenty challenges a minute", async () => {
  const wrong = () => service.post(PATH, "{}", "192.0.2.9")
  for (let i = 0; i < 20; i++) expect((await wrong()).status).toBe(422)
  expect(await codeOf(await wrong())).toBe("429 RATE_LIMITED")
})

test("with issuance disabled every call gets 503, whatever its body", async () => {
  const off = await openService({ challengeIssuance: false })
  expect(await codeOf(await off.post(PATH, enrolmentRequest(makeAgentKeys())))).toBe("503 CHALLENGE_ISSUANCE_DISABLED")
  expect(await codeOf(await off.post(PATH, "{"))).toBe("503 CHALLENGE_ISSUANCE_DISABLED")
  expect(await off.count("agent_challenge")).toBe(0)
  await off.close()
})
