/** The command and the published module judge a capability manifest and a service proof, offline and from stored bytes. */
import { afterAll, beforeAll, expect } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../src/cli/documents/verify.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { sandboxIssuer } from "../../../src/core/sandbox/sandbox-issuer.ts"
import { signedAnswer } from "../../../src/core/signer.ts"
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { publishedModule } from "../../../src/offline/module/published-module.ts"
import type { ServiceDocumentOptions } from "../../../src/offline/module/verify-service-document.ts"
import { verifyServiceDocument } from "../../../src/offline/module/verify-service-document.ts"
import { routes } from "../../../src/server/app.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { BASE_URL, clockAt, testService } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)
const MANIFEST = "/.well-known/svc-capabilities.json"
const POSTMAN = "/v1/agent-id/postman-collection"

const directory = mkdtempSync(join(tmpdir(), "bizauth-service-documents-"))
const files: Record<string, string> = {}

beforeAll(async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const read = async (path: string) => (await app.handle(new Request(BASE_URL + path))).text()
  files["manifest.json"] = await read(MANIFEST)
  files["proof.json"] = await read("/v1/agent/service-proof")
  files["postman.json"] = await read(POSTMAN)
  files["jwks.json"] = await read("/.well-known/jwks.json")
  const manifest = JSON.parse(files["manifest.json"])
  const jwks = JSON.parse(files["jwks.json"])
  const [key] = jwks.keys
  files["pretty.json"] = JSON.stringify(manifest, null, 2)
  files["edited.json"] = canonicalize({ ...manifest, payload: { ...manifest.payload, limitations: [] } })
  files["member.json"] = canonicalize({ ...manifest, payload: { ...manifest.payload, extra: 1 } })
  files["forged.json"] = canonicalize(signedAnswer({ ...testKey("svc", 77), keyId: key.kid }, manifest.payload))
  files["other-issuer.json"] = canonicalize({ ...manifest, signature: { ...manifest.signature, issuer: "other" } })
  files["version.json"] = canonicalize({ ...manifest, payload: { ...manifest.payload, schema_version: "9.0.0" } })
  // Anyone can hold a key of the sandbox, so a key set with such a key proves nothing.
  const sandbox = testKey(sandboxIssuer("svc"), 78)
  files["sandbox.json"] = canonicalize(signedAnswer(sandbox, { ...manifest.payload, issuer: sandbox.issuer }))
  files["sandbox-jwks.json"] = canonicalize({ keys: [{ ...key, kid: sandbox.keyId, x: sandbox.x }] })
  files["changed.json"] = `${files["postman.json"]} `
  files["no-keys.json"] = canonicalize({ keys: [] })
  files["revoked.json"] = canonicalize({ keys: [{ ...key, svc_status: "REVOKED" }] })
  files["late-key.json"] = canonicalize({ keys: [{ ...key, nbf: key.nbf + 7200 }] })
  files["private.json"] = canonicalize({ keys: [{ ...key, d: "A".repeat(43) }] })
  files["broken.json"] = files["manifest.json"].slice(0, 100)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  writeFileSync(join(directory, "verifier.mjs"), publishedModule())
})
afterAll(() => rmSync(directory, { recursive: true }))

const words = (line: string) => line.split(" ").map((word) => (word.endsWith(".json") ? join(directory, word) : word))
const at = (ms: number) => `--at ${formatInstant(START + ms)}`
const now = at(MINUTE / 2)

