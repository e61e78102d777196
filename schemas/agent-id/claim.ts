/** The single claim of Agent ID, its limitations, and the definitions that a verifier needs to check it without the service. */
import { type Static, Type } from "@sinclair/typebox"
import { AGENT_ID_LIMITATIONS, closed, enumeration } from "../common.ts"
import { FREE, operation } from "../operation.ts"
import { Limitations } from "./challenge.ts"

const Sentence = Type.String({ minLength: 1 })
/** The meaning of each token, keyed by the token. */
const LimitationTexts = Type.Record(enumeration(...AGENT_ID_LIMITATIONS), Sentence, { additionalProperties: false })
const Sentences = Type.Array(Sentence, { minItems: 1, uniqueItems: true })

export const KeyControlClaim = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product_id: Type.Literal("svc.agent-id.v1"),
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    claim_version: Type.Literal("1.1.0"),
    evidence: Type.Literal("ED25519_PROOF_OF_POSSESSION"),
    assurance_level: Type.Literal("SELF_REGISTERED"),
    coverage: Type.Literal("GLOBAL_KEY_CONTROL_ONLY"),
    statement: Sentence,
    says: Sentences,
    does_not_say: Sentences,
    limitations: Limitations,
    limitation_texts: LimitationTexts,
    identifier: closed({ pattern: Sentence, derivation: Sentence }),
    canonicalization: closed({
      name: Type.Literal("SVC-C14N-JSON-1"),
      output: Sentence,
      input_rules: Sentences,
      digest: Sentence,
      signing_bytes: Sentence,
    }),
    signature_policy: closed({
      name: Type.Literal("SVC-ED25519-STRICT-1"),
      algorithm: Type.Literal("Ed25519"),
      public_key_rules: Sentences,
      signature_rules: Sentences,
      key_id: Sentence,
    }),
    transparency_log: closed({ entry: Sentence, proves: Sentences, does_not_prove: Sentences }),
    next_machine_action: Type.Literal("USE_AS_KEY_CONTROL_EVIDENCE_ONLY"),
  },
  { $id: "KeyControlClaim" },
)
export type KeyControlClaim = Static<typeof KeyControlClaim>

export const readClaim = operation({
  id: "GetKeyControlOnlyClaim",
  tool: "READ",
  method: "GET",
  path: "/v1/agent-id/claims/key-control-only",
  summary: "What KEY_CONTROL_ONLY says and does not say, with the definitions to check it; a version never changes",
  body: undefined,
  responses: {
    200: { description: "Versioned claim and limitations", schema: KeyControlClaim },
    304: { description: "Unchanged since the ETag sent" },
  },
  ...FREE,
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
})
