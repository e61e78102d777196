import { getSignedForms, type SignedForms } from "../../schemas/discovery/signed-forms.ts"
import { signedFormsDocument } from "../../src/discovery/signed-forms/document.ts"
import { code, page, table } from "./markdown.ts"
import { operations } from "./operations.ts"

/** Every signed form, the signed HTTP request and every digest, as the service publishes them. Schemas and values are in the document only. */
export async function signedFormsPage(): Promise<string> {
  const { forms, http_forms, digests, test_keys, how_to_sign, canonicalization, algorithm } = signedFormsDocument({
    operations: await operations(),
  })
  const keys = Object.entries(test_keys).map(([name, { seed_text, key_id }]) => [name, code(seed_text), code(key_id)])
  const digestRows = Object.entries(digests).map(([name, { over, form, appears_at, vector }]) => [
    code(name),
    over,
    form,
    appears_at.join(", "),
    code(vector?.result ?? ""),
  ])
  return page(
    "Signed forms",
    `${code(`GET ${getSignedForms.path}`)} has the same table as JSON, with the closed schema of each form and the value of each vector. [What you sign and why](../sign.md) says it in words.`,
    [...how_to_sign, ...canonicalization.rules, algorithm].map((line) => `- ${line}`).join("\n"),
    "## Test keys",
    "The seed of a key is the SHA-256 of its text. Anyone can make these keys, so they prove nothing.",
    table(["test key", "text", "key id"], keys),
    "## Forms",
    ...Object.entries(forms).flatMap(([name, form]) => [`### ${name}`, formText(form)]),
    "## Signed HTTP requests",
    ...Object.entries(http_forms).flatMap(([name, form]) => [`### ${name}`, httpText(form)]),
    "## Digests and fingerprints",
    table(["name", "over", "form", "where", "vector"], digestRows),
  )
}

function formText(form: SignedForms["forms"][string]): string {
  const { domain, mark, value_at: valueAt, leaves_out: leftOut, vector } = form
  const place = valueAt === null ? "never sent, both sides build it" : pointer(valueAt)
  return [
    form.purpose,
    "",
    line("signed by", form.signers.map(code).join(" and ")),
    line("key", form.key_rule),
    line(domain === null ? "mark" : "domain", code(domain ?? mark)),
    line("carried in", code(form.carrier)),
    line("signed value", leftOut.length > 0 ? `${place}, without ${leftOut.map(code).join(" and ")}` : place),
    line("signature", form.signature_at.map(code).join(" and ")),
    line("lifetime", form.lifetime),
    line("nonce", form.nonce),
    ...(form.operations.length > 0 ? [line("operations", form.operations.map(code).join(", "))] : []),
    line("vector", code(vector.digest)),
    ...vector.signatures.map(({ test_key, value }) => line(code(test_key), code(value))),
  ].join("\n")
}

function httpText(form: SignedForms["http_forms"][string]): string {
  return [
    form.purpose,
    "",
    line("signed by", form.signers.map(code).join(" and ")),
    line("key", form.key_rule),
    line("headers", form.headers.map(code).join(", ")),
    line("label", code(form.label)),
    line("components", form.components.map(code).join(", ")),
    line("parameters", form.parameters.map(code).join(", ")),
    line(
      "fixed parameters",
      Object.entries(form.fixed_parameters)
        .map(([name, value]) => code(`${name}="${value}"`))
        .join(", "),
    ),
    line("Content-Digest", form.content_digest),
    line("lifetime", form.lifetime),
    line("nonce", form.nonce),
    line("operations", form.operations.map(code).join(", ")),
    "",
    "```",
    form.vector.text,
    "",
    ...Object.entries(form.vector.headers).map(([name, value]) => `${name}: ${value}`),
    "```",
  ].join("\n")
}

function line(name: string, value: string): string {
  return `- ${name}: ${value}`
}

function pointer(at: string): string {
  return at === "" ? "the whole document" : code(at)
}
