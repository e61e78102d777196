/** The identity routes of this version (Interface, "Free agent identity"). */
import { AgentId } from "../common.ts"
import { FREE, operation, type RateLimit } from "../operation.ts"
import { problem } from "../problem.ts"
import { AGENT_ID, NOT_A_CLAIM } from "./belonging.ts"
import { AgentIdentityChallenge, IssueAgentIdentityChallenge } from "./challenge.ts"
import { challengeExample, proofExample } from "./example-bodies.ts"
import { AgentProfile, AgentStatus } from "./identity.ts"
import { AgentJwks } from "./jwk.ts"
import { ChallengeId } from "./key-event.ts"
import { AgentIdentityProofResult, ProveAgentIdentityChallenge } from "./proof.ts"

const READS: RateLimit = { group: "agent-identity-reads", perMinute: 600 }
const PROOFS: RateLimit = { group: "agent-identity-proofs", perMinute: 60 }
export const issueChallenge = operation({
  id: "IssueAgentIdentityChallenge",
  tool: "WRITE",
  method: "POST",
  path: "/v1/agent-identities/challenges",
  summary: "The key event to be signed: enrols an identity, or rotates or revokes its keys",
  body: IssueAgentIdentityChallenge,
  exampleBody: challengeExample,
  responses: {
    201: { description: "Challenge", schema: AgentIdentityChallenge },
    404: problem("No such agent"),
    409: problem("The identity does not allow this change now; reason_codes say why"),
    422: problem("Closed schema, private material, weak or dependent keys"),
    429: problem("Too many requests or outstanding challenges, or a routine rotation within ten minutes"),
    503: problem("Challenge issuance is off"),
  },
  ...FREE,
  cors: "NONE",
  rateLimit: { group: "agent-identity-challenges", perMinute: 20 },
  partOf: AGENT_ID,
  intent: { name: "ENROLL_AGENT_IDENTITY", notFor: NOT_A_CLAIM, chosenBy: { purpose: "ENROLLMENT" } },
  furtherIntents: [
    { name: "ROTATE_AGENT_KEY", notFor: NOT_A_CLAIM, chosenBy: { purpose: "ROTATION" }, planning: ["AGENT"] },
    { name: "REVOKE_AGENT_KEY", notFor: NOT_A_CLAIM, chosenBy: { purpose: "REVOCATION" }, planning: ["AGENT"] },
  ],
})

const proof = {
  method: "POST",
  parameters: { challengeId: ChallengeId },
  body: ProveAgentIdentityChallenge,
  exampleBody: proofExample,
  responses: {
    200: {
      description: "Identity enrolled, or its keys changed; the same proof again gives the same answer",
      schema: AgentIdentityProofResult,
    },
    404: problem("No such challenge"),
    409: problem("Replay with other material, expired, locked, superseded, or a key already enrolled"),
    422: problem("Closed schema, or the proof does not verify"),
    429: problem("Too many proofs or enrolments"),
  },
  ...FREE,
  cors: "NONE",
  rateLimit: PROOFS,
  partOf: AGENT_ID,
} as const

export const proveChallenge = operation({
  id: "ProveAgentIdentityChallenge",
  tool: "WRITE",
  path: "/v1/agent-identities/challenges/{challengeId}/prove",
  summary: "Prove possession of the required keys; consumes the challenge",
  ...proof,
})

/** The template of the enrolment descriptor. The interface states both templates, and both are served. */
export const proveChallengeByDescriptor = operation({
  id: "ProveAgentIdentityChallengeByDescriptor",
  path: "/v1/agent-identities/{challengeId}/prove",
  summary: "The same as ProveAgentIdentityChallenge, under the enrolment descriptor's template",
  ...proof,
})

const read = {
  method: "GET",
  parameters: { agentId: AgentId },
  body: undefined,
  ...FREE,
  cors: "PUBLIC",
  rateLimit: READS,
  partOf: AGENT_ID,
} as const
const unknownAgent = problem("Unknown or malformed agent id")

export const readProfile = operation({
  id: "GetAgentIdentity",
  tool: "READ",
  path: "/v1/agent-identities/{agentId}",
  summary: "Minimized public profile",
  responses: {
    200: { description: "Profile", schema: AgentProfile },
    304: { description: "The profile with that ETag is current" },
    404: unknownAgent,
  },
  ...read,
})

export const readStatus = operation({
  id: "GetAgentIdentityStatus",
  tool: "READ",
  path: "/v1/agent-identities/{agentId}/status",
  summary: "Signed current status with freshness",
  responses: {
    200: { description: "Signed status", schema: AgentStatus },
    304: { description: "The status with that ETag is the one of this half minute" },
    404: unknownAgent,
  },
  intent: { name: "READ_AGENT_STATUS", notFor: [...NOT_A_CLAIM, "AGENT_DIRECTORY"], planning: ["AGENT"] },
  ...read,
})

export const readJwks = operation({
  id: "GetAgentIdentityJwks",
  tool: "READ",
  path: "/v1/agent-identities/{agentId}/jwks.json",
  summary:
    "ACTIVE operational keys. A relying party with a default JOSE cache accepts a revoked key for up to ten minutes; use status for anything that moves money",
  responses: {
    200: { description: "JWK set", schema: AgentJwks, mediaType: "application/jwk-set+json" },
    304: { description: "The set with that ETag is current" },
    404: unknownAgent,
  },
  ...read,
})
