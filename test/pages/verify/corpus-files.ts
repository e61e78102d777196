/** The files of the corpus: every kind of document, right and wrong, and what a person may give in the wrong place. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { encodeBase64url } from "../../../src/core/base64url.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { publicJwk } from "../../../src/core/jwk.ts"
import { signSandboxArtifact } from "../../../src/core/sandbox/sandbox-artifact.ts"
import { type Signer, signedAnswer } from "../../../src/core/signer.ts"
import { formatInstant, instant, SECOND } from "../../../src/core/time.ts"
import { routes } from "../../../src/server/app.ts"
import { FILES as JOB_FILES } from "../../cli/documents/deliverable-files.ts"
import { answered, FILES as DELIVERED_FILES, delivered } from "../../cli/documents/verified-files.ts"
import { ISSUER } from "../../corpus/build-list.ts"
import { BUILDS, folderOf, isDecision, storedIn } from "../../corpus/stored-bundle.ts"
import { type BundleCase, bundleCases } from "../../fixtures/bundle-cases.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { exported, team } from "../../fixtures/review-team.ts"
import { BASE_URL, clockAt, testService } from "../../fixtures/service.ts"

export type Files = Readonly<Record<string, Uint8Array | string>>

/** When the service signs the documents about itself. */
export const SERVED_AT = Date.UTC(2026, 0, 1)

const MISPLACED: Files = {
  "quote.json": JSON.stringify({ x402Version: 2, accepts: [] }),
  "problem.json": JSON.stringify({ type: "about:blank", title: "Gone", status: 503, code: "SOURCE_STALE" }),
  "private.json": JSON.stringify({ operational: { kty: "OKP", crv: "Ed25519", x: "A", d: "B" } }),
  "payment.json": JSON.stringify({ body_digest: "sha256:00", payment_signature: "e30" }),
  "snapshot.json": JSON.stringify({ format: "svc.snapshot.v1", source_id: "US_OFAC_SDN" }),
  "identity.json": JSON.stringify({ bundle_type: "svc.agent-identity.export.v1", agent_id: "agent_x" }),
  "null.json": "null",
  "number.json": "1e400",
  "list.json": "[1,2]",
  "text.json": '"delivery"',
  "twice.json": '{"product":"a","product":"b"}',
  "prototype.json": '{"__proto__":{}}',
  "surrogate.json": '{"product":"\\ud800"}',
  "deep.json": `${"[".repeat(64)}${"]".repeat(64)}`,
}

function damaged(bytes: Uint8Array): Files {
  const text = new TextDecoder().decode(bytes)
  const edge = text.indexOf(":") + 1
  return {
    "empty.json": "",
    "space.json": " \n",
    "cut-1.json": text.slice(0, 1),
    "cut-half.json": text.slice(0, text.length / 2),
    "cut-last.json": text.slice(0, -1),
    "more.json": `${text}{}`,
    "crlf.json": JSON.stringify(JSON.parse(text), null, 2).replaceAll("\n", "\r\n"),
    "mark.json": `\ufeff${text}`,
    "utf-16.json": new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le")),
    "not-utf-8.json": Uint8Array.from([...bytes.subarray(0, edge), 0xff, ...bytes.subarray(edge)]),
    "cut-character.json": Uint8Array.from([...new TextEncoder().encode('{"name":"'), 0xc3]),
    "zip.json": Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0),
    "gzip.json": Uint8Array.of(0x1f, 0x8b, 8, 0),
    "pdf.json": "%PDF-1.7",
    "pem.json": "-----BEGIN PRIVATE KEY-----\n",
    "html.json": "<!doctype html><script>alert(1)</script>",
    "large.json": `{"product":"${"x".repeat(4 * 1024 * 1024)}"}`,
  }
}

/** Keys that are wrong in one point each. */
function keySets(jwks: { readonly keys: readonly object[] }): Files {
  const [key = {}] = jwks.keys
  const changed = (members: object) => JSON.stringify({ keys: [{ ...key, ...members }] })
  return {
    "key-alone.json": JSON.stringify(key),
    "key-private.json": changed({ d: "A".repeat(43) }),
    "key-renamed.json": changed({ kid: `ed25519-${"A".repeat(43)}` }),
    "key-other.json": changed({ x: testKey("svc", 44).x }),
    "key-small.json": changed({ x: encodeBase64url(new Uint8Array(32)) }),
    "key-late.json": changed({ nbf: (DECIDED_AT + 3600 * SECOND) / SECOND }),
    "key-rotated.json": changed({ svc_status: "ROTATED" }),
    "key-log.json": changed({ svc_use: "log" }),
    "keys-many.json": JSON.stringify({ keys: Array.from({ length: 257 }, () => key) }),
    "keys-hostile.json": JSON.stringify({ keys: [{ ...key, kid: "<img src=x onerror=1>" }, key] }),
  }
}

