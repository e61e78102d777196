/** The routes for an agent's signatures (Interface, "Free agent identity"). */
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { AgentArtifactRegistration } from "./artifact.ts"
import { AGENT_ID, NOT_A_CLAIM } from "./belonging.ts"
import { signatureExample } from "./example-bodies.ts"
import { VerifyAgentSignature } from "./signature.ts"
import { AgentSignatureVerification } from "./signature-outcomes.ts"

export const verifyAgentSignature = operation({
  id: "VerifyAgentSignature",
  tool: "WRITE",
  method: "POST",
  path: "/v1/agent-signatures/verify",
  summary: "Five separate outcomes about an agent's signature; a 200 is not a valid signature",
  body: VerifyAgentSignature,
  exampleBody: signatureExample,
  responses: {
    200: { description: "Evaluated, whatever the outcomes are", schema: AgentSignatureVerification },
    422: problem("Closed schema, or a payload that could be one of the service's own signed forms"),
    429: problem("Too many requests, or too many recorded nonces"),
    503: problem("Signature verification is off, or a nonce cannot be recorded now"),
  },
  ...FREE,
  cors: "PUBLIC",
  rateLimit: { group: "agent-signature-verification", perMinute: 300 },
  partOf: AGENT_ID,
  intent: { name: "VERIFY_AGENT_SIGNATURE", notFor: [...NOT_A_CLAIM, "CONTENT_TRUTH"] },
})

export const registerArtifact = operation({
  id: "RegisterAgentArtifact",
  method: "POST",
  path: "/v1/agent-id/artifacts",
  summary: "Logs when a signed statement was seen; keeps nothing of its payload, accepts no action, takes no nonce",
  body: VerifyAgentSignature,
  exampleBody: signatureExample,
  responses: {
    200: { description: "Registered, or not because the signature is not valid", schema: AgentArtifactRegistration },
    422: problem("Closed schema, a bare payload, or a replay check other than OBSERVE"),
    429: problem("Too many requests, or registrations today"),
    503: problem("Signature verification is off, or the registration cannot be written now"),
  },
  ...FREE,
  cors: "NONE",
  rateLimit: { group: "agent-artifacts", perMinute: 60 },
  partOf: AGENT_ID,
  intent: {
    name: "REGISTER_SIGNED_ARTIFACT",
    notFor: [...NOT_A_CLAIM, "PAYLOAD_STORAGE", "ACTION_ACCEPTANCE"],
    planning: ["AGENT"],
  },
})
