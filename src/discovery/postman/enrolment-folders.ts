/**
 * Enrolment takes two runs of the collection. The first run requests a challenge and prints the text to sign. The caller signs on their own
 * machine. The second run proves and reads.
 */
import { readBootstrap, readDescriptor } from "../../../schemas/agent-id/descriptor.ts"
import {
  issueChallenge,
  proveChallenge,
  readJwks,
  readProfile,
  readStatus,
} from "../../../schemas/agent-id/operations.ts"
import type { PostmanFolder } from "../../../schemas/agent-id/postman.ts"
import { verifyAgentSignature } from "../../../schemas/agent-id/signature-operations.ts"
import type { Operation } from "../../../schemas/operation.ts"
import * as scripts from "./enrolment-scripts.ts"
import { type PostmanVariable, request, script, successTest, variable } from "./requests.ts"

/** `payload`: C14N of the synthetic payload. */
export function enrolmentVariables(payload: string): PostmanVariable[] {
  return [
    variable("operational_public_key", "You fill it: x of the operational public JWK"),
    variable("recovery_public_key", "You fill it: x of the recovery public JWK"),
    variable("challenge_id", "Set by the first run"),
    variable("challenge_digest", "Set by the first run"),
    variable("challenge_to_sign", "Set by the first run: the text both keys sign"),
    variable("operational_key_id", "Set by the first run"),
    variable("recovery_key_id", "Set by the first run"),
    variable("payload_to_sign", "The synthetic payload the operational key signs", payload),
    variable("operational_signature", "You fill it after the first run"),
    variable("recovery_signature", "You fill it after the first run"),
    variable("payload_signature", "You fill it after the first run"),
    variable("agent_id", "Set by the second run"),
  ]
}

export function firstRun(): PostmanFolder {
  return {
    name: "First run: what Agent ID is, and a challenge",
    description: "Skipped once operational_signature is filled.",
    event: [script("prerequest", scripts.SKIP_WHEN_SIGNED)],
    item: [
      step("Product descriptor", readDescriptor),
      step("Bootstrap", readBootstrap),
      step("Ask for a challenge", issueChallenge, {
        tests: scripts.CHALLENGE_TESTS,
        body: {
          schema_version: "1.0.0",
          purpose: "ENROLLMENT",
          operational_public_jwk: { kty: "OKP", crv: "Ed25519", x: "{{operational_public_key}}" },
          recovery_public_jwk: { kty: "OKP", crv: "Ed25519", x: "{{recovery_public_key}}" },
        },
      }),
    ],
  }
}

export function secondRun(payload: object): PostmanFolder {
  return {
    name: "Second run: prove, then read",
    description: "Skipped until operational_signature is filled.",
    event: [script("prerequest", scripts.SKIP_UNTIL_SIGNED)],
    item: [
      step("Prove both keys", proveChallenge, {
        tests: scripts.PROOF_TESTS,
        body: {
          schema_version: "1.0.0",
          challenge_digest: "{{challenge_digest}}",
          signatures: [proofSignature("OPERATIONAL", "operational"), proofSignature("RECOVERY", "recovery")],
        },
      }),
      step("Profile", readProfile, { tests: scripts.PROFILE_TESTS }),
      step("Status", readStatus, { tests: scripts.STATUS_TESTS }),
      step("Public keys", readJwks, { tests: scripts.JWKS_TESTS }),
      step("Verify a signature", verifyAgentSignature, {
        tests: scripts.VERIFY_TESTS,
        body: {
          schema_version: "1.0.0",
          profile: "PAYLOAD_ONLY",
          agent_id: "{{agent_id}}",
          key_id: "{{operational_key_id}}",
          payload,
          signature: "{{payload_signature}}",
        },
      }),
    ],
  }
}

function proofSignature(role: "OPERATIONAL" | "RECOVERY", name: string) {
  return { role, key_id: `{{${name}_key_id}}`, algorithm: "Ed25519", value: `{{${name}_signature}}` }
}

interface Step {
  readonly body?: object
  readonly tests?: string
}

function step(name: string, operation: Operation, { body, tests = "" }: Step = {}) {
  return request(name, operation, {
    ...(body && { body: JSON.stringify(body, null, 2) }),
    tests: successTest(operation) + tests,
  })
}