/** `module` is the exit code of the published module, where it differs: it has no verdict NOT_NOW. */
const rows: readonly [line: string, exit: number, module?: number][] = [
  [`manifest.json --issuer jwks.json ${now}`, 0],
  [`proof.json --issuer jwks.json ${now}`, 0],
  [`manifest.json --issuer jwks.json --document postman.json ${now}`, 0],
  [`proof.json --issuer jwks.json --document manifest.json ${now}`, 0],
  [`manifest.json --issuer jwks.json --document postman.json --document changed.json ${now}`, 3],
  [`manifest.json --issuer jwks.json --document changed.json --document postman.json ${now}`, 3],
  [`proof.json --issuer jwks.json --document postman.json ${now}`, 3],
  [`proof.json --issuer jwks.json --document pretty.json ${now}`, 3],
  [`manifest.json --issuer jwks.json ${at(DAY - SECOND)}`, 0],
  [`manifest.json --issuer jwks.json ${at(DAY)}`, 9, 3],
  [`manifest.json --issuer jwks.json ${at(-30 * SECOND)}`, 0],
  [`manifest.json --issuer jwks.json ${at(-31 * SECOND)}`, 9, 3],
  [`proof.json --issuer jwks.json ${at(MINUTE)}`, 9, 3],
  [`edited.json --issuer jwks.json ${now}`, 3],
  [`sandbox.json --issuer sandbox-jwks.json ${now}`, 3],
  [`member.json --issuer jwks.json ${now}`, 3],
  [`forged.json --issuer jwks.json ${now}`, 3],
  [`other-issuer.json --issuer jwks.json ${now}`, 3],
  [`manifest.json --issuer revoked.json ${now}`, 3],
  [`manifest.json --issuer late-key.json ${now}`, 3],
  [`manifest.json --issuer no-keys.json ${now}`, 4],
  [`manifest.json --issuer private.json ${now}`, 4, 2],
  [`manifest.json --issuer manifest.json ${now}`, 4, 2],
  [`manifest.json --issuer jwks.json --document missing.json ${now}`, 4],
  [`manifest.json --issuer jwks.json --at yesterday`, 2],
  [`pretty.json --issuer jwks.json --reformatted ${now}`, 0],
  [`postman.json --issuer jwks.json ${now}`, 4],
]

test.each(rows)("verify %s exits %p", async (line, exit) => {
  const { exit: got, out, err } = await runCommand(command, words(line))
  expect({ got, out, err }).toEqual({ got: exit as typeof got, out, err })
})

test.each(rows)("node verifier.mjs %s", async (line, exit, module = exit) => {
  const child = Bun.spawnSync([process.execPath, join(directory, "verifier.mjs"), ...words(line)])
  expect({ exit: child.exitCode, err: child.stderr.toString() }).toMatchObject({ exit: module })
})

test.each([
  ["version.json --issuer jwks.json", 4],
  ["manifest.json --issuer jwks.json --require CONTINUE", 2],
  ["manifest.json --issuer jwks.json --request postman.json", 2],
  ["manifest.json --issuer jwks.json --capsule proof.json", 2],
  ["manifest.json --issuer jwks.json --check proof.json", 2],
  ["manifest.json", 2],
  ["broken.json --issuer jwks.json", 4],
] as const)("verify %s exits %p", async (line, exit) => {
  expect(String((await runCommand(command, words(line))).exit)).toBe(String(exit))
})

test("the report names each document with its path, and the JSON names what is proven", async () => {
  const line = `manifest.json --issuer jwks.json --document postman.json ${now}`
  const text = (await runCommand(command, words(line))).out
  expect(text).toContain(POSTMAN)
  expect(text).toContain("genuine    GENUINE")
  expect(text).toContain("permitted  nothing: a manifest shows what the service offers, and lists its documents\n")
  const json = JSON.parse((await runCommand(command, [...words(line), "--json"])).out)
  expect(json).toMatchObject({ genuine: "GENUINE", current: "CURRENT" })
})

test("a document that is not one of these, an unknown option and bad option values are refused by the module", async () => {
  const issuer = files["jwks.json"] ?? ""
  const unknown = await verifyServiceDocument(files["postman.json"] ?? "", { issuer })
  expect([unknown.result, unknown.payload]).toEqual(["NOT_CHECKED", null])
  const bad: readonly object[] = [
    { issuer, maxAge: 1 },
    { issuer: 1 },
    { issuer: "{}" },
    { issuer: "no json" },
    { issuer, at: "yesterday" },
    { issuer, at: 1 },
    { issuer, documents: "x" },
    { issuer, documents: [1] },
    { issuer, reformatted: 1 },
  ]
  for (const options of bad) {
    expect(verifyServiceDocument(files["manifest.json"] ?? "", options as ServiceDocumentOptions)).rejects.toThrow()
  }
})

test("stored bytes verify for a past time, and the verdict says that it is historical", async () => {
  const conclusion = await verifyServiceDocument(files["manifest.json"] ?? "", {
    issuer: files["jwks.json"] ?? "",
    at: formatInstant(START + HOUR),
    documents: [files["postman.json"] ?? ""],
  })
  expect(conclusion).toMatchObject({ result: "VALID", historical: true })
  expect(conclusion.steps.map(({ step }) => step)).toEqual(["BYTES", "SHAPE", "SIGNATURE", "TIMES", "DOCUMENTS"])
  expect(conclusion.payload?.domain).toBe("svc.capability-manifest.v1")
})
