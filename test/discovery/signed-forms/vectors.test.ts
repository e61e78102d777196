/**
 * The published vectors, made again and verified without our code: Node's crypto and @noble in this process, the browser's own crypto in
 * Chromium, and programs for Node and Python where the machine has them.
 */
import { describe, expect, test } from "bun:test"
import { createHash, createPublicKey, verify } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ed25519 } from "@noble/curves/ed25519"
import { sha256 } from "@noble/hashes/sha2.js"
import Ajv from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { httpbis } from "http-message-signatures"
import { canonicalize } from "json-canonicalize"
import type { SignedForms } from "../../../schemas/discovery/signed-forms.ts"
import { signedFormRules } from "../../../src/core/forms/signed-form-rules.ts"
import { isSignedForm, type SignedFormName, signedForms } from "../../../src/core/signed-forms.ts"
import { signedFormsDocument } from "../../../src/discovery/signed-forms/document.ts"
import { openChromium } from "../../fixtures/chromium.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROWS } from "../../fixtures/discovery-parts.ts"

const document: SignedForms = JSON.parse(JSON.stringify(signedFormsDocument({ operations: ROWS })))
const forms = Object.entries(document.forms)
const ajv = new Ajv({ strict: false })
addFormats(ajv)
const hex = (text: string) => createHash("sha256").update(text).digest("hex")
const keyOf = (name: string) => {
  const key = document.test_keys[name]
  if (!key) throw new Error(`no test key ${name}`)
  return key
}

/** Whether a value has a member at a JSON pointer. */
function hasMember(value: unknown, pointer: string): boolean {
  const names = pointer.split("/").slice(1)
  const inner = names.slice(0, -1).reduce((one, name) => (one as Record<string, unknown>)[name], value)
  return (names.at(-1) ?? "") in (inner as object)
}

test("every form of the table is in the document, with rules, and only those", () => {
  expect(Object.keys(document.forms)).toEqual(Object.keys(signedForms))
  expect(Object.keys(signedFormRules)).toEqual(Object.keys(signedForms))
})

test("names are unique over forms, HTTP forms and digests, because a refusal names one of them", () => {
  const names = [document.forms, document.http_forms, document.digests].flatMap((group) => Object.keys(group))
  expect(new Set(names).size).toBe(names.length)
})

test("the rules name operations that exist, and leave out members that the value does not have", () => {
  expect(hasMember({ a: { b: 1 } }, "/a/b")).toBe(true)
  const ids = new Set(ROWS.map(({ id }) => id))
  for (const [name, { operations, leaves_out, vector, signers, signature_at, purpose, key_rule }] of forms) {
    expect({ name, unknown: operations.filter((id) => !ids.has(id)) }).toEqual({ name, unknown: [] })
    expect({ name, signed: leaves_out.filter((at) => hasMember(vector.value, at)) }).toEqual({ name, signed: [] })
    expect(signature_at.length === signers.length || name === "KEY_EVENT").toBe(true)
    for (const sentence of [purpose, key_rule]) expect(sentence).toEndWith(".")
  }
})

describe.each(forms)("%s", (name, { vector, schema, domain, mark }) => {
  test("the value has the form, in our table and in the published schema", () => {
    expect(isSignedForm(name as SignedFormName, vector.value)).toBe(true)
    const accepts = ajv.compile(schema as object)
    expect({ name, accepted: accepts(vector.value), errors: accepts.errors }).toEqual({
      name,
      accepted: true,
      errors: null,
    })
    expect(accepts({ ...(vector.value as object), unknown_member: 1 })).toBe(false)
    const value = vector.value as Record<string, unknown>
    expect(mark in value).toBe(true)
    expect(value["domain"] ?? null).toBe(domain)
  })

  test("canonical text, digest and signatures are made again by others", () => {
    expect(canonicalize(vector.value)).toBe(vector.canonical)
    expect(`sha256:${hex(vector.canonical)}`).toBe(vector.digest)
    for (const { test_key, value } of vector.signatures) {
      const key = keyOf(test_key)
      const seed = sha256(new TextEncoder().encode(key.seed_text))
      expect(Buffer.from(ed25519.getPublicKey(seed)).toString("base64url")).toBe(key.public_jwk.x)
      const message = new TextEncoder().encode(vector.canonical)
      expect(Buffer.from(ed25519.sign(message, seed)).toString("base64url")).toBe(value)
      const jwk = createPublicKey({ format: "jwk", key: key.public_jwk })
      expect(verify(null, message, jwk, Buffer.from(value, "base64url"))).toBe(true)
    }
  })
})

test("every digest with a vector is the digest of its text, and the text is the canonical value", () => {
  for (const [name, { vector }] of Object.entries(document.digests)) {
    if (vector === null) continue
    if (name !== "BODY_DIGEST") expect(canonicalize(vector.value)).toBe(vector.text)
    const digest = createHash("sha256").update(vector.text)
    const expected =
      name === "AGENT_ID"
        ? `svc:agent:${digest.digest().subarray(0, 24).toString("base64url")}`
        : name === "KEY_ID"
          ? `ed25519-${digest.digest("base64url")}`
          : `sha256:${digest.digest("hex")}`
    expect({ name, result: vector.result }).toEqual({ name, result: expected })
  }
})

