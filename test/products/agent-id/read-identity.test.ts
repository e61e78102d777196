import { afterEach, beforeEach, expect, test } from "bun:test"
import { AgentProfile, AgentStatus } from "../../../schemas/agent-id/identity.ts"
import { AgentJwks } from "../../../schemas/agent-id/jwk.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { keyFromSeed, verifySignature } from "../../../src/core/ed25519.ts"
import { keyIdOf, publicJwk } from "../../../src/core/jwk.ts"
import { compile } from "../../../src/http/read-body.ts"
import { LOG_ORIGIN, openService, type Service, START } from "./service.ts"

let service: Service
let identity: Awaited<ReturnType<Service["enrolled"]>>
let path: string
beforeEach(async () => {
  service = await openService()
  identity = await service.enrolled()
  path = `/v1/agent-identities/${identity.result.agent_id}`
})
afterEach(() => service.close())

const status = async () => (await (await service.get(`${path}/status`)).json()) as AgentStatus

test("the profile equals the response of the enrolment, and is public and cacheable for a minute", async () => {
  const response = await service.get(path)
  const body = (await response.json()) as AgentProfile
  expect(response.status).toBe(200)
  expect(body).toEqual(identity.result.profile)
  expect([...compile(AgentProfile).Errors(body)]).toEqual([])
  expect(response.headers.get("cache-control")).toBe("public, max-age=60, must-revalidate")
  expect(response.headers.get("access-control-allow-origin")).toBe("*")
})

