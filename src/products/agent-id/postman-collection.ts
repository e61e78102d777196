/**
 * Generates the Postman collection from the operation rows, including methods, paths, expected statuses and descriptions. Enrolment takes
 * two runs. The first run requests a challenge and prints the text to sign. The caller signs on their own machine. The second run proves
 * and reads.
 */
import { readBootstrap, readDescriptor } from "../../../schemas/agent-id/descriptor.ts"
import {
  issueChallenge,
  proveChallenge,
  readJwks,
  readProfile,
  readStatus,
} from "../../../schemas/agent-id/operations.ts"
import type { PostmanCollection, PostmanFolder, PostmanRequest } from "../../../schemas/agent-id/postman.ts"
import { verifyAgentSignature } from "../../../schemas/agent-id/signature-operations.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { agentIdBootstrap, type DescriptorParts } from "./descriptor.ts"
import * as scripts from "./postman-scripts.ts"

export function postmanCollection(parts: DescriptorParts): PostmanCollection {
  const { name, promise, synthetic_test: synthetic } = agentIdBootstrap(parts)
  const payload = canonicalize(synthetic.payload)
  return {
    info: {
      name,
      description: `${promise}\n\nFill operational_public_key and recovery_public_key (the x of two Ed25519 public JWKs) and run the collection: it asks for a challenge and prints what to sign. Sign on your own machine, fill the three signatures, and run it again within ten minutes. To start over, empty the signatures. Never put a private key here.`,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
      version: "1.0.0",
    },
    variable: [
      variable("base_url", "Address of the service", parts.baseUrl),
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
    ],
    item: [firstRun(), secondRun(synthetic.payload)],
  }
}

function variable(key: string, description: string, value = ""): PostmanCollection["variable"][number] {
  return { key, value, type: "string", description }
}

function firstRun(): PostmanFolder {
  return {
    name: "First run: what Agent ID is, and a challenge",
    description: "Skipped once operational_signature is filled.",
    event: [script("prerequest", scripts.SKIP_WHEN_SIGNED)],
    item: [
      request("Product descriptor", readDescriptor),
      request("Bootstrap", readBootstrap),
      request("Ask for a challenge", issueChallenge, {
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

function secondRun(payload: object): PostmanFolder {
  return {
    name: "Second run: prove, then read",
    description: "Skipped until operational_signature is filled.",
    event: [script("prerequest", scripts.SKIP_UNTIL_SIGNED)],
    item: [
      request("Prove both keys", proveChallenge, {
        tests: scripts.PROOF_TESTS,
        body: {
          schema_version: "1.0.0",
          challenge_digest: "{{challenge_digest}}",
          signatures: [proofSignature("OPERATIONAL", "operational"), proofSignature("RECOVERY", "recovery")],
        },
      }),
      request("Profile", readProfile, { tests: scripts.PROFILE_TESTS }),
      request("Status", readStatus, { tests: scripts.STATUS_TESTS }),
      request("Public keys", readJwks, { tests: scripts.JWKS_TESTS }),
      request("Verify a signature", verifyAgentSignature, {
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

interface Filled {
  readonly body?: object
  readonly tests?: string
}

/** `{agentId}` in a path becomes the variable `{{agent_id}}`. */
function request(name: string, operation: Operation, { body, tests = "" }: Filled = {}): PostmanRequest {
  const path = operation.path.replace(
    /\{([A-Za-z]+)\}/g,
    (_, parameter: string) => `{{${parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}}`,
  )
  const expected = Number(Object.keys(operation.responses).find((status) => status.startsWith("2")))
  return {
    name,
    event: [script("test", scripts.statusTest(expected) + tests)],
    request: {
      method: operation.method,
      description: operation.summary,
      header: body ? [{ key: "Content-Type", value: "application/json" }] : [],
      url: { raw: `{{base_url}}${path}`, host: ["{{base_url}}"], path: path.slice(1).split("/") },
      ...(body && {
        body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
      }),
    },
    response: [],
  }
}

function script(listen: "prerequest" | "test", text: string) {
  return { listen, script: { type: "text/javascript" as const, exec: text.trim().split("\n") } }
}
