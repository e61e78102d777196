/** Complete bodies for the documents. The keys are those of RFC 8032 7.1, tests 1 and 2; no signature in them verifies. */

const OPERATIONAL = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" } as const
const RECOVERY = { kty: "OKP", crv: "Ed25519", x: "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw" } as const
/** Nobody has this id: it is the digest of no event. */
export const EXAMPLE_AGENT = `svc:agent:${"A".repeat(32)}`
export const EXAMPLE_KEY_ID = "ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
const RECOVERY_KEY_ID = `ed25519-${"B".repeat(43)}`
export const EXAMPLE_DIGEST = `sha256:${"0".repeat(64)}`
export const SIGNATURE_TEXT = "A".repeat(86)

export const challengeExample = {
  schema_version: "1.0.0",
  purpose: "ENROLLMENT",
  operational_public_jwk: OPERATIONAL,
  recovery_public_jwk: RECOVERY,
} as const

export const proofExample = {
  schema_version: "1.0.0",
  challenge_digest: EXAMPLE_DIGEST,
  signatures: [
    { role: "OPERATIONAL", key_id: EXAMPLE_KEY_ID, algorithm: "Ed25519", value: SIGNATURE_TEXT },
    { role: "RECOVERY", key_id: RECOVERY_KEY_ID, algorithm: "Ed25519", value: SIGNATURE_TEXT },
  ],
} as const

export const signatureExample = {
  schema_version: "1.0.0",
  statement: {
    schema_version: "1.0.0",
    domain: "svc.agent-signature.v1",
    agent_id: EXAMPLE_AGENT,
    key_id: EXAMPLE_KEY_ID,
    canonicalization: "SVC-C14N-JSON-1",
    audience: "https://relying-party.example",
    action_type: "example.order.confirm",
    context: { environment: "SYNTHETIC" },
    payload_digest: EXAMPLE_DIGEST,
    nonce: "example-nonce-0000000000000000000",
    issued_at: "2026-11-23T09:00:00Z",
    expires_at: "2026-11-23T09:05:00Z",
    algorithm: "Ed25519",
  },
  signature: SIGNATURE_TEXT,
  replay_check: "OBSERVE",
} as const
