import { afterAll, beforeAll, expect, test } from "bun:test"
import { AgentIdInvitationBootstrap } from "../../schemas/agent-id/descriptor.ts"
import { AGENT_ID_LIMITATIONS } from "../../schemas/common.ts"
import type { Problem } from "../../schemas/problem.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { compile } from "../../src/http/read-body.ts"
import { invitationLinks } from "../../src/products/agent-id/invitation-links.ts"
import { routes } from "../../src/server/app.ts"
import { issueInvitation } from "../../src/store/identity/invitations.ts"
import { BASE_URL, type TestService, testService } from "../fixtures/service.ts"

const REFERENCE = "aB3_-xY9".repeat(4)
const HOSTILE = `<img src=x onerror=1> & "Sons"`
const { uri, bootstrapUri } = invitationLinks(BASE_URL, REFERENCE)
let running: TestService
let app: ReturnType<typeof routes>
beforeAll(async () => {
  running = await testService(undefined, { issuer_name: HOSTILE })
  app = routes(running.service)
  await running.service.store.run(() =>
    issueInvitation({ reference: REFERENCE, createdAt: "2026-01-01T00:00:00.000Z" }),
  )
})
afterAll(() => running[Symbol.asyncDispose]())

const ask = (address: string, init?: RequestInit) => app.handle(new Request(address, init))
const page = async () => (await ask(uri)).text()

test("the page has headers that allow only its own image and style", async () => {
  const answer = await ask(uri)
  const style = /<style>([\s\S]*)<\/style>/.exec(await answer.text())?.[1] ?? ""
  const hash = Buffer.from(digestBytes(style).slice("sha256:".length), "hex").toString("base64")
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
    "cache-control": "no-store",
    link: '</.well-known/ai-catalog.json>; rel="ai-catalog"',
  })
  expect(style.length).toBeGreaterThan(100)
})

test("it has one style, no script, no handler, no form, no inline style and only addresses of its own origin", async () => {
  const text = await page()
  expect(text.match(/<style>/g)).toHaveLength(1)
  expect(text).not.toMatch(/<script|<form|<iframe|<object|javascript:|\sstyle=|<[^>]+\son[a-z]+=/i)
  const addresses = [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? "")
  expect(addresses.length).toBeGreaterThan(5)
  for (const address of addresses) expect(address).toMatch(/^(\/[a-z.]|\/$|#main$)/)
})

test("the page is readable without any style: language, title, one main heading, ordered calls, described limitations", async () => {
  const text = await page()
  expect(text).toStartWith('<!doctype html>\n<html lang="en">')
  expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(text.match(/<title>[^<]+<\/title>/g)).toHaveLength(1)
  expect(text.match(/<h1>/g)).toHaveLength(1)
  expect(/<ol class="steps">([\s\S]*?)<\/ol>/.exec(text)?.[1]?.match(/<li>/g)).toHaveLength(2)
  expect(text).toContain(`POST ${BASE_URL}/v1/agent-identities/challenges`)
  expect(text).toContain(`POST ${BASE_URL}/v1/agent-identities/{challengeId}/prove`)
  const tokens = [...text.matchAll(/<dt><code>([A-Z_]+)<\/code><\/dt>\n<dd>[^<]{20,}<\/dd>/g)].map((match) => match[1])
  expect(tokens).toEqual([...AGENT_ID_LIMITATIONS])
  expect(text).toContain("Opening this link verifies no payload.")
  expect(text).toMatch(/<img [^>]*alt=""/)
})

test("a machine finds the catalog and this invitation's bootstrap in the head of the page", async () => {
  const head = (await page()).split("</head>")[0] ?? ""
  expect(head).toContain(
    '<link rel="ai-catalog" type="application/ai-catalog+json" href="/.well-known/ai-catalog.json">',
  )
  const alternate = /<link rel="alternate" type="application\/json"[^>]* href="([^"]+)">/.exec(head)?.[1] ?? ""
  expect(BASE_URL + alternate).toBe(bootstrapUri)
})

test("an operator's name with markup appears as text in every place", async () => {
  const text = await page()
  expect(text).not.toContain("<img src=x")
  expect(text.match(/&lt;img src=x onerror=1&gt; &amp; &quot;Sons&quot;/g)?.length).toBeGreaterThanOrEqual(3)
})

test("every link of the page that this version serves leads to a page", async () => {
  const paths = new Set(
    [...(await page()).matchAll(/<(?:a|img)[^>]* (?:href|src)="([^"]+)"/g)].map((match) => match[1]),
  )
  expect([...paths].filter((path) => path?.startsWith("/v1/"))).toHaveLength(4)
  for (const path of [...paths].filter((one) => one !== "#main")) expect((await ask(BASE_URL + path)).status).toBe(200)
})

test("the bootstrap is the descriptor with an invitation that claims neither a payload nor a discovery", async () => {
  const answer = await ask(bootstrapUri)
  const body = (await answer.json()) as AgentIdInvitationBootstrap
  const { invitation, ...bootstrap } = body
  expect([...compile(AgentIdInvitationBootstrap).Errors(body)]).toEqual([])
  expect(invitation).toEqual({ reference: REFERENCE, payload_verified: false, independent_discovery_claimed: false })
  expect(bootstrap).toEqual((await (await ask(`${BASE_URL}/v1/agent-id/bootstrap`)).json()) as typeof bootstrap)
  expect(answer.headers.get("cache-control")).toBe("no-store")
  expect(answer.headers.get("x-robots-tag")).toBe("noindex")
})

test("any origin may read the bootstrap, and none may read the page", async () => {
  const preflight = {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "GET" },
  }
  const allowed = async (address: string, init?: RequestInit) =>
    (await ask(address, init)).headers.get("access-control-allow-origin")
  expect([await allowed(bootstrapUri), await allowed(bootstrapUri, preflight)]).toEqual(["*", "*"])
  expect([await allowed(uri), await allowed(uri, preflight)]).toEqual([null, null])
})

for (const suffix of ["", "/bootstrap"]) {
  test(`unknown and malformed references get the same response in "${suffix}"`, async () => {
    const unknown = ["A".repeat(32), REFERENCE.toLowerCase(), REFERENCE.slice(1), "x", "%00", "a'b", `${REFERENCE}%20`]
    const answers = await Promise.all(
      unknown.map(async (reference) => {
        const answer = await ask(`${BASE_URL}/v1/agent-id/invitations/${reference}${suffix}`)
        const problem = (await answer.json()) as Problem
        const headers = { ...Object.fromEntries(answer.headers), "x-request-id": "" }
        return JSON.stringify({
          headers,
          ...problem,
          instance: "",
          request_id: "",
          trace_id: "",
        })
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0] ?? "")).toMatchObject({ status: 404, code: "NOT_FOUND" })
  })
}

test("no log line contains a reference", async () => {
  await Promise.all([ask(uri), ask(bootstrapUri)])
  expect(running.logged.length).toBeGreaterThan(0)
  expect(JSON.stringify(running.logged)).not.toContain(REFERENCE)
})
