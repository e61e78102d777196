/** `/verify` over HTTP: header fields, policy, conditional and compressed replies, and the keys of this server. */
import { afterAll, beforeAll, expect } from "bun:test"
import { hash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { readMark } from "../../schemas/agent-id/descriptor.ts"
import type { Listener } from "../../src/http/listen.ts"
import { verifyRoute } from "../../src/pages/verify-route.ts"
import { routes } from "../../src/server/app.ts"
import { BASE_URL, type TestService, testService } from "../fixtures/service.ts"
import { listening, testShell } from "../fixtures/shell.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let running: TestService
let app: ReturnType<typeof routes>
beforeAll(async () => {
  running = await testService()
  app = routes(running.service)
}, 60_000)
afterAll(() => running[Symbol.asyncDispose]())

const read = (headers: Record<string, string> = {}) => app.handle(new Request(`${BASE_URL}/verify`, { headers }))

test("one inline script and one style are allowed by their hashes, in the header and in the saved file", async () => {
  const answer = await read()
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  const page = await answer.text()
  const policy = answer.headers.get("content-security-policy") ?? ""
  expect(policy).not.toContain("unsafe-")
  const hashOf = (tag: string) => {
    const [, text = "", ...more] = page.split(new RegExp(`<${tag}>|</${tag}>`))
    expect(more.length).toBe(1)
    return `sha256-${hash("sha256", text, "base64")}`
  }
  const saved = [
    "default-src 'none'",
    `script-src '${hashOf("script")}'`,
    `style-src '${hashOf("style")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  expect(policy).toBe(`${saved}; frame-ancestors 'none'`)
  expect(page).toContain(`<meta http-equiv="content-security-policy" content="${saved.replaceAll("'", "&#39;")}">`)
  expect(page.match(/<script/g)).toHaveLength(1)
})

test("nothing of the page has another address than the links to this server", async () => {
  const page = (await (await read()).text()).replace(/<script>[\s\S]*<\/script>/, "")
  const addresses = [...page.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, address = ""]) => address)
  expect(
    addresses.filter((address) => !/^(#|data:image\/svg\+xml;base64,|http:\/\/localhost\/)/.test(address)),
  ).toEqual([])
  const [mark = ""] = addresses.filter((address) => address.startsWith("data:"))
  const served = await (await app.handle(new Request(BASE_URL + readMark.path))).text()
  expect(atob(mark.slice(mark.indexOf(",") + 1))).toBe(served)
})

test("a browser that translates the page changes neither the keys nor the value of a choice", async () => {
  const page = await (await read()).text()
  expect(page).toMatch(/<pre id="server-jwks" translate="no"/)
  expect(page).toContain('<option value="RELEASE_PAYMENT">RELEASE_PAYMENT</option>')
  expect(page).not.toContain("<option>")
})

test("a request with the ETag of the page gets 304, and a request that accepts gzip gets gzip", async () => {
  const plain = await read()
  const etag = plain.headers.get("etag") ?? ""
  const unchanged = await read({ "if-none-match": etag })
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""])
  const packed = await read({ "accept-encoding": "gzip" })
  expect([packed.headers.get("content-encoding"), packed.headers.get("cache-control")]).toEqual([
    "gzip",
    "public, max-age=300",
  ])
  expect(gunzipSync(await packed.bytes()).toString()).toBe(await plain.text())
})

test("the page has the published keys, and new ones after a change", async () => {
  const { shell } = testShell()
  const site = { issuerName: "Example", baseUrl: "https://svc.example" }
  let keys = new TextEncoder().encode('{"keys":["<first>"]}')
  const server: Listener = listening(shell, [verifyRoute({ shell, site, jwks: () => keys, markSvg: "<svg/>" })])
  const page = async () => (await fetch(`${server.origin}/verify`)).text()
  expect(await page()).toContain("{&quot;keys&quot;:[&quot;&lt;first&gt;&quot;]}")
  keys = new TextEncoder().encode('{"keys":["second"]}')
  const second = await page()
  expect(second).toContain("second")
  expect(second).not.toContain("first&gt;")
  await server.stop(0)
  expect(await (await read()).text()).toContain(running.service.keys.current().keyId)
})
