import type { AgentProfile } from "../../../schemas/agent-id/identity.ts"
import type { AgentJwks } from "../../../schemas/agent-id/jwk.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { publicJwk } from "../../core/jwk.ts"
import type { AgentKey } from "../../store/identity/agent-identity.ts"

interface ProfileFacts {
  readonly agentId: string
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly keys: readonly Pick<AgentKey, "keyId" | "role" | "status" | "successorKeyId">[]
}

/** Minimized: it lists only the operational key without a successor, so the profile does not reveal the number of rotations. */
export function profileOf(facts: ProfileFacts, issuerName: string, baseUrl: string): AgentProfile {
  const self = `${baseUrl}/v1/agent-identities/${facts.agentId}`
  return {
    schema_version: "1.0.0",
    agent_id: facts.agentId,
    identity_status: facts.identityStatus,
    product_id: "svc.agent-id.v1",
    claim: "KEY_CONTROL_ONLY",
    assurance_level: "SELF_REGISTERED",
    coverage: "GLOBAL_KEY_CONTROL_ONLY",
    evidence: "ED25519_PROOF_OF_POSSESSION",
    issuer: issuerName,
    keys: facts.keys
      .filter(({ role, successorKeyId }) => role === "OPERATIONAL" && successorKeyId === null)
      .map(({ keyId, status }) => ({ key_id: keyId, role: "OPERATIONAL", status, algorithm: "Ed25519" })),
    links: {
      status: `${self}/status`,
      jwks: `${self}/jwks.json`,
      export: `${self}/export`,
      claim: `${baseUrl}/v1/agent-id/claims/key-control-only`,
    },
    limitations: [...AGENT_ID_LIMITATIONS],
  }
}

/** Contains ACTIVE operational keys only: generic JWKS clients accept a signature by any key of the set. */
export function jwksOf(keys: readonly AgentKey[]): AgentJwks {
  return {
    keys: keys
      .filter(({ role, status }) => role === "OPERATIONAL" && status === "ACTIVE")
      .map(({ x, keyId }) => ({ ...publicJwk(x), kid: keyId, alg: "EdDSA", use: "sig" })),
  }
}
