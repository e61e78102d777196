/** The signed forms as a public document. CHOICE: the interface does not show what signatures cover; this document says it. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import { documentReplies } from "./document-replies.ts"

export const SIGNED_FORMS_PATH = "/v1/agent/signed-forms"

const Sentence = Type.String()
const Pointers = Type.Array(Type.String(), { description: "JSON Pointers (RFC 6901); * is any index" })
const Operations = Type.Array(Type.String(), { description: "Ids of the operations that take or give it" })
const Value = Type.Unknown({ description: "Example that the schema accepts" })

const TestSignature = closed({
  test_key: Type.String({ description: "Name in test_keys" }),
  value: Type.String({ description: "Ed25519 over the UTF-8 bytes of the text, 64 bytes in base64url" }),
})

/** What a passkey signs instead of the text. Every text of bytes is base64url. */
const TestAssertion = closed({
  test_key: Type.String({ description: "Name in test_keys" }),
  public_key: Type.String({ description: "SubjectPublicKeyInfo of the test key" }),
  client_data_json: Type.String({ description: "Names the challenge: the SHA-256 of the canonical text" }),
  authenticator_data: Type.String(),
  signature: Type.String({
    description: "Ed25519 in base64url over authenticator data and the SHA-256 of the client data",
  }),
})

const SignedForm = closed({
  purpose: Sentence,
  signers: Type.Array(
    enumeration(
      "AGENT_OPERATIONAL_KEY",
      "AGENT_RECOVERY_KEY",
      "ORGANIZATION_MANDATE_KEY",
      "SERVICE_STATEMENT_KEY",
      "SERVICE_SANDBOX_KEY",
      "LIST_KEY",
      "REVIEWER_PASSKEY",
    ),
    { description: "Whose key signs" },
  ),
  key_rule: Sentence,
  domain: Type.Union([Type.String(), Type.Null()], { description: "The literal of the member domain, or null" }),
  mark: Type.String({ description: "The member that tells the form from every other form" }),
  carrier: enumeration("HTTP_REQUEST_BODY", "HTTP_RESPONSE_BODY", "ACP_MESSAGE", "FILE"),
  value_at: Type.Union([Type.String(), Type.Null()], {
    description: "JSON Pointer to the signed value in the carrier; null: it is never sent, both sides build it",
  }),
  leaves_out: Pointers,
  signature_at: Pointers,
  lifetime: Sentence,
  nonce: Sentence,
  operations: Operations,
  schema: Type.Unknown({ description: "Closed JSON Schema 2020-12 of the signed value" }),
  vector: closed({
    value: Value,
    canonical: Type.String({ description: "SVC-C14N-JSON-1 text of the value: what is signed" }),
    digest: Type.String({ description: "sha256:<hex> over the canonical text" }),
    signatures: Type.Array(TestSignature, { description: "Empty for a form that a passkey signs" }),
    assertion: Type.Optional(TestAssertion),
  }),
})

const DigestForm = closed({
  over: Sentence,
  form: Sentence,
  appears_at: Type.Array(Type.String(), { description: "Members and headers that carry it" }),
  vector: Type.Union([
    closed({
      value: Value,
      text: Type.String({ description: "The digested text, as UTF-8" }),
      result: Type.String(),
    }),
    Type.Null(),
  ]),
})

const HttpForm = closed({
  purpose: Sentence,
  signers: Type.Array(Type.Literal("AGENT_OPERATIONAL_KEY")),
  key_rule: Sentence,
  label: Type.String(),
  components: Type.Array(Type.String(), { description: "In this order; @query last, and only with a query" }),
  parameters: Type.Array(Type.String(), { description: "In this order" }),
  fixed_parameters: Type.Record(Type.String(), Type.String()),
  headers: Type.Array(Type.String()),
  content_digest: Sentence,
  lifetime: Sentence,
  nonce: Sentence,
  operations: Operations,
  vector: closed({
    request: closed({
      method: Type.String(),
      authority: Type.String(),
      path: Type.String(),
      query: Type.String(),
      content_type: Type.String(),
      body: Type.String(),
    }),
    text: Type.String({ description: "Signature base (RFC 9421 2.5): what is signed" }),
    headers: Type.Record(Type.String(), Type.String()),
    test_key: Type.String(),
  }),
})

/** Names are unique over the three groups: a refusal names one of them. */
export const SignedForms = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    algorithm: Sentence,
    canonicalization: closed({ name: Type.Literal("SVC-C14N-JSON-1"), rules: Type.Array(Sentence) }),
    how_to_sign: Type.Array(Sentence),
    test_keys: Type.Record(
      Type.String(),
      closed({
        seed_text: Type.String({ description: "The Ed25519 seed is the SHA-256 of this text. Never use the key" }),
        issuer: Type.String(),
        key_id: Type.String(),
        public_jwk: closed({ kty: Type.String(), crv: Type.String(), x: Type.String() }),
      }),
    ),
    forms: Type.Record(Type.String(), SignedForm),
    http_forms: Type.Record(Type.String(), HttpForm),
    digests: Type.Record(Type.String(), DigestForm),
  },
  { $id: "SignedForms" },
)
export type SignedForms = Static<typeof SignedForms>

export const getSignedForms = operation({
  ...PUBLIC_READ,
  id: "get_signed_forms",
  path: SIGNED_FORMS_PATH,
  summary: "Every form that is signed: purpose, signer, schema, rules, and a vector with a test key",
  responses: {
    200: { description: "The table of signed forms", schema: SignedForms },
    ...documentReplies,
  },
})