test("the vectors of the forms of a purchase belong together", () => {
  const value = (name: string) => document.forms[name]?.vector.value as Record<string, unknown>
  const digest = (name: string) => document.digests[name]?.vector?.result
  expect(value("MANDATE")["request_digest"]).toBe(digest("REQUEST_DIGEST"))
  expect(value("RECOVERY")["request_digest"]).toBe(digest("REQUEST_DIGEST"))
  expect(value("MANDATE")["payee_fingerprint"]).toBe(digest("DESTINATION_FINGERPRINT"))
  expect(value("DECISION_REQUEST")["buyer_mandate"]).toMatchObject({
    payload: value("MANDATE"),
    mandate_digest: digest("MANDATE_DIGEST"),
    signature: { value: document.forms["MANDATE"]?.vector.signatures[0]?.value },
  })
  expect(value("JOB_BINDING")["requirement_digest"]).toBe(digest("REQUIREMENT_DIGEST"))
  expect(value("DELEGATION")["agent_id"]).toBe(digest("AGENT_ID"))
  expect(keyOf("AGENT_OPERATIONAL_KEY")).toMatchObject({ key_id: digest("KEY_ID"), issuer: digest("AGENT_ID") })
})

test("the signed HTTP request verifies with an independent RFC 9421 implementation", async () => {
  const form = document.http_forms["AGENT_REQUEST"]
  if (!form) throw new Error("no AGENT_REQUEST")
  const { request, headers, text, test_key } = form.vector
  const jwk = createPublicKey({ format: "jwk", key: keyOf(test_key).public_jwk })
  const bytes = Buffer.from(headers["signature"]?.slice(`${form.label}=:`.length, -1) ?? "", "base64")
  expect(verify(null, Buffer.from(text), jwk, bytes)).toBe(true)
  expect(headers["content-digest"]).toBe(`sha-256=:${createHash("sha256").update(request.body).digest("base64")}:`)
  const verified = await httpbis.verifyMessage(
    {
      keyLookup: async () => ({
        algs: ["ed25519"],
        verify: async (data, signature) => verify(null, data, jwk, signature),
      }),
      notAfter: new Date(Date.UTC(2026, 10, 23, 9, 1)),
      tolerance: 10 * 365 * 86_400,
    },
    {
      method: request.method,
      url: `https://${request.authority}${request.path}`,
      headers: { ...headers, "content-type": request.content_type },
    },
  )
  expect(verified).toBe(true)
})

/** What each program gets: text, digest, public key and signature of every vector. */
const CASES = forms.flatMap(([name, { vector }]) =>
  vector.signatures.map(({ test_key, value }) => ({
    name,
    value: vector.value,
    canonical: vector.canonical,
    digest: vector.digest,
    x: keyOf(test_key).public_jwk.x,
    signature: value,
  })),
)

const PYTHON = `
import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
def b64(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
for case in json.load(open("cases.json")):
    text = json.dumps(case["value"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert text == case["canonical"], case["name"]
    assert "sha256:" + hashlib.sha256(text.encode()).hexdigest() == case["digest"], case["name"]
    Ed25519PublicKey.from_public_bytes(b64(case["x"])).verify(b64(case["signature"]), text.encode())
    print(case["name"])
`

/** It runs in Node and in a page: nothing but Web Crypto. */
const WEB = `
const sorted = (value) =>
  Array.isArray(value) ? value.map(sorted)
  : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]))
    : value
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
async function verifyAll(cases) {
  const names = []
  for (const { name, value, canonical, x, signature } of cases) {
    const text = JSON.stringify(sorted(value))
    if (text !== canonical) throw new Error(name)
    const key = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x }, "Ed25519", false, ["verify"])
    if (!(await crypto.subtle.verify("Ed25519", key, bytes(signature), new TextEncoder().encode(text)))) throw new Error(name)
    names.push(name)
  }
  return names
}
`

const node = Bun.which("node")
const python = hasPython() ? "python3" : null

function hasPython(): boolean {
  if (Bun.which("python3") === null) return false
  return Bun.spawnSync(["python3", "-c", "import cryptography"], { stdout: "ignore", stderr: "ignore" }).exitCode === 0
}

const NAMES = CASES.map(({ name }) => name).join("\n")

/** Runs a program beside the cases. */
function ran(file: string, program: string, command: readonly string[]): string {
  using folder = freshDirectory()
  writeFileSync(join(folder.path, "cases.json"), JSON.stringify(CASES))
  writeFileSync(join(folder.path, file), program)
  const { stdout, stderr } = Bun.spawnSync([...command, file], { cwd: folder.path, stdout: "pipe", stderr: "pipe" })
  return `${stdout}${stderr}`.trim()
}

const WEB_PROGRAM = `import { readFileSync } from "node:fs"
import { webcrypto as crypto } from "node:crypto"
${WEB}
console.log((await verifyAll(JSON.parse(readFileSync("cases.json", "utf8")))).join("\\n"))`

test.skipIf(node === null)(`${node === null ? "NOT RUN, no node here: " : ""}Node verifies every vector`, () => {
  expect(ran("verify.mjs", WEB_PROGRAM, ["node"])).toBe(NAMES)
})

test("Bun verifies every vector with Web Crypto", () => {
  expect(ran("verify.mjs", WEB_PROGRAM, [process.execPath])).toBe(NAMES)
})

test.skipIf(python === null)(
  `${python === null ? "NOT RUN, no Python with cryptography here: " : ""}Python makes every text and digest again and verifies every vector`,
  () => {
    expect(ran("verify.py", PYTHON, ["python3"])).toBe(NAMES)
  },
)

test("a browser verifies every vector", async () => {
  // Web Crypto is there only for a page of a trustworthy origin.
  await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("vectors") })
  const browser = await openChromium()
  try {
    const page = await browser.newPage()
    await page.goto(server.url.href)
    const names = await page.evaluate(`(async () => { ${WEB}; return await verifyAll(${JSON.stringify(CASES)}) })()`)
    expect(names).toEqual(CASES.map(({ name }) => name))
  } finally {
    await browser.close()
  }
}, 60_000)