async function serviceDocuments(): Promise<Files> {
  await using running = await testService(clockAt(SERVED_AT))
  const app = routes(running.service)
  const read = async (path: string) => (await app.handle(new Request(BASE_URL + path))).text()
  const manifest = await read("/.well-known/svc-capabilities.json")
  const jwks = await read("/.well-known/jwks.json")
  const { payload } = JSON.parse(manifest)
  return {
    "manifest.json": manifest,
    "proof.json": await read("/v1/agent/service-proof"),
    "postman.json": await read("/v1/agent-id/postman-collection"),
    "service-jwks.json": jwks,
    "manifest-other-key.json": canonicalize(
      signedAnswer({ ...testKey("svc", 77), keyId: JSON.parse(jwks).keys[0].kid }, payload),
    ),
    "manifest-version.json": canonicalize({
      ...JSON.parse(manifest),
      payload: { ...payload, schema_version: "9.0.0" },
    }),
  }
}

export function sandboxFiles(): Files {
  const key = testKey("svc:sandbox", 61)
  const signed = (signer: Signer) =>
    canonicalize(
      signSandboxArtifact(signer, {
        journey: "PAYMENT_DECISION_HOLD",
        seed: 7,
        clock: formatInstant(DECIDED_AT),
        artifact_type: "PROOF_CAPSULE",
        document: { decision: "HOLD" },
      }),
    )
  const text = signed(key)
  return {
    "sandbox.json": text,
    "sandbox-pretty.json": JSON.stringify(JSON.parse(text), null, 2),
    "sandbox-other-key.json": signed({ ...testKey("svc:sandbox", 62), keyId: key.keyId }),
    "sandbox-key.json": JSON.stringify({ key_id: key.keyId, public_jwk: publicJwk(key.x), agent_id: "svc:agent:1" }),
    "sandbox-jwk.json": JSON.stringify(publicJwk(key.x)),
  }
}

/** Records of reviewers, as exported and as somebody without the service's key changed them. */
function reviewFiles(): Files {
  const signed = exported(team())
  const { payload } = signed
  return {
    "reviews.json": canonicalize(signed),
    "reviews-cut.json": canonicalize({ ...signed, payload: { ...payload, entries: payload.entries.slice(1) } }),
    "reviews-version.json": canonicalize({ ...signed, payload: { ...payload, schema_version: "9.0.0" } }),
  }
}

export interface StoredFile {
  readonly name: string
  /** Name of the file with the keys that verify it. */
  readonly issuer: string
  readonly capsule: string | null
  readonly at: string
}

/** Of each build the first stored delivery of each product and format, as it was delivered and as it was exported. */
function storedFiles(): { readonly files: Files; readonly stored: readonly StoredFile[] } {
  const files: Record<string, Uint8Array | string> = {}
  const found: StoredFile[] = []
  for (const build of BUILDS) {
    const { stored } = storedIn(build)
    const issuer = `${build}-jwks.json`
    files[issuer] = readFileSync(join(folderOf(build), ISSUER), "utf8")
    const firsts = new Map(stored.toReversed().map((each) => [`${each.bundle.format} ${each.product}`, each] as const))
    for (const one of firsts.values()) {
      const from = isDecision(one.bundle) ? one.bundle.delivery.valid_as_of : one.bundle.answer.valid_as_of
      const at = formatInstant(instant(from) + SECOND)
      const name = `${build}-${one.product}-${one.case}`
      files[`${name}.json`] = one.answer
      files[`${name}-bundle.json`] = one.bytes
      if (one.capsule) files[`${name}-capsule.json`] = one.capsule
      found.push({ name: `${name}.json`, issuer, capsule: one.capsule && `${name}-capsule.json`, at })
      found.push({ name: `${name}-bundle.json`, issuer, capsule: null, at })
    }
  }
  return { files, stored: found }
}

export interface CorpusFiles {
  readonly files: Files
  readonly stored: readonly StoredFile[]
  readonly agentBundles: readonly (BundleCase & { readonly file: string })[]
}

export async function corpusFiles(): Promise<CorpusFiles> {
  const { files: oldFiles, stored } = storedFiles()
  const agentBundles = (await bundleCases()).map((one, at) => ({ ...one, file: `agent-${at}.json` }))
  const first = new TextDecoder().decode(delivered.bytes)
  return {
    stored,
    agentBundles,
    files: {
      // Beside an answer, the command would take these without being given them.
      ...Object.fromEntries(Object.entries(DELIVERED_FILES).filter(([name]) => name.endsWith(".json"))),
      ...Object.fromEntries(
        Object.entries(JOB_FILES)
          .filter(([name]) => name.endsWith(".json"))
          .map(([name, content]) => [`job-${name}`, content]),
      ),
      ...MISPLACED,
      ...damaged(delivered.bytes),
      ...keySets(JSON.parse(String(DELIVERED_FILES["jwks.json"]))),
      ...(await serviceDocuments()),
      ...sandboxFiles(),
      ...reviewFiles(),
      ...oldFiles,
      ...Object.fromEntries(agentBundles.map(({ file, text }) => [file, text])),
      "agent-since.json": agentBundles.find(({ options }) => options.since !== undefined)?.options.since ?? "",
      "escaped.json": first.replace('"product"', '"\\u0070roduct"'),
      "capsule-cut.json": new TextDecoder().decode(answered.capsuleBytes).slice(0, 300),
    },
  }
}
