/** The client module as a server hands it out, and its digests in the signed manifest. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { hash } from "node:crypto"
import type { CapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import { publishedClient } from "../../src/discovery/published-client.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"

let served: ServedService
beforeAll(async () => {
  served = await servedService()
})
afterAll(() => served[Symbol.asyncDispose]())

const { client, verifier, types } = publishedClient()

test.each([
  ["/v1/agent/client.mjs", "text/javascript; charset=utf-8", client],
  ["/v1/agent/verifier.mjs", "text/javascript; charset=utf-8", verifier],
  ["/v1/agent/client.d.ts", "application/typescript; charset=utf-8", types],
])("%s: exact text, media type, any origin, and its digest in the signed manifest", async (path, mediaType, text) => {
  const answer = await fetch(served.origin + path)
  expect([answer.status, await answer.text()]).toEqual([200, text])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": mediaType,
    "cache-control": "no-cache",
    "access-control-allow-origin": "*",
    "x-content-type-options": "nosniff",
  })
  const manifest = await fetch(`${served.origin}/.well-known/svc-capabilities.json`)
  const { payload } = (await manifest.json()) as CapabilityManifest
  const digest: string = `sha256:${hash("sha256", text)}`
  expect(payload.discovery_documents.filter((one) => one.path === path)).toEqual([
    { path, media_type: mediaType, digest: digest as never },
  ])
})
