import { afterEach, beforeEach, describe, expect } from "bun:test"
import { randomBytes } from "node:crypto"
import { AgentIdentityProofResult } from "../../../schemas/agent-id/proof.ts"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { agentIdOf } from "../../../src/core/agent-id.ts"
import { canonicalBytes, canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { keyFromSeed, signWith, verifySignature } from "../../../src/core/ed25519.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { compile } from "../../../src/http/read-body.ts"
import { purgeSharedUse } from "../../../src/store/free-writes/admit.ts"
import { SHARED_CAPS } from "../../../src/store/free-writes/shared-caps.ts"
import { makeAgentKeys, proofOf, type TestAgentKeys } from "../../fixtures/agent.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BASE_URL, codeOf, ENTER_SERVICE_KEY, openService, provePath, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let keys: TestAgentKeys
beforeEach(async () => {
  service = await openService()
  keys = makeAgentKeys()
})
afterEach(() => service.close())

const identityRows = () => Promise.all(["agent", "agent_key", "agent_event"].map((table) => service.count(table)))

test("two valid signatures create an identity whose id anyone can recompute from the signed event", async () => {
  const challenge = await service.challenge(keys)
  const response = await service.post(provePath(challenge), proofOf(challenge, keys))
  const result = (await response.json()) as AgentIdentityProofResult
  expect(response.status).toBe(200)
  expect([...compile(AgentIdentityProofResult).Errors(result)]).toEqual([])
  expect(result).toMatchObject({ result: "ENROLLED", replayed: false })
  expect(result.agent_id).toBe(agentIdOf(digestOf(challenge.challenge)))
  expect(result.event).toEqual({
    sequence: 0,
    event_digest: challenge.challenge_digest,
    accepted_at: "2026-03-01T12:00:07.250Z",
    log_index: 0,
  })
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("the receipt is the service's signature over id, event digest and time of acceptance", async () => {
  const { result } = await service.enrolled(keys)
  const { payload, digest, signature } = result.receipt
  expect(payload).toEqual({
    domain: "svc.agent-identity.event-receipt.v1",
    schema_version: "1.0.0",
    agent_id: result.agent_id,
    ...result.event,
  })
  expect(digest).toBe(digestOf(payload))
  expect(verifySignature(service.serviceX, canonicalBytes(payload), signature.value)).toBe(true)
})

test("the profile of an enrolment is minimal: no time, no counts, no recovery key", async () => {
  const { result } = await service.enrolled(keys)
  const self = `${BASE_URL}/v1/agent-identities/${result.agent_id}`
  expect(result.profile).toEqual({
    schema_version: "1.0.0",
    agent_id: result.agent_id,
    identity_status: "ACTIVE",
    product_id: "svc.agent-id.v1",
    claim: "KEY_CONTROL_ONLY",
    assurance_level: "SELF_REGISTERED",
    coverage: "GLOBAL_KEY_CONTROL_ONLY",
    evidence: "ED25519_PROOF_OF_POSSESSION",
    issuer: "Test Operator",
    keys: [{ key_id: keys.operational.keyId, role: "OPERATIONAL", status: "ACTIVE", algorithm: "Ed25519" }],
    links: {
      status: `${self}/status`,
      jwks: `${self}/jwks.json`,
      export: `${self}/export`,
      claim: `${BASE_URL}/v1/agent-id/claims/key-control-only`,
    },
    limitations: expect.any(Array),
  })
})

test("the descriptor's template /v1/agent-identities/{challengeId}/prove accepts proofs of the same challenge", async () => {
  const challenge = await service.challenge(keys)
  const path = `/v1/agent-identities/${challenge.challenge.challenge_id}/prove`
  expect((await service.post(path, proofOf(challenge, keys))).status).toBe(200)
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("the same proof again gets the same response, marked as replayed, in any order and long after the challenge expired", async () => {
  const challenge = await service.challenge(keys)
  const proof = proofOf(challenge, keys)
  const first = (await (await service.post(provePath(challenge), proof)).json()) as AgentIdentityProofResult
  service.clock.at += 86_400_000
  const again = await service.post(provePath(challenge), { ...proof, signatures: proof.signatures.toReversed() })
  expect(again.status).toBe(200)
  expect(await again.text()).toBe(canonicalize({ ...first, replayed: true }))
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("a different proof for a consumed challenge gets 409 CHALLENGE_REPLAY", async () => {
  const { challenge } = await service.enrolled(keys)
  const other = proofOf(challenge, makeAgentKeys())
  const response = await service.post(provePath(challenge), other)
  const problem = (await response.json()) as object
  expect(response.status).toBe(409)
  expect(problem).toMatchObject({
    code: "CHALLENGE_REPLAY",
    reason_codes: ["CHALLENGE_CONSUMED", "PROOF_MATERIAL_DIFFERS"],
    charged: false,
    next_machine_action: "REQUEST_NEW_CHALLENGE",
  })
})

test("only a caller who proved possession learns that a key is enrolled", async () => {
  await service.enrolled(keys)
  const stranger = makeAgentKeys()
  const probe = { operational: keys.operational, recovery: stranger.recovery }
  const challenge = await service.challenge(probe)
  expect(challenge.challenge.sequence).toBe(0)
  const forged = proofOf(challenge, {
    operational: { ...stranger.operational, keyId: keys.operational.keyId },
    recovery: stranger.recovery,
  })
  expect(await codeOf(await service.post(provePath(challenge), forged))).toBe("422 PROOF_SIGNATURE_INVALID")
  expect(await codeOf(await service.post(provePath(challenge), proofOf(challenge, probe)))).toBe(
    "409 KEY_ALREADY_ENROLLED",
  )
})

test("a recovery key cannot become another identity's operational key", async () => {
  await service.enrolled(keys)
  const swapped = { operational: keys.recovery, recovery: makeAgentKeys().recovery }
  const challenge = await service.challenge(swapped)
  expect(await codeOf(await service.post(provePath(challenge), proofOf(challenge, swapped)))).toBe(
    "409 KEY_ALREADY_ENROLLED",
  )
})

type Proof = ReturnType<typeof proofOf>
const signatureOf = (proof: Proof, index: number) => proof.signatures[index] ?? expect.unreachable()
const wrongProofs: readonly [string, (proof: Proof) => unknown, string][] = [
  [
    "another digest",
    (proof) => ({ ...proof, challenge_digest: `sha256:${"0".repeat(64)}` }),
    "422 PROOF_DIGEST_MISMATCH",
  ],
  ["one signature", (proof) => ({ ...proof, signatures: [signatureOf(proof, 0)] }), "422 PROOF_ROLE_MISSING"],
  [
    "one role twice",
    (proof) => ({ ...proof, signatures: [signatureOf(proof, 1), signatureOf(proof, 1)] }),
    "422 PROOF_ROLE_MISSING",
  ],
  [
    "a genuine signature under the other key's id",
    (proof) => ({
      ...proof,
      signatures: [{ ...signatureOf(proof, 0), key_id: signatureOf(proof, 1).key_id }, signatureOf(proof, 1)],
    }),
    "422 PROOF_SIGNATURE_INVALID",
  ],
  [
    "roles exchanged",
    (proof) => ({
      ...proof,
      signatures: [
        { ...signatureOf(proof, 0), role: "RECOVERY" },
        { ...signatureOf(proof, 1), role: "OPERATIONAL" },
      ],
    }),
    "422 PROOF_SIGNATURE_INVALID",
  ],
  [
    "a signature over other text",
    (proof) => ({
      ...proof,
      signatures: [
        { ...signatureOf(proof, 0), value: signWith(keys.operational.privateKey, "other") },
        signatureOf(proof, 1),
      ],
    }),
    "422 PROOF_SIGNATURE_INVALID",
  ],
  ["an unknown member", (proof) => ({ ...proof, extra: true }), "422 SCHEMA_INVALID"],
  ["no signature", (proof) => ({ ...proof, signatures: [] }), "422 SCHEMA_INVALID"],
]
for (const [what, spoil, code] of wrongProofs) {
  test(`a proof with ${what} gets ${code} and does not consume the challenge`, async () => {
    const challenge = await service.challenge(keys)
    const proof = proofOf(challenge, keys)
    expect(await codeOf(await service.post(provePath(challenge), spoil(proof)))).toBe(code)
    expect(await identityRows()).toEqual([0, 0, 0])
    expect((await service.post(provePath(challenge), proof)).status).toBe(200)
  })
}

test("five wrong proofs lock a challenge, even for the correct one", async () => {
  const challenge = await service.challenge(keys)
  for (let i = 0; i < 5; i++) {
    const wrong = proofOf(challenge, makeAgentKeys())
    expect(await codeOf(await service.post(provePath(challenge), wrong))).toBe("422 PROOF_SIGNATURE_INVALID")
  }
  expect(await codeOf(await service.post(provePath(challenge), proofOf(challenge, keys)))).toBe("409 CHALLENGE_LOCKED")
  expect(await identityRows()).toEqual([0, 0, 0])
})

test("a challenge is provable before the instant it expires, not at it", async () => {
  const [early, late] = [await service.challenge(keys), await service.challenge(makeAgentKeys())]
  service.clock.at += 600_000
  expect(await codeOf(await service.post(provePath(late), proofOf(late, keys)))).toBe("409 CHALLENGE_EXPIRED")
  service.clock.at -= 1
  expect((await service.post(provePath(early), proofOf(early, keys))).status).toBe(200)
})

test("an expired challenge stays when a new one is issued; the loop deletes it, and then it is unknown", async () => {
  const old = await service.challenge(keys)
  service.clock.at += 1_200_001
  await service.challenge(makeAgentKeys())
  expect(await service.count("agent_challenge")).toBe(2)
  expect(await codeOf(await service.post(provePath(old), proofOf(old, keys)))).toBe("409 CHALLENGE_EXPIRED")
  await purgeExpired({ store: service.store, now: () => service.clock.at })
  expect(await service.count("agent_challenge")).toBe(1)
  expect(await codeOf(await service.post(provePath(old), proofOf(old, keys)))).toBe("404 CHALLENGE_NOT_FOUND")
})

for (const id of ["A".repeat(32), "short", "%00", "svc:agent:x"]) {
  test(`an unknown challenge "${id}" gets 404 CHALLENGE_NOT_FOUND`, async () => {
    const proof = proofOf(await service.challenge(keys), keys)
    const path = `/v1/agent-identities/challenges/${id}/prove`
    expect(await codeOf(await service.post(path, proof))).toBe("404 CHALLENGE_NOT_FOUND")
  })
}

test("one address enrols at most two hundred identities a UTC day, and the address is not stored longer", async () => {
  await service.enrolled(keys)
  await service.write(
    "UPDATE shared_use SET used = ? WHERE cap = 'ENROLMENTS' AND share = 'ADDRESS 192.0.2.1'",
    SHARED_CAPS.ENROLMENTS.ofAddress,
  )
  const next = makeAgentKeys()
  const challenge = await service.challenge(next)
  const refused = await service.post(provePath(challenge), proofOf(challenge, next))
  expect(refused.status).toBe(429)
  expect((await refused.json()) as object).toMatchObject({ reason_codes: ["ENROLMENTS_OF_ADDRESS"] })
  expect(await identityRows()).toEqual([1, 2, 1])
  expect((await service.post(provePath(challenge), proofOf(challenge, next), "192.0.2.99")).status).toBe(200)

  service.clock.at += 86_400_000
  await service.enrolled(makeAgentKeys())
  await service.store.run(() => purgeSharedUse(service.clock.at - 86_400_000))
  expect(await service.rows("SELECT share, used FROM shared_use WHERE cap = 'ENROLMENTS' ORDER BY share")).toEqual([
    { share: "ADDRESS 192.0.2.1", used: 1 },
    { share: "ALL", used: 1 },
  ])
  expect(await service.rows("SELECT client FROM agent_challenge WHERE state = 'CONSUMED'")).toEqual(
    Array.from({ length: 3 }, () => ({ client: null })),
  )
})

describe("a statement key that another process replaced signs nothing more", () => {
  const replacing = async () => {
    const next = keyFromSeed(new Uint8Array(randomBytes(32)))
    const signer = { issuer: "svc", keyId: keyIdOf(next.x), privateKey: next.privateKey }
    const refreshed = { count: 0 }
    const own = await openService({
      ...{ signer: () => (refreshed.count > 0 ? signer : retired) },
      refreshKeys: async () => refreshed.count++,
    })
    const retired = { issuer: "svc", keyId: keyIdOf(own.serviceX), privateKey: next.privateKey }
    await own.write("UPDATE service_key SET status = 'REVOKED'")
    const activate = () => own.write(ENTER_SERVICE_KEY, signer.keyId, next.x)
    return { own, signer, refreshed, activate }
  }

  test("because the keys are read again, and the new key signs the receipt", async () => {
    const { own, signer, refreshed, activate } = await replacing()
    await activate()
    const { result } = await own.enrolled()
    expect(result.receipt.signature.key_id).toBe(signer.keyId)
    expect(refreshed.count).toBe(1)
    await own.close()
  })

  test("when no key can sign now, nothing is accepted and the same proof may be sent again", async () => {
    const { own, signer, activate } = await replacing()
    const keys = makeAgentKeys()
    const challenge = await own.challenge(keys)
    const send = () => own.post(provePath(challenge), proofOf(challenge, keys))
    const refused = await send()
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, "STORE_UNAVAILABLE"])
    expect([await own.count("agent_event"), await own.count("log_leaf")]).toEqual([0, 0])
    await activate()
    const accepted = (await (await send()).json()) as AgentIdentityProofResult
    expect(accepted.receipt.signature.key_id).toBe(signer.keyId)
    await own.close()
  })
})
