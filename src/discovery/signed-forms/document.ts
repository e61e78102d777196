/** `GET /v1/agent/signed-forms`: what each signature covers, with a vector. */
import { getSignedForms, type SignedForms } from "../../../schemas/discovery/signed-forms.ts"
import { CANONICALIZATION, canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import { signWith } from "../../core/ed25519.ts"
import { type FormSigner, signedFormRules } from "../../core/forms/signed-form-rules.ts"
import { describedKey, testKey } from "../../core/forms/test-keys.ts"
import { type SignedFormName, signedForms } from "../../core/signed-forms.ts"
import type { ConstantRow, DocumentParts } from "../parts.ts"
import { compact, mapParts, type PlainSchema, plainSchema } from "../plain-schema.ts"
import { DIGEST_FORMS } from "./digests.ts"
import { agentRequestForm } from "./http-form.ts"
import { passkeyVector } from "./passkey-vector.ts"
import { exampleValue, ISSUERS } from "./values.ts"

export const SIGNED_FORMS: ConstantRow = { operation: getSignedForms, print: signedFormsDocument }

export function signedFormsDocument({ operations }: Pick<DocumentParts, "operations">): SignedForms {
  const names = Object.keys(signedForms) as SignedFormName[]
  const keys = Object.keys(ISSUERS) as (keyof typeof ISSUERS)[]
  return {
    schema_version: "1.0.0",
    algorithm: "Ed25519 (RFC 8032) over the UTF-8 bytes of the canonical text; nothing is prepended or hashed before.",
    canonicalization: { name: CANONICALIZATION, rules: CANONICAL_RULES },
    how_to_sign: HOW_TO_SIGN,
    test_keys: Object.fromEntries(keys.map((name) => [name, describedKey(testKey(name), ISSUERS[name])])),
    forms: Object.fromEntries(names.map((name) => [name, formOf(name)])),
    http_forms: { AGENT_REQUEST: agentRequestForm(operations) },
    digests: DIGEST_FORMS,
  }
}

const CANONICAL_RULES = [
  "RFC 8785 (JCS): members sorted by UTF-16 code units, no space, ECMAScript numbers, shortest escapes.",
  "The text that is read is strict JSON: no member twice, no unpaired surrogate, no number outside the exact range of a double.",
]

const HOW_TO_SIGN = [
  "Build the value: the schema is closed, and the members at leaves_out are not in it.",
  "Canonicalize it, and sign the UTF-8 bytes of the text with Ed25519.",
  "Write the 64 bytes as 86 characters of base64url without padding at signature_at.",
  "Every date-time, digest and id stays byte for byte as it was signed.",
]

function formOf(name: SignedFormName): SignedForms["forms"][string] {
  const { domain, mark, schema } = signedForms[name]
  const rules = signedFormRules[name]
  return {
    purpose: rules.purpose,
    signers: [...rules.signers],
    key_rule: rules.keyRule,
    domain,
    mark,
    carrier: rules.carrier,
    value_at: rules.valueAt,
    leaves_out: [...rules.leavesOut],
    signature_at: [...rules.signatureAt],
    lifetime: rules.lifetime,
    nonce: rules.nonce,
    operations: [...rules.operations],
    schema: shortSchema(plainSchema(schema)),
    vector: vectorOf(exampleValue(name), rules.signers),
  }
}

function shortSchema(schema: PlainSchema): PlainSchema {
  return compact(mapParts(schema, shortSchema))
}

function vectorOf(value: unknown, signers: readonly FormSigner[]): SignedForms["forms"][string]["vector"] {
  const canonical = canonicalize(value)
  return {
    value,
    canonical,
    digest: digestBytes(canonical),
    ...(signers.includes("REVIEWER_PASSKEY") && { assertion: passkeyVector(canonical) }),
    signatures: signers
      .filter((name) => name !== "REVIEWER_PASSKEY")
      .map((name) => ({ test_key: name, value: signWith(testKey(name).privateKey, canonical) })),
  }
}
