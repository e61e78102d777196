/** An enrolled agent that changes its keys through the two real calls, and the changes it requests. */
import { expect } from "bun:test"
import { randomBytes } from "node:crypto"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { SigningRole } from "../../../schemas/agent-id/key-event.ts"
import type { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "../../../schemas/agent-id/proof.ts"
import type { SigningKey } from "../../../src/agent/keys.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { keyFromSeed, signWith } from "../../../src/core/ed25519.ts"
import { keyIdOf, publicJwk } from "../../../src/core/jwk.ts"
import { enrolmentRequest, makeAgentKeys, proofOf, type TestAgentKeys } from "../../fixtures/agent.ts"
import { openService, provePath, type Service } from "./service.ts"

export const CHALLENGES = "/v1/agent-identities/challenges"

export function makeKey(): SigningKey {
  const { x, privateKey } = keyFromSeed(new Uint8Array(randomBytes(32)))
  return { keyId: keyIdOf(x), x, privateKey }
}

export const commitmentTo = ({ x }: SigningKey) => digestOf(publicJwk(x))

/** Signs a challenge once for each role it names, with the given keys. */
export function proofBy(
  { challenge, challenge_digest, required_signatures }: AgentIdentityChallenge,
  signers: Partial<Record<SigningRole, SigningKey>>,
): ProveAgentIdentityChallenge {
  const text = canonicalize(challenge)
  return {
    schema_version: "1.0.0",
    challenge_digest,
    signatures: required_signatures.map(({ role }) => {
      const key = signers[role]
      if (!key) throw new Error(`nobody signs as ${role}`)
      return { role, key_id: key.keyId, algorithm: "Ed25519", value: signWith(key.privateKey, text) }
    }),
  }
}

export interface Enrolled extends TestAgentKeys {
  readonly agentId: string
  /** The key the enrolment committed to. */
  readonly next: SigningKey
}

/** Enrols an agent with a committed next key; `from` is its address. */
export async function enrolled(service: Service, from = "192.0.2.1"): Promise<Enrolled> {
  const keys = makeAgentKeys()
  const next = makeKey()
  const body = { ...enrolmentRequest(keys), next_operational_key_digest: commitmentTo(next) }
  const challenge = (await (await service.post(CHALLENGES, body, from)).json()) as AgentIdentityChallenge
  const answer = await service.post(provePath(challenge), proofOf(challenge, keys), from)
  const { agent_id } = (await answer.json()) as AgentIdentityProofResult
  return { ...keys, next, agentId: agent_id }
}

/** A service with one enrolled agent, a second after its enrolment. */
export async function openWithEnrolled(): Promise<{ readonly service: Service; readonly agent: Enrolled }> {
  const service = await openService()
  const agent = await enrolled(service)
  service.clock.at += 1000
  return { service, agent }
}

const VERSION = { schema_version: "1.0.0" } as const

export const rotation = (agentId: string, to: SigningKey, more: object = {}) => ({
  ...VERSION,
  ...{
    purpose: "ROTATION",
    agent_id: agentId,
    target: "OPERATIONAL",
    mode: "ROUTINE",
    new_public_jwk: publicJwk(to.x),
  },
  ...more,
})
export const recovery = (agentId: string, to: SigningKey, more: object = {}) =>
  rotation(agentId, to, { mode: "RECOVERY", ...more })
export const recoveryRotation = (agentId: string, to: SigningKey, more: object = {}) =>
  rotation(agentId, to, { target: "RECOVERY", mode: "RECOVERY", ...more })
export const revocation = (agentId: string, more: object = {}) => ({
  ...VERSION,
  ...{ purpose: "REVOCATION", agent_id: agentId, target: "OPERATIONAL", mode: "SELF", reason: "UNSPECIFIED" },
  ...more,
})
export const ending = (agentId: string, more: object = {}) =>
  revocation(agentId, { target: "IDENTITY", mode: "RECOVERY", reason: "CESSATION_OF_OPERATION", ...more })

export async function challengeFor(service: Service, body: object, from?: string): Promise<AgentIdentityChallenge> {
  const response = await service.post(CHALLENGES, body, from)
  if (response.status !== 201) throw new Error(`no challenge: ${await response.text()}`)
  return (await response.json()) as AgentIdentityChallenge
}

/** Both calls of a change. The response must be 200. */
export async function change(
  service: Service,
  body: object,
  signers: Partial<Record<SigningRole, SigningKey>>,
): Promise<AgentIdentityProofResult> {
  const challenge = await challengeFor(service, body)
  const response = await service.post(provePath(challenge), proofBy(challenge, signers))
  expect(response.status).toBe(200)
  return (await response.json()) as AgentIdentityProofResult
}
