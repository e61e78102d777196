/** The documents of one generation agree with each other at any moment, whatever happens to the keys. */
import { expect } from "bun:test"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Value } from "@sinclair/typebox/value"
import { CapabilityManifest, getCapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import { getOpenapi } from "../../schemas/discovery/openapi.ts"
import { getServiceProof, ServiceProof } from "../../schemas/discovery/service-proof.ts"
import { type Machine, realMachine } from "../../src/base/machine.ts"
import { NATIVE_CRYPTO } from "../../src/core/crypto/native-crypto.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { DOCUMENT_OPERATIONS } from "../../src/discovery/document-operations.ts"
import { KEY_VALID_DAYS } from "../../src/keys/issue-key.ts"
import { verifyManifest, verifyServiceProof } from "../../src/offline/kinds/service-document.ts"
import { readIssuerKeys } from "../../src/offline/steps/issuer-keys.ts"
import { routes } from "../../src/server/app.ts"
import { ROOT } from "../fixtures/imports.ts"
import { rotateElsewhere } from "../fixtures/rotate-elsewhere.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { BASE_URL, clockAt, testService, testServiceOn } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const MANIFEST = "/.well-known/svc-capabilities.json"
const PROOF = "/v1/agent/service-proof"
const START = Date.UTC(2026, 0, 1)

/** The real machine with timers that fire ten times as early, so that a round of the key worker takes a tenth of a second. */
const hurried: Machine = { ...realMachine, after: (ms, run) => realMachine.after(ms / 10, run) }

async function read(origin: string, path: string) {
  const response = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "identity" } })
  expect(response.status).toBe(200)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { bytes, generation: response.headers.get("svc-generation") ?? "" }
}

async function readManifest(origin: string) {
  const { bytes, generation } = await read(origin, MANIFEST)
  const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes))
  if (!Value.Check(CapabilityManifest, manifest)) throw new Error("not a manifest")
  return { bytes, generation, manifest }
}

async function issuerKeys(origin: string) {
  return readIssuerKeys(await (await fetch(`${origin}/.well-known/jwks.json`)).json(), NATIVE_CRYPTO) ?? new Map()
}

async function withWorkers(): Promise<ServedService> {
  const served = await servedService({ rate_limits: "off" }, hurried)
  const keys = served.service.workers.find(({ name }) => name === "signing keys")
  keys?.start()
  return served
}

/** Reads everything again and again until `done`, and returns the digests seen under each generation, by path. */
async function seen(origin: string, done: Promise<unknown>) {
  const generations = new Map<string, Map<string, Set<string>>>()
  const manifests = new Map<string, CapabilityManifest>()
  const add = (generation: string, path: string, bytes: Uint8Array) => {
    const paths = generations.get(generation) ?? new Map<string, Set<string>>()
    generations.set(generation, paths.set(path, (paths.get(path) ?? new Set()).add(digestBytes(bytes))))
  }
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  while (!isDone) {
    const { bytes, generation, manifest } = await readManifest(origin)
    manifests.set(generation, manifest)
    add(generation, MANIFEST, bytes)
    await Promise.all(
      manifest.payload.discovery_documents.map(async ({ path }) => {
        const document = await read(origin, path)
        add(document.generation, path, document.bytes)
      }),
    )
  }
  await done
  return { generations, manifests }
}

test("while keys rotate, the digests in each manifest are those of the bytes served under its generation", async () => {
  await using served = await withWorkers()
  const rotations = (async () => {
    for (let i = 0; i < 4; i++) {
      await rotateElsewhere(served.directory, Date.now())
      await Bun.sleep(300)
    }
  })()
  const { generations, manifests } = await seen(served.origin, rotations)
  expect(manifests.size).toBeGreaterThanOrEqual(4)
  let compared = 0
  for (const [generation, manifest] of manifests) {
    for (const { path, digest } of manifest.payload.discovery_documents) {
      for (const one of generations.get(generation)?.get(path) ?? []) {
        expect({ path, digest: one }).toEqual({ path, digest })
        compared++
      }
    }
  }
  expect(compared).toBeGreaterThanOrEqual(4)
  // Every manifest that was ever served still verifies with the keys that are published at the end.
  const keys = await issuerKeys(served.origin)
  const signers = new Set([...manifests.values()].map(({ signature }) => signature.key_id))
  expect(signers.size).toBeGreaterThanOrEqual(4)
  expect([...signers].every((key) => keys.has(key))).toBe(true)
}, 20_000)

