import { afterEach, beforeEach, expect } from "bun:test"
import { hash, randomBytes } from "node:crypto"
import { Point } from "@noble/ed25519"
import type { AgentIdentityProofResult } from "../../../schemas/agent-id/proof.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { makeAgentKeys, proofOf, type TestAgentKeys } from "../../fixtures/agent.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { challengeFor, ending, enrolled, makeKey, proofBy, recovery, rotation } from "./key-changes.ts"
import { codeOf, openService, provePath, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let keys: TestAgentKeys
beforeEach(async () => {
  service = await openService()
  keys = makeAgentKeys()
})
afterEach(() => service.close())

const identityRows = () => Promise.all(["agent", "agent_key", "agent_event"].map((table) => service.count(table)))

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const littleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)
const sha512 = (...parts: Uint8Array[]) => new Uint8Array(hash("sha512", Buffer.concat(parts), "buffer"))

/** Signs with a random nonce instead of RFC 8032's, so that every call gives another valid signature of the same text. */
function signRandomly({ privateKey, x }: TestAgentKeys["operational"], text: string): string {
  const seed = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url")
  const scalarBytes = sha512(seed).subarray(0, 32)
  scalarBytes[0] = (scalarBytes[0] ?? 0) & 0xf8
  scalarBytes[31] = ((scalarBytes[31] ?? 0) & 0x7f) | 0x40
  const nonce = littleEndian(new Uint8Array(randomBytes(64))) % ORDER
  const r = Point.BASE.multiply(nonce).toBytes()
  const challenge = littleEndian(sha512(r, Buffer.from(x, "base64url"), Buffer.from(text))) % ORDER
  const s = (nonce + challenge * littleEndian(scalarBytes)) % ORDER
  const sBytes = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse()
  return Buffer.concat([r, sBytes]).toString("base64url")
}

