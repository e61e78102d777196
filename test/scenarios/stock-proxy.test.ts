/**
 * A buyer behind a reverse proxy with an empty configuration: the whole purchase of each product with the published x402 client.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import type { Running } from "../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { freePort } from "../fixtures/free-port.ts"
import { HEADER_BYTES_MAX, headerBytes } from "../fixtures/header-bytes.ts"
import { openProductOperator, postTo } from "../fixtures/product-operator.ts"
import { EACH_PRODUCT, PRODUCT_ROWS, purchaseOf } from "../fixtures/products.ts"
import { named, nginx, startNginx } from "../fixtures/proxies.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { ORIGIN } from "../fixtures/test-server.ts"

setDefaultTimeout(SCENARIO_MS)

/** As long as a base URL may be for the budget of headers. */
const LONG_BASE_URL = `https://${"h".repeat(44)}.example.com`

let operator: TestOperator
let server: Running
beforeAll(async () => {
  if (nginx === null) return
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
