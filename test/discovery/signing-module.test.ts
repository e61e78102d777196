/** The signing module as a server hands it out, and its digest in the signed manifest. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { hash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import type { CapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import { publishedSigningModule } from "../../src/jobs/buyer-signing/published-module.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const CHANNEL = "commerce-1"
let served: ServedService
beforeAll(async () => {
  served = await servedService({ acp_channel: CHANNEL, agent_id_channels: `a,b,c,d,e,${CHANNEL}` })
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
})

const PATH = `/v1/channels/${CHANNEL}/buyer-signing.mjs`
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(served.origin + path, { headers: { "accept-encoding": "identity", ...headers }, decompress: false })

test("exact text, media type, ETag, no-cache and any origin", async () => {
  const answer = await ask(PATH)
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toBe(publishedSigningModule())
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
    vary: "Accept-Encoding",
    etag: `"${hash("sha256", text, "hex")}"`,
  })
})

test("304 for the ETag, 200 for another one", async () => {
  const { headers } = await ask(PATH)
  const again = await ask(PATH, { "if-none-match": headers.get("etag") ?? "" })
  expect([again.status, await again.text()]).toEqual([304, ""])
  expect((await ask(PATH, { "if-none-match": '"other"' })).status).toBe(200)
})

test("gzip for who accepts it, with its own ETag", async () => {
  const answer = await ask(PATH, { "accept-encoding": "gzip" })
  expect(answer.headers.get("content-encoding")).toBe("gzip")
  expect(answer.headers.get("etag")).toEndWith('-gzip"')
  expect(gunzipSync(await answer.arrayBuffer()).toString()).toBe(publishedSigningModule())
})

test("the signed manifest lists the digest of the served bytes under the configured path", async () => {
  const { payload } = (await (await ask("/.well-known/svc-capabilities.json")).json()) as CapabilityManifest
  const digest = `sha256:${hash("sha256", await (await ask(PATH)).text(), "hex")}`
  expect(payload.discovery_documents.filter(({ path }) => path.endsWith("/buyer-signing.mjs"))).toEqual([
    { path: PATH, media_type: "text/javascript; charset=utf-8", digest: digest as never },
  ])
})

describe("another slug, method or suffix has no module", () => {
  test.each(["/v1/channels/acp/buyer-signing.mjs", "/v1/channels/a/buyer-signing.mjs", `${PATH}/`])(
    "%s is 404",
    async (path) => {
      expect((await ask(path)).status).toBe(404)
    },
  )
  test("POST is 405", async () => {
    expect((await fetch(served.origin + PATH, { method: "POST" })).status).toBe(405)
  })
})