test("a rotation by another process gives a new generation, signed by the new key, and a new proof", async () => {
  await using served = await withWorkers()
  const before = await readManifest(served.origin)
  const proofBefore = await read(served.origin, PROOF)
  const program = [process.execPath, join(ROOT, "src/main.ts")]
  const child = Bun.spawn([...program, "keys", "rotate", "--data", served.directory], {
    stdout: "ignore",
    env: { PATH: process.env["PATH"] ?? "" },
  })
  expect(await child.exited).toBe(0)
  let after = before
  for (let i = 0; i < 100 && after.generation === before.generation; i++) {
    await Bun.sleep(50)
    after = await readManifest(served.origin)
  }
  expect(after.manifest.signature.key_id).not.toBe(before.manifest.signature.key_id)
  const proofAfter = await read(served.origin, PROOF)
  expect([proofBefore.generation, proofAfter.generation]).toEqual([before.generation, after.generation])
  const keys = await issuerKeys(served.origin)
  for (const [manifest, proof] of [
    [before, proofBefore],
    [after, proofAfter],
  ] as const) {
    const at = Date.now()
    const given = { keys, at, crypto: NATIVE_CRYPTO, reformatted: false }
    expect(verifyManifest({ ...given, bytes: manifest.bytes, documents: [] }).report.conclusion).toBe("VALID")
    const documents = [{ name: "manifest", bytes: manifest.bytes }]
    expect(verifyServiceProof({ ...given, bytes: proof.bytes, documents }).report.conclusion).toBe("VALID")
  }
}, 20_000)

test("nothing is printed before the first request or round, and then once for all requests", async () => {
  await using running = await testService(clockAt(START))
  const { served } = running.service.shell
  const app = routes(running.service)
  const ask = (path: string) => app.handle(new Request(BASE_URL + path))
  let printed = 0
  const rows = served?.rows() ?? []
  Object.assign(served ?? {}, {
    rows: () => {
      printed++
      return rows
    },
  })
  expect(printed).toBe(0)
  await Promise.all([ask(MANIFEST), ask("/v1/agent-id/postman-collection"), ask(MANIFEST)])
  expect(printed).toBe(1)
})

test("each document that has a route has a printer, and the other way round", async () => {
  const { DOCUMENTS } = await import("../../src/discovery/documents.ts")
  const printed = DOCUMENTS.map(({ operation }) => operation.id)
  expect(printed.toSorted()).toEqual(DOCUMENT_OPERATIONS.map(({ id }) => id).toSorted())
})

test("a generation lasts twelve hours, and ends when the clock is set back", async () => {
  const clock = clockAt(START)
  await using running = await testService(clock)
  routes(running.service)
  const { documents } = running.service
  const first = await documents.current()
  clock.set(START + 12 * HOUR - SECOND)
  expect(await documents.renew()).toBe(first)
  clock.set(START + 12 * HOUR)
  const second = await documents.renew()
  expect(second.name).not.toBe(first.name)
  expect(documents.current()).toBe(second)
  // Documents without a signature are not printed again: the new generation has the very same bytes.
  expect(second.documents.get(getOpenapi.id)?.bytes).toBe(first.documents.get(getOpenapi.id)?.bytes)
  clock.set(START + HOUR)
  expect(await documents.renew()).not.toBe(second)
})

test("two instances make the same generation at different times, also after a rotation between two multiples of twelve hours", async () => {
  const [early, late] = [clockAt(START + HOUR), clockAt(START + 11 * HOUR)]
  await using first = await testService(early)
  const second = await testServiceOn(first.directory, late)
  for (const { service } of [first, second]) routes(service)
  const both = () => Promise.all([first, second].map(({ service }) => service.documents.renew()))
  const [one, other] = await both()
  expect(other?.name).toBe(one?.name ?? "")
  for (const clock of [early, late]) clock.set(clock.now() + DAY)
  await rotateElsewhere(first.directory, START + DAY + 30 * MINUTE)
  for (const { service } of [first, second]) await service.keys.refresh()
  const [after, otherAfter] = await both()
  expect(after?.name).not.toBe(one?.name ?? "")
  expect([otherAfter?.name, otherAfter?.madeAt]).toEqual([after?.name ?? "", START + DAY + 30 * MINUTE])
  await second.service.close()
})

