import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { ServiceEntry } from "../../schemas/discovery/entry.ts"
import type { Operation } from "../../schemas/operation.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { operations } from "../../scripts/docs/operations.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { linkHeader, servedLinks } from "../../src/discovery/entry-links.ts"
import { LLMS_TEXT } from "../../src/discovery/llms-text.ts"
import { ROBOTS_TEXT } from "../../src/discovery/robots-text.ts"
import { serviceEntry } from "../../src/discovery/service-entry.ts"
import { compile } from "../../src/http/read-body.ts"
import { issuerKey } from "../fixtures/decision.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(20_000)

let served: ServedService
let rows: readonly Operation[]
beforeAll(async () => {
  served = await servedService()
  rows = served.service.shell.served?.rows() ?? []
})
afterAll(() => served[Symbol.asyncDispose]())

const parts = (operations: readonly Operation[]) => ({
  baseUrl: "https://svc.example",
  issuerName: "Example Operator",
  operations,
  network: "eip155:8453",
  version: "1",
  signer: issuerKey,
  at: 0,
})
const added = { ...checkCompany, id: "toy", path: "/v1/us/toy", product: { ...checkCompany.product, id: "us.toy.v1" } }
/** Targets of a Link header, with their relations. */
const targets = (header: string) =>
  Object.fromEntries([...header.matchAll(/<([^>]+)>; rel="([^"]+)"; type="[^"]+"/g)].map(([, uri, rel]) => [rel, uri]))

describe("GET /", () => {
  test("is canonical JSON with links to served routes only, and the same links as a header", async () => {
    const answer = await fetch(`${served.origin}/`, { headers: { accept: "application/json" } })
    const text = await answer.text()
    const body = JSON.parse(text) as ServiceEntry
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect([...compile(ServiceEntry).Errors(body)]).toEqual([])
    expect(text).toBe(canonicalize(body))
    expect(body.links.length).toBeGreaterThan(4)
    for (const { uri, method, media_type: type } of body.links.filter(({ method }) => method === "GET")) {
      const linked = await fetch(uri, { method })
      expect([uri, linked.status, linked.headers.get("content-type")]).toEqual([uri, 200, type])
    }
    const header = targets(answer.headers.get("link") ?? "")
    expect(header).toMatchObject({ "service-doc": "/llms.txt", status: "/readyz" })
    for (const [rel, uri] of Object.entries(header)) {
      expect(body.links.find((link) => link.rel === rel)?.uri).toBe(served.origin + uri)
    }
  })

  test("a client that has it gets 304", async () => {
    const etag = (await fetch(`${served.origin}/`)).headers.get("etag") ?? ""
    expect((await fetch(`${served.origin}/`, { headers: { "if-none-match": etag } })).status).toBe(304)
  })

  test("a link appears when its route is served", async () => {
    const openapi = { ...checkCompany, id: "get_openapi", method: "GET", path: "/v1/openapi.json" } as Operation
    const without = (await operations()).filter(({ path }) => path !== openapi.path)
    const rels = (given: readonly Operation[]) => serviceEntry(parts(given)).links.map(({ rel }) => rel)
    expect(rels(without)).not.toContain("service-desc")
    expect(rels([...without, openapi])).toContain("service-desc")
    expect(targets(linkHeader([...without, openapi]))).toMatchObject({ "service-desc": "/v1/openapi.json" })
    expect([servedLinks([]), linkHeader([])]).toEqual([[], ""])
  })
})

test("/openapi.json redirects to the OpenAPI document", async () => {
  const answer = await fetch(`${served.origin}/openapi.json`, { redirect: "manual" })
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "/v1/openapi.json"])
})

test("an unknown path has the Link header of the entry", async () => {
  const entry = await fetch(`${served.origin}/`)
  const unknown = await fetch(`${served.origin}/v1/unknown`)
  expect([unknown.status, unknown.headers.get("link")]).toEqual([404, entry.headers.get("link")])
})

describe("/llms.txt", () => {
  test("has one title, one summary, and lists of links; it stays under 4 KB", async () => {
    const answer = await fetch(`${served.origin}/llms.txt`)
    const text = await answer.text()
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(Buffer.byteLength(text)).toBeLessThan(4096)
    expect(Buffer.byteLength(LLMS_TEXT.print(parts([...rows, added as Operation])) as string)).toBeLessThan(4096)
    const lines = text.split("\n")
    expect(lines.filter((line) => line.startsWith("# ")).length).toBe(1)
    expect([lines[0]?.startsWith("# "), lines[2]?.startsWith("> ")]).toEqual([true, true])
    expect(lines.filter((line) => line.startsWith("## "))).toEqual(["## Start here", "## Products"])
    for (const [, uri = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const linked = await fetch(uri)
      expect([uri, linked.status === 405 || linked.status === 200]).toEqual([uri, true])
    }
  })

  test("names each served product, an added one included, and links a schema only if it is served", () => {
    const text = LLMS_TEXT.print(parts([...rows, added as Operation])) as string
    expect(text).toContain("- us.toy.v1: POST /v1/us/toy, US, 0.04 USDC")
    expect(text).toContain("- [us.company.check.v1](https://svc.example/v1/us/company-check/schema): POST ")
    expect(LLMS_TEXT.print(parts([]))).not.toContain("](")
  })
})

describe("/robots.txt", () => {
  test("allows the documents and keeps crawlers from what only some may know", async () => {
    const answer = await fetch(`${served.origin}/robots.txt`)
    const lines = (await answer.text()).split("\n")
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(lines[0]).toBe(`# For agents: ${served.origin}/llms.txt`)
    expect(lines.slice(1, 3)).toEqual(["User-agent: *", "Allow: /"])
    expect(lines).toContain("Disallow: /v1/agent-id/invitations/")
    expect(lines).toContain("Disallow: /v1/agent-identities/")
    expect(lines).not.toContain("Disallow: /")
    expect(new Set(lines).size).toBe(lines.length)
  })

  test("is derived from the served rows", () => {
    expect(ROBOTS_TEXT.print(parts([]))).toBe("User-agent: *\nAllow: /\n")
  })
})
