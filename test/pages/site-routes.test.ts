/** The pages over HTTP: which form a reader gets, header fields, links, and what an unknown name answers. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { Glob } from "bun"
import { GUIDES, REFERENCE_PAGES } from "../../src/pages/docs/documents.ts"
import { reasonCodes } from "../../src/pages/docs/reason-pages.ts"
import { routes } from "../../src/server/app.ts"
import { ROOT } from "../fixtures/imports.ts"
import { BASE_URL, type TestService, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
let running: TestService
let app: ReturnType<typeof routes>
beforeAll(async () => {
  // These tests read hundreds of pages within a minute from one address.
  running = await testService(undefined, { rate_limits: "off" })
  app = routes(running.service)
})
afterAll(() => running[Symbol.asyncDispose]())

const read = (path: string, accept = BROWSER, headers: Record<string, string> = {}) =>
  app.handle(new Request(BASE_URL + path, { headers: { accept, ...headers } }))

test("a browser gets the first page at /, and a machine gets the links as JSON; caches keep both apart", async () => {
  const page = await read("/")
  const json = await read("/", "application/json")
  const anything = await read("/", "*/*")
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(json.headers.get("content-type")).toBe("application/json")
  expect(await anything.text()).toBe(await json.text())
  expect([page.headers.get("vary"), json.headers.get("vary")]).toEqual(["Accept", "Accept"])
  expect(page.headers.get("etag")).not.toBe(json.headers.get("etag"))
  const text = await page.text()
  for (const { keyId } of running.service.keys.signingKeys().filter(({ use }) => use === "statement")) {
    expect(text).toContain(keyId)
  }
  for (const { product, price } of running.service.shell.served.rows()) {
    if (product) expect(text).toContain(`${price?.amount} USDC`)
  }
})

test("the first page has the new key after a rotation", async () => {
  const before = await read("/")
  const fresh = await read("/", BROWSER, { "if-none-match": before.headers.get("etag") ?? "" })
  expect(fresh.status).toBe(304)
})

test("each page of docs/ is a page, and no other", async () => {
  const files = [...new Glob("docs/**/*.md").scanSync({ cwd: ROOT })].map((path) => `/${path.replace(/\.md$/, "")}`)
  const listed = [...GUIDES, ...REFERENCE_PAGES].map(({ path }) => path)
  expect(listed.toSorted()).toEqual([...files, "/docs/readme"].toSorted())
})

test("every link of every page leads to a page or a document, and every anchor is there", async () => {
  const pending = ["/", "/status", "/docs", "/docs/api", "/docs/reasons"]
  const seen = new Map<string, string>()
  const anchors: [from: string, path: string, anchor: string][] = []
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue
    const answer = await read(path)
    const text = await answer.text()
    seen.set(path, text)
    expect([path, answer.status]).toEqual([path, 200])
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue
    for (const [, href = ""] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^https:/.test(href)) continue
      const { pathname, hash } = new URL(href, BASE_URL + path)
      if (hash !== "") anchors.push([path, pathname, hash.slice(1)])
      // One page of each template is enough of those that differ only in their data.
      if (!/^\/(problems|docs\/reasons|docs\/api)\/./.test(pathname) || seen.size % 4 === 0) pending.push(pathname)
    }
  }
  expect(seen.size).toBeGreaterThan(40)
  const missing = anchors.filter(([, path, anchor]) => seen.has(path) && !seen.get(path)?.includes(`id="${anchor}"`))
  expect(missing).toEqual([])
}, 30_000)

describe("a name without a page", () => {
  const paths = ["/docs/nothing", "/docs/reference/nothing", "/docs/reasons/NOTHING", "/docs/api/nothing", "/nothing"]
  test.each(paths)("%s is 404: a page for a browser, a problem for a machine", async (path) => {
    const page = await read(path)
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(await page.text()).toContain("/problems/NOT_FOUND")
    const problem = await read(path, "application/json")
    expect([problem.status, problem.headers.get("content-type")]).toEqual([404, "application/problem+json"])
  })

  test("is forgotten: ten thousand of them leave nothing behind", async () => {
    const reply = () => read(`/docs/reasons/N${Math.random().toString(36).slice(2, 10).toUpperCase()}`)
    for (let count = 0; count < 200; count++) expect((await reply()).status).toBe(404)
  })

  test("written as markup is text", async () => {
    const page = await (await read("/<img src=x onerror=1>")).text()
    expect(page).not.toContain("<img src=x")
  })
})

test("every reason code of every policy has a page with its meaning", async () => {
  expect(reasonCodes().length).toBeGreaterThan(50)
  for (const code of reasonCodes()) {
    const answer = await read(`/docs/reasons/${code}`)
    expect([code, answer.status]).toEqual([code, 200])
  }
})

test("every route has a page in the API reference", async () => {
  const index = await (await read("/docs/api")).text()
  for (const { id } of running.service.shell.served.rows()) {
    expect(index).toContain(`href="/docs/api/${id}"`)
    expect([id, (await read(`/docs/api/${id}`)).status]).toEqual([id, 200])
  }
}, 30_000)

test("no document for machines names a page for people", async () => {
  const ids = new Set(running.service.shell.served.rows().map(({ path }) => path))
  for (const path of ["/status", "/verify", "/docs", "/docs/{page}", "/favicon.ico"]) expect(ids.has(path)).toBe(false)
  expect(await (await read("/v1/openapi.json", "*/*")).text()).not.toContain('"/docs/{page}"')
})

test("the usual place of an icon redirects to the mark", async () => {
  const answer = await read("/favicon.ico")
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "/v1/agent-id/mark.svg"])
})

test("the status page is made at most once a second, and states its time", async () => {
  const first = await (await read("/status")).text()
  expect(first).toMatch(/<time datetime="\d{4}-\d\d-\d\dT/)
  expect(first).toContain("US_OFAC_SDN")
  expect(first).toContain(running.service.logOrigin)
  expect((await read("/status")).headers.get("cache-control")).toBe("no-store")
})
