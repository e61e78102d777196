/**
 * A buyer behind a reverse proxy with an empty configuration: the whole purchase of each product with the published x402 client. And the
 * configurations that docs/operate.md shows.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import type { Running } from "../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { freePort } from "../fixtures/free-port.ts"
import { HEADER_BYTES_MAX, headerBytes } from "../fixtures/header-bytes.ts"
import { sourceText } from "../fixtures/imports.ts"
import { openProductOperator, postTo } from "../fixtures/product-operator.ts"
import { EACH_PRODUCT, PRODUCT_ROWS, purchaseOf } from "../fixtures/products.ts"
import { caddy, named, nginx, startCaddy, startNginx } from "../fixtures/proxies.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { ORIGIN } from "../fixtures/test-server.ts"

setDefaultTimeout(SCENARIO_MS)

/** As long as a base URL may be for the budget of headers. */
const LONG_BASE_URL = `https://${"h".repeat(44)}.example.com`

let operator: TestOperator
let server: Running
beforeAll(async () => {
  if (nginx === null && caddy === null) return
  operator = await openProductOperator()
  server = await operator.serve(["--base-url", ORIGIN, "--trusted-proxies", "127.0.0.1"])
})
afterAll(() => operator?.[Symbol.asyncDispose]())

describe("nginx without any setting", () => {
  let origin: string
  let proxy: AsyncDisposable | undefined
  beforeAll(async () => {
    if (nginx === null) return
    const port = freePort()
    origin = `http://127.0.0.1:${port}`
    const block = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${server.origin}; } }`
    proxy = await startNginx(() => block, port)
  })
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  describe.skipIf(nginx === null)(named("passes", "nginx", nginx), () => {
    test.each(EACH_PRODUCT)("a whole purchase of %s", async (_, row) => {
      const statuses: number[] = []
      const watched = async (input: RequestInfo | URL, init?: RequestInit) => {
        const answer = await fetch(new Request(input, init))
        statuses.push(answer.status)
        expect(headerBytes(answer)).toBeLessThan(HEADER_BYTES_MAX)
        return answer
      }
      const client = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
      const pay = wrapFetchWithPayment(watched as typeof fetch, client)
      const { path, body, headers } = purchaseOf(row, row.body())
      const answer = await pay(origin + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: body as string,
      })
      expect([answer.status, statuses]).toEqual([200, [402, 200]])
    })
  })

  test.skipIf(nginx === null)(
    named("answers 502 for a head of more than 4 KB, and passes the largest that the service sends", "nginx", nginx),
    async () => {
      using upstream = Bun.serve({
        port: 0,
        fetch: ({ url }) => {
          const bytes = Number(new URL(url).searchParams.get("bytes"))
          const response = new Response("{}")
          const missing = bytes - headerBytes(response) - "x-filler: \r\n".length
          response.headers.set("x-filler", "a".repeat(missing))
          return response
        },
      })
      const port = freePort()
      const block = `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream.port}; } }`
      await using _ = await startNginx(() => block, port)
      const statusOf = async (bytes: number) => (await fetch(`http://127.0.0.1:${port}/?bytes=${bytes}`)).status
      expect([await statusOf(HEADER_BYTES_MAX), await statusOf(4300)]).toEqual([200, 502])
    },
  )

  test.skipIf(nginx === null)(
    named("passes every quote of a service whose base URL has 64 characters", "nginx", nginx),
    async () => {
      await using long = await operator.serve(["--base-url", LONG_BASE_URL])
      const port = freePort()
      const block = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${long.origin}; } }`
      await using _ = await startNginx(() => block, port)
      const statuses: Record<string, number> = {}
      for (const row of PRODUCT_ROWS) {
        const answer = await postTo(`http://127.0.0.1:${port}`, purchaseOf(row, row.body()))
        statuses[row.id] = answer.status
      }
      // Bodies that are signed for another base URL are refused.
      const quoted = Object.values(statuses).filter((status) => status === 402)
      expect([quoted.length >= 7, Object.values(statuses).includes(502)]).toEqual([true, false])
    },
  )
})

/** The fenced block of this language in the section about proxies. */
function shown(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(sourceText("docs/operate.md"))?.[1]
  if (block === undefined) throw new Error(`docs/operate.md shows no ${language}`)
  return block
}

/** The shown text with places of this machine. Every replaced part must be in it. */
function placed(text: string, places: Readonly<Record<string, string>>): string {
  let changed = text
  for (const [part, place] of Object.entries(places)) {
    if (!changed.includes(part)) throw new Error(`${part} is not in the shown configuration`)
    changed = changed.replaceAll(part, place)
  }
  return changed
}

/** Asks through TLS for a page, a document and a quote. */
async function expectServed(port: number): Promise<void> {
  const [row] = PRODUCT_ROWS
  if (!row) throw new Error("no product")
  const { path, body, headers } = purchaseOf(row, row.body())
  const tls = { rejectUnauthorized: false }
  const ask = (at: string, init: RequestInit = {}) => fetch(`https://127.0.0.1:${port}${at}`, { ...init, tls })
  expect((await ask("/", { headers: { accept: "text/html" } })).status).toBe(200)
  expect((await ask("/v1/openapi.json")).headers.get("etag")).toBeTruthy()
  const sent = { "content-type": "application/json", ...headers }
  expect((await ask(path, { method: "POST", headers: sent, body: body as string })).status).toBe(402)
}

describe("docs/operate.md shows", () => {
  test.skipIf(nginx === null)(named("an nginx server that works as shown", "nginx", nginx), async () => {
    const port = freePort()
    const places = (folder: string) => ({
      "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
      "/etc/ssl/svc.example/fullchain.pem": `${folder}/certificate.pem`,
      "/etc/ssl/svc.example/privkey.pem": `${folder}/key.pem`,
      "http://127.0.0.1:8402": server.origin,
    })
    await using _ = await startNginx((folder) => placed(shown("nginx"), places(folder)), port)
    await expectServed(port)
  })

  test.skipIf(caddy === null)(named("a Caddyfile that works as shown", "caddy", caddy), async () => {
    const port = freePort()
    const places = (folder: string) => ({
      "svc.example {": `https://:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`,
      "127.0.0.1:8402": new URL(server.origin).host,
    })
    await using _ = await startCaddy((folder) => placed(shown("caddyfile"), places(folder)), port)
    await expectServed(port)
  })
})