for (const suffix of ["", "/status", "/jwks.json"]) {
  test(`a percent-encoded id finds the same "${suffix}"`, async () => {
    const [plain, upper, lower] = await Promise.all(
      [path, path.replaceAll("svc:agent:", "svc%3Aagent%3A"), path.replaceAll("svc:agent:", "svc%3aagent%3a")].map(
        async (each) => (await service.get(each + suffix)).text(),
      ),
    )
    expect(upper).toBe(plain ?? "")
    expect(lower).toBe(plain ?? "")
    expect(plain).not.toContain("AGENT_NOT_FOUND")
  })

  test(`unknown and malformed ids get the same response from "${suffix}"`, async () => {
    const ids = [`svc:agent:${"A".repeat(32)}`, `svc:agent:${"A".repeat(31)}`, "svc:agent:", "x", "%00", "a'b"]
    const answers = await Promise.all(
      ids.map(async (id) => {
        const response = await service.get(`/v1/agent-identities/${id}${suffix}`)
        const problem = (await response.json()) as Record<string, unknown>
        return { ...problem, instance: "", request_id: "", trace_id: "", status: response.status }
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 404, code: "AGENT_NOT_FOUND" })
  })
}

test.each(["", "/status"])(
  "%p has a strong ETag, and gives 304 without a body while it is unchanged",
  async (suffix) => {
    const first = await service.get(path + suffix)
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    for (const sent of [etag, `W/${etag}`, "*"]) {
      const again = await service.get(path + suffix, { "if-none-match": sent })
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
      expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"))
    }
    expect((await service.get(path + suffix, { "if-none-match": '"other"' })).status).toBe(200)
  },
)

test("the status is signed, contains every key, and states the size of the log that contains the head event", async () => {
  const body = await status()
  const { payload, digest, signature } = body
  expect([...compile(AgentStatus).Errors(body)]).toEqual([])
  expect(payload).toEqual({
    domain: "svc.agent-identity.status.v1",
    schema_version: "1.0.0",
    agent_id: identity.result.agent_id,
    identity_status: "ACTIVE",
    sequence: 0,
    head_event_digest: identity.challenge.challenge_digest,
    keys: [
      {
        key_id: identity.keys.operational.keyId,
        role: "OPERATIONAL",
        status: "ACTIVE",
        since: "2026-03-01T12:00:07.250Z",
      },
      { key_id: identity.keys.recovery.keyId, role: "RECOVERY", status: "ACTIVE", since: "2026-03-01T12:00:07.250Z" },
    ],
    as_of: "2026-03-01T12:00:07.250Z",
    fresh_until: "2026-03-01T12:01:07.250Z",
    freshness: { status: "FRESH", max_age_seconds: 60, basis: "ISSUER_STATE" },
    log: { origin: LOG_ORIGIN, tree_size: 1 },
  })
  expect(digest).toBe(digestOf(payload))
  expect(verifySignature(service.serviceX, canonicalBytes(payload), signature.value)).toBe(true)
  expect(body.limitations).toHaveLength(7)
})

test("as_of is never before the head event and otherwise rounded down to thirty seconds, so that the bytes of a window are identical", async () => {
  const texts: string[] = []
  for (const offset of [0, 22_749, 22_750, 52_749, 52_750]) {
    service.clock.at = START + offset
    const response = await service.get(`${path}/status`)
    expect(response.headers.get("cache-control")).toBe("public, max-age=30")
    texts.push(await response.text())
  }
  const asOf = texts.map((text) => (JSON.parse(text) as AgentStatus).payload.as_of.slice(11, 23))
  expect(asOf).toEqual(["12:00:07.250", "12:00:07.250", "12:00:30.000", "12:00:30.000", "12:01:00.000"])
  expect(texts[1]).toBe(texts[0] ?? "")
  expect(texts[3]).toBe(texts[2] ?? "")
})

test("an event of another agent shows in the log's size from the next window on", async () => {
  const sizes: (number | undefined)[] = []
  const first = await (await service.get(`${path}/status`)).text()
  await service.enrolled()
  expect(await (await service.get(`${path}/status`)).text()).toBe(first)
  for (const offset of [0, 25_000]) {
    service.clock.at = START + offset
    sizes.push((await status()).payload.log.tree_size)
  }
  expect(sizes).toEqual([1, 2])
})

test("a change of the head shows in the next status, even within one window", async () => {
  service.clock.at = START + 25_000
  const before = await status()
  const head = `sha256:${"b".repeat(64)}`
  await service.write("UPDATE agent SET head_event_digest = ?, sequence = 1, identity_status = 'REVOKED'", head)
  const after = await status()
  expect(before.payload.identity_status).toBe("ACTIVE")
  expect(after.payload).toMatchObject({ identity_status: "REVOKED", sequence: 1, head_event_digest: head })
  expect(after.payload.as_of).toBe(before.payload.as_of)
})

test("a statement key rotated within a window signs the next status of that window", async () => {
  const next = keyFromSeed(new Uint8Array(32).fill(9))
  let rotated = false
  const own: Service = await openService({ signer: () => (rotated ? { ...signer, keyId: keyIdOf(next.x) } : signer) })
  const signer = { issuer: "svc", keyId: keyIdOf(own.serviceX), privateKey: next.privateKey }
  const { result } = await own.enrolled()
  const signedBy = async () =>
    ((await (await own.get(`/v1/agent-identities/${result.agent_id}/status`)).json()) as AgentStatus).signature.key_id
  expect(await signedBy()).toBe(keyIdOf(own.serviceX))
  rotated = true
  expect(await signedBy()).toBe(keyIdOf(next.x))
  await own.close()
})

test("jwks.json contains the active operational key and nothing else", async () => {
  const { operational } = identity.keys
  const response = await service.get(`${path}/jwks.json`)
  const body = (await response.json()) as AgentJwks
  expect(body).toEqual({ keys: [{ ...publicJwk(operational.x), kid: operational.keyId, alg: "EdDSA", use: "sig" }] })
  expect([...compile(AgentJwks).Errors(body)]).toEqual([])
  expect(response.headers.get("content-type")).toBe("application/jwk-set+json")
  expect(response.headers.get("cache-control")).toBe("public, max-age=60, must-revalidate")
  expect(response.headers.get("etag")).toBe(`"${identity.challenge.challenge_digest}"`)
})

for (const status of ["ROTATED", "REVOKED"]) {
  test(`jwks.json never contains a ${status} key`, async () => {
    await service.write("UPDATE agent_key SET status = ? WHERE role = 'OPERATIONAL'", status)
    const response = await service.get(`${path}/jwks.json`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ keys: [] })
  })
}

test("If-None-Match with the current ETag gets 304 without a body, and another ETag gets the set", async () => {
  const etag = `"${identity.challenge.challenge_digest}"`
  for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const response = await service.get(`${path}/jwks.json`, { "if-none-match": sent })
    expect(response.status).toBe(304)
    expect(response.headers.get("etag")).toBe(etag)
    expect(await response.text()).toBe("")
  }
  for (const sent of ['"x"', identity.challenge.challenge_digest, ""]) {
    expect((await service.get(`${path}/jwks.json`, { "if-none-match": sent })).status).toBe(200)
  }
})