test("of fifty parallel proofs, all valid and all different, exactly one succeeds; the others are replays", async () => {
  const challenge = await service.challenge(keys)
  const text = canonicalize(challenge.challenge)
  const proofs = Array.from({ length: 50 }, () => {
    const proof = proofOf(challenge, keys)
    const value = signRandomly(keys.operational, text)
    expect(verifySignature(keys.operational.x, text, value)).toBe(true)
    return { ...proof, signatures: proof.signatures.map((each, index) => (index === 0 ? { ...each, value } : each)) }
  })
  const answers = await Promise.all(proofs.map((proof) => service.post(provePath(challenge), proof)))
  const codes = await Promise.all(answers.map(async (answer) => (answer.ok ? "200" : codeOf(answer))))
  expect(codes.filter((code) => code === "200")).toHaveLength(1)
  expect(codes.filter((code) => code === "409 CHALLENGE_REPLAY")).toHaveLength(49)
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("fifty parallel equal proofs make one event and fifty responses that differ only in `replayed`", async () => {
  const challenge = await service.challenge(keys)
  const proof = proofOf(challenge, keys)
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.post(provePath(challenge), proof)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as AgentIdentityProofResult[]
  expect(bodies.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(new Set(bodies.map((body) => canonicalize({ ...body, replayed: false }))).size).toBe(1)
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("of fifty parallel different proofs one is valid: it succeeds, or the invalid ones before it locked the challenge", async () => {
  const challenge = await service.challenge(keys)
  const good = proofOf(challenge, keys)
  const bad = () => proofOf(challenge, { operational: keys.operational, recovery: makeAgentKeys().recovery })
  const proofs = Array.from({ length: 50 }, (_, index) => (index === 3 ? good : bad()))
  const answers = await Promise.all(proofs.map((proof) => service.post(provePath(challenge), proof)))
  const succeeded = answers.filter(({ status }) => status === 200).length
  expect(answers.every(({ status }) => [200, 409, 422].includes(status))).toBe(true)
  expect(await identityRows()).toEqual([succeeded, 2 * succeeded, succeeded])
  expect(await service.rows("SELECT state FROM agent_challenge")).toEqual([
    { state: succeeded === 1 ? "CONSUMED" : "LOCKED" },
  ])
})

test("parallel challenges for one key pair give one identity, and the others get 409 KEY_ALREADY_ENROLLED", async () => {
  const challenges = await Promise.all(Array.from({ length: 8 }, () => service.challenge(keys)))
  const answers = await Promise.all(challenges.map((each) => service.post(provePath(each), proofOf(each, keys))))
  const codes = await Promise.all(answers.map(async (answer) => (answer.ok ? "200" : codeOf(answer))))
  expect(codes.filter((code) => code === "200")).toHaveLength(1)
  expect(codes.filter((code) => code === "409 KEY_ALREADY_ENROLLED")).toHaveLength(7)
  expect(await identityRows()).toEqual([1, 2, 1])
})

test("fifty parallel proofs of one rotation, all valid and all different, make one event; fifty equal ones get one response", async () => {
  const agent = await enrolled(service)
  const challenge = await challengeFor(service, rotation(agent.agentId, agent.next))
  const text = canonicalize(challenge.challenge)
  const right = proofBy(challenge, { OPERATIONAL: agent.operational, NEW_OPERATIONAL: agent.next })
  const different = Array.from({ length: 50 }, () => ({
    ...right,
    signatures: right.signatures.map((each, index) =>
      index === 0 ? { ...each, value: signRandomly(agent.operational, text) } : each,
    ),
  }))
  const answers = await Promise.all(
    different.map((proof, index) => service.post(provePath(challenge), proof, `198.51.100.${index}`)),
  )
  const codes = await Promise.all(answers.map(async (answer) => (answer.ok ? "200" : codeOf(answer))))
  expect(codes.filter((code) => code === "200")).toHaveLength(1)
  expect(codes.filter((code) => code === "409 CHALLENGE_REPLAY")).toHaveLength(49)
  expect([await service.count("agent_event"), await service.count("log_leaf")]).toEqual([2, 2])

  service.clock.at += 600_000
  const end = await challengeFor(service, ending(agent.agentId))
  const proof = proofBy(end, { RECOVERY: agent.recovery })
  const equal = await Promise.all(
    Array.from({ length: 50 }, (_, index) => service.post(provePath(end), proof, `198.51.100.${index}`)),
  )
  const bodies = (await Promise.all(equal.map((answer) => answer.json()))) as AgentIdentityProofResult[]
  expect(new Set(bodies.map((body) => canonicalize({ ...body, replayed: false }))).size).toBe(1)
  expect(bodies.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect([await service.count("agent_event"), await service.count("log_leaf")]).toEqual([3, 3])
})

test("of eight different simultaneous changes of one identity one is accepted, and the others are superseded", async () => {
  const agent = await enrolled(service)
  const fresh = Array.from({ length: 7 }, makeKey)
  const recoveries = await Promise.all(fresh.map((key) => challengeFor(service, recovery(agent.agentId, key))))
  const changes = recoveries.map((challenge, index) => ({
    challenge,
    proof: proofBy(challenge, { RECOVERY: agent.recovery, NEW_OPERATIONAL: fresh[index] ?? agent.next }),
  }))
  const routine = await challengeFor(service, rotation(agent.agentId, agent.next))
  changes.push({
    challenge: routine,
    proof: proofBy(routine, { OPERATIONAL: agent.operational, NEW_OPERATIONAL: agent.next }),
  })
  const answers = await Promise.all(changes.map(({ challenge, proof }) => service.post(provePath(challenge), proof)))
  const codes = await Promise.all(answers.map(async (answer) => (answer.ok ? "200" : codeOf(answer))))
  expect(codes.filter((code) => code === "200")).toHaveLength(1)
  expect(codes.filter((code) => code === "409 CHALLENGE_SUPERSEDED")).toHaveLength(7)
  expect([await service.count("agent_event"), await service.count("log_leaf")]).toEqual([2, 2])
})