test("an expired key signs no first generation, and a held one is still served", async () => {
  const clock = clockAt(START + KEY_VALID_DAYS * DAY)
  await using late = await testService(clockAt(START))
  const app = routes(late.service)
  const ask = (path: string) => app.handle(new Request(BASE_URL + path))
  expect((await ask(MANIFEST)).status).toBe(200)
  const expired = await testServiceOn(late.directory, clock)
  const other = routes(expired.service)
  for (const { path, responses } of [getCapabilityManifest, getServiceProof, ...DOCUMENT_OPERATIONS]) {
    const refused = await other.handle(new Request(BASE_URL + path))
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, "SIGNING_KEY_EXPIRED"])
    expect({ path, documented: 503 in responses }).toEqual({ path, documented: true })
  }
  await expired.service.close()
})

test("after a restart every document has the same bytes, except the times, digest and signature of the manifest", async () => {
  await using fresh = await testService(clockAt(START))
  const documentsOf = async (at: number) => {
    const { service } = await testServiceOn(fresh.directory, clockAt(at))
    routes(service)
    const { documents } = await service.documents.current()
    await service.close()
    return documents
  }
  const [before, after] = [await documentsOf(START), await documentsOf(START + HOUR)]
  expect([...after.keys()]).toEqual([...before.keys()])
  for (const [id, { bytes }] of before) {
    const again = after.get(id)?.bytes ?? new Uint8Array()
    if (id !== "get_rop_capability_manifest") expect(digestBytes(again)).toBe(digestBytes(bytes))
    else expect(withoutTime(again)).toEqual(withoutTime(bytes))
  }
})

function withoutTime(bytes: Uint8Array) {
  const { payload } = JSON.parse(new TextDecoder().decode(bytes)) as CapabilityManifest
  return { ...payload, issued_at: null, valid_until: null }
}

test("HEAD, 304 and gzip work on a real socket", async () => {
  await using served = await servedService()
  const url = `${served.origin}${MANIFEST}`
  const plain = await fetch(url, { headers: { "accept-encoding": "identity" } })
  const text = await plain.text()
  const head = await fetch(url, { method: "HEAD", headers: { "accept-encoding": "identity" } })
  expect([head.status, await head.text(), head.headers.get("etag")]).toEqual([200, "", plain.headers.get("etag")])
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)))
  const raw = { decompress: false, headers: { "accept-encoding": "gzip" } }
  const gzip = await fetch(url, raw)
  expect(gzip.headers.get("content-encoding")).toBe("gzip")
  expect(gunzipSync(new Uint8Array(await gzip.arrayBuffer())).toString()).toBe(text)
  for (const response of [plain, gzip]) {
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("cache-control")).toBe("public, max-age=300")
    expect(response.headers.get("svc-generation")).toMatch(/^[0-9a-f]{32}$/)
  }
  const tag = gzip.headers.get("etag") ?? ""
  const same = await fetch(url, { ...raw, headers: { ...raw.headers, "if-none-match": tag } })
  expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", tag])
  expect((await fetch(url, { method: "POST" })).status).toBe(405)
})

test("a proof is signed again after thirty seconds, or when the generation changes, and matches its schema", async () => {
  const clock = clockAt(START)
  await using running = await testService(clock)
  const app = routes(running.service)
  const ask = async () => {
    const response = await app.handle(new Request(BASE_URL + PROOF))
    expect(response.headers.get("cache-control")).toBe("no-store")
    const proof: unknown = await response.json()
    if (!Value.Check(ServiceProof, proof)) throw new Error("not a proof")
    return proof
  }
  const [first, again] = await Promise.all([ask(), ask()])
  expect(again).toEqual(first)
  clock.set(START + 29 * SECOND)
  expect(await ask()).toEqual(first)
  clock.set(START + 30 * SECOND)
  const second = await ask()
  expect(second.payload.issued_at).not.toBe(first.payload.issued_at)
  clock.set(START + 31 * SECOND)
  const after = await rotateElsewhere(running.directory, START + 31 * SECOND)
  await running.service.keys.refresh()
  await running.service.documents.renew()
  const third = await ask()
  expect(third.signature.key_id).toBe(after)
  expect(third.payload.service_keys.map(({ use }) => use)).toEqual(["statement", "log", "sandbox"])
  expect(third.payload.capability_manifest_digest).toBe((await running.service.documents.current()).manifestDigest)
})
