/** A third-party library over a socket: any JOSE client accepts the key set of an identity. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { CompactSign, compactVerify, createRemoteJWKSet, jwksCache } from "jose"
import type { TestAgent } from "../../fixtures/agent.ts"
import { change, revocation } from "./key-changes.ts"
import { openWithAgent, type Service } from "./service.ts"

let service: Service
let agent: TestAgent
let server: Bun.Server<undefined>
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent())
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => service.send(request) })
})
afterEach(async () => {
  await server.stop(true)
  await service.close()
})

const keySet = () =>
  createRemoteJWKSet(new URL(`/v1/agent-identities/${agent.agentId}/jwks.json`, server.url), { [jwksCache]: {} })
const jws = () =>
  new CompactSign(new TextEncoder().encode("an action"))
    .setProtectedHeader({ alg: "EdDSA", kid: agent.operational.keyId })
    .sign(agent.operational.privateKey)

test("createRemoteJWKSet verifies a JWS made with the enrolled operational key", async () => {
  const { payload, protectedHeader } = await compactVerify(await jws(), keySet(), { algorithms: ["EdDSA"] })
  expect(new TextDecoder().decode(payload)).toBe("an action")
  expect(protectedHeader.kid).toBe(agent.operational.keyId)
})

test("a JWS signed with the recovery key finds no key", async () => {
  agent = { ...agent, operational: agent.recovery }
  await expect(compactVerify(await jws(), keySet())).rejects.toMatchObject({ code: "ERR_JWKS_NO_MATCHING_KEY" })
})

test("after a revocation a client that fetches the keys again rejects the JWS; one that cached the set does not know yet (rulings 66)", async () => {
  const kept = keySet()
  await compactVerify(await jws(), kept)
  await change(service, revocation(agent.agentId), { OPERATIONAL: agent.operational })
  await expect(compactVerify(await jws(), keySet())).rejects.toMatchObject({ code: "ERR_JWKS_NO_MATCHING_KEY" })
  expect((await compactVerify(await jws(), kept)).protectedHeader.alg).toBe("EdDSA")
  await kept.reload()
  await expect(compactVerify(await jws(), kept)).rejects.toMatchObject({ code: "ERR_JWKS_NO_MATCHING_KEY" })
})
