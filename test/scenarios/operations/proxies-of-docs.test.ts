/**
 * The configurations of docs/proxy.md, taken from the page, in real proxies before the program under test: over a port and over a Unix socket.
 * The access log of the program is the witness of whom it took for the client.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { verifyAgentSignature } from "../../../schemas/agent-id/signature-operations.ts"
import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import { type Running, serve } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { freePort } from "../../fixtures/free-port.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { LONG } from "../../fixtures/long.ts"
import { openProductOperator } from "../../fixtures/product-operator.ts"
import { PRODUCT_ROWS, purchaseOf } from "../../fixtures/products.ts"
import { caddy, named, nginx, startCaddy, startNginx } from "../../fixtures/proxies.ts"
import { SCENARIO_MS, type TestOperator } from "../../fixtures/test-operator.ts"
import { ORIGIN } from "../../fixtures/test-server.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

const PAGE = sourceText("docs/proxy.md")
/** The group of the workers of nginx, when root starts it. */
const NOBODY = 65_534
const FORGED = "9.9.9.9"
const TLS = { rejectUnauthorized: false }

const hasCurl = Bun.which("curl") !== null
const canRun = hasCurl && (nginx !== null || caddy !== null)

/** The only fenced block of this language. */
function shown(language: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))]
  if (blocks.length !== 1) throw new Error(`docs/proxy.md shows ${blocks.length} blocks of ${language}`)
  return blocks[0]?.[1] ?? ""
}

interface Row {
  readonly where: string
  readonly port: string
  readonly socket: string
}

/** The table of what differs between a port and a socket. */
const ROWS: readonly Row[] = [...PAGE.matchAll(/^\| (`bizauth\.toml`|nginx|Caddy) \| `(.+)` \| `(.+)` \|$/gm)].map(
  ([, where = "", port = "", socket = ""]) => ({ where, port, socket }),
)

/** Every replaced part must be in the text. */
function placed(text: string, places: Readonly<Record<string, string>>): string {
  let changed = text
  for (const [part, place] of Object.entries(places)) {
    if (!changed.includes(part)) throw new Error(`${part} is not in the shown configuration`)
    changed = changed.replaceAll(part, place)
  }
  return changed
}

type Transport = "port" | "socket"
type Program = "nginx" | "Caddy"

/** The shown configuration of a proxy for one transport. */
function shownFor(program: Program, transport: Transport): string {
  const [row] = ROWS.filter(({ where }) => where === program)
  if (row === undefined) throw new Error(`the table has no row for ${program}`)
  return placed(shown(program === "nginx" ? "nginx" : "caddyfile"), { [row.port]: row[transport] })
}

let operator: TestOperator
beforeAll(async () => {
  if (!canRun) return
  operator = await openProductOperator()
  chmodSync(operator.folder, 0o711)
})
afterAll(() => operator?.[Symbol.asyncDispose]())

/** What stands on the page for the place of the service. */
const SHOWN_PLACE = { port: "127.0.0.1:8402", socket: "/run/bizauth/http.sock" } as const

function placeOf(transport: Transport): string {
  if (transport === "port") return `127.0.0.1:${freePort()}`
  const folder = join(operator.folder, "sockets")
  mkdirSync(folder, { recursive: true })
  if (process.getuid?.() === 0) chownSync(folder, 0, NOBODY)
  // As the page says: a socket in it gets the group of the folder.
  chmodSync(folder, 0o2750)
  return join(folder, "http.sock")
}

interface Answer {
  readonly status: number
  readonly version: string
  readonly headers: string
  readonly body: string
}

/** One request with curl over TLS. */
async function curl(port: number, path: string, args: readonly string[] = []): Promise<Answer> {
  const words = ["curl", "-ski", "--max-time", "20", "-w", "\n%{http_code} %{http_version}"]
  const child = Bun.spawn([...words, ...args, `https://127.0.0.1:${port}${path}`], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdout: "pipe",
    stderr: "ignore",
  })
  const out = await new Response(child.stdout).text()
  const [, all = "", status = "", version = ""] = /^([\s\S]*)\n(\d+) (\S+)$/.exec(out) ?? []
  let [headers, body] = ["", all]
  // An interim answer has headers of its own.
  while (body.startsWith("HTTP/")) {
    const end = body.indexOf("\r\n\r\n") + 4
    headers = body.slice(0, end).toLowerCase()
    body = body.slice(end)
  }
  return { status: Number(status), version, headers, body }
}

/** The runtime of the service ends the connection while Caddy still sends. 0: so does Caddy with its client's. */
const CUT_OFF = [413, 502, 0]

const JSON_BODY = ["-X", "POST", "-H", "content-type: application/json"]

type Words = readonly [path: string, args?: readonly string[]]
/** A request with a body, and one without. */
const POST: Words = [verifyAgentSignature.path, [...JSON_BODY, "-d", "{}"]]
const GET: Words = ["/livez"]

const CALLERS = 3

/** Callers each of which sends the request again as soon as it has the answer. */
function loadOn(port: number, words: Words) {
  const statuses: number[] = []
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) statuses.push((await curl(port, ...words)).status)
  })
  return {
    statuses,
    end: async () => {
      isOver = true
      await Promise.all(callers)
    },
  }
}

/** The statuses that are not expected. */
function others(statuses: readonly number[], expected: readonly number[]): number[] {
  return statuses.filter((status) => !expected.includes(status))
}

/** A service on a port or a socket, which can be started again at the same place. */
async function openService(transport: Transport) {
  const place = placeOf(transport)
  const accessLog = join(operator.folder, `access-${transport}.log`)
  const settings = ROWS.filter(({ where }) => where === "`bizauth.toml`").flatMap((row) => {
    const [, name = "", value = ""] = /^(\w+) = "(.*)"$/.exec(row[transport]) ?? []
    return [`--${name.replaceAll("_", "-")}`, value.replace(SHOWN_PLACE[transport], place)]
  })
  const flags = [...settings, "--base-url", ORIGIN, "--access-log", accessLog, "--settle-wait-ms", "600"]
  const start = async (): Promise<Running> => {
    const running = await serve(operator.data, [...operator.selling, ...flags])
    const init = transport === "socket" ? { unix: place } : {}
    const at = transport === "socket" ? "http://svc.example" : `http://${place}`
    await until("it sells", async () => (await fetch(`${at}/readyz`, { ...init, keepalive: false })).status === 200)
    return running
  }
  const clients = () =>
    readFileSync(accessLog, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  return { place, start, clients }
}

function startProxy(program: Program, transport: Transport, place: string, port: number): Promise<AsyncDisposable> {
  return startProxyWith(program, placed(shownFor(program, transport), { [SHOWN_PLACE[transport]]: place }), port)
}

/** `text`: a configuration of the page with the place of the service of the test. */
function startProxyWith(program: Program, text: string, port: number): Promise<AsyncDisposable> {
  if (program === "Caddy") {
    const own = (folder: string) => `https://:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`
    return startCaddy((folder) => placed(text, { "svc.example {": own(folder) }), port)
  }
  const own = (folder: string) => ({
    "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
    "/etc/ssl/svc.example/fullchain.pem": `${folder}/certificate.pem`,
    "/etc/ssl/svc.example/privkey.pem": `${folder}/key.pem`,
  })
  return startNginx((folder) => placed(text, own(folder)), port)
}

test("the page has a row for each proxy and for both settings", () => {
  expect(ROWS.map(({ where }) => where)).toEqual(["`bizauth.toml`", "`bizauth.toml`", "nginx", "Caddy"])
  for (const program of ["nginx", "Caddy"] as const) expect(shownFor(program, "socket")).not.toContain("8402")
})

const VARIANTS = (["port", "socket"] as const).flatMap((transport) =>
  (["nginx", "Caddy"] as const).map((program) => ({ transport, program })),
)

describe.each(VARIANTS)("$program over a $transport", ({ transport, program }) => {
  const path = program === "nginx" ? nginx : caddy
  const isRun = hasCurl && path !== null
  const title = (text: string) => named(text, hasCurl ? program : "curl", hasCurl ? path : null)
  const index = VARIANTS.findIndex((one) => one.transport === transport && one.program === program)
  const port = freePort()
  const origin = `https://127.0.0.1:${port}`
  let service: Awaited<ReturnType<typeof openService>>
  let running: Running
  let proxy: AsyncDisposable

  beforeAll(async () => {
    if (!isRun) return
    service = await openService(transport)
    running = await service.start()
    proxy = await startProxy(program, transport, service.place, port)
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await running?.kill()
  })

  /** Buys one product with the published client. Returns the statuses in their order, and how long the last answer took. */
  async function buys(number: number) {
    const statuses: number[] = []
    let quote = ""
    const watched = async (input: RequestInfo | URL, init?: RequestInit) => {
      const answer = await fetch(new Request(input, init), { tls: TLS })
      statuses.push(answer.status)
      quote ||= answer.headers.get("payment-required") ?? ""
      return answer
    }
    const client = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
    const pay = wrapFetchWithPayment(watched as typeof fetch, client)
    const row = PRODUCT_ROWS[number]
    if (row === undefined) throw new Error("no product")
    const { path: at, body, headers } = purchaseOf(row, row.body())
    const sent = { "content-type": "application/json", ...headers }
    const from = performance.now()
    await pay(origin + at, { method: "POST", headers: sent, body: body as string })
    return { statuses, quote, milliseconds: performance.now() - from }
  }

  test.skipIf(!isRun)(title("sells over HTTP/1.1, and passes quote and payment"), async () => {
    const { statuses, quote } = await buys(index)
    expect([statuses, quote.length > 100]).toEqual([[402, 200], true])
  })

  test.skipIf(!isRun)(title("passes a 202 as soon as the service gives it"), async () => {
    operator.proxy.fault("eth_getTransactionReceipt", { result: null })
    operator.proxy.fault("eth_getLogs", { result: [] })
    const { statuses, milliseconds } = await buys(index + VARIANTS.length)
    operator.proxy.reset()
    expect([statuses, milliseconds < 5000]).toEqual([[402, 202], true])
  })

  test.skipIf(!isRun)(title("speaks HTTP/2, and an address that a client forges never counts"), async () => {
    const forged = ["-H", `X-Forwarded-For: ${FORGED}`, "-H", `Forwarded: for=${FORGED}`, "-H", `X-Real-IP: ${FORGED}`]
    const answers = [
      await curl(port, "/livez", ["--http2", ...forged]),
      await curl(port, "/livez", ["--http1.1", "--interface", "127.0.0.2", ...forged]),
    ]
    expect(answers.map(({ status, version }) => [status, version])).toEqual([
      [200, "2"],
      [200, "1.1"],
    ])
    const ids = answers.map(({ headers }) => /x-request-id: (\S+)/.exec(headers)?.[1])
    const clientOf = (id: string | undefined) =>
      service.clients().find((line) => String(line["request_id"]).toLowerCase() === id)?.["client"]
    await until("both have lines", () => ids.every((id) => clientOf(id) !== undefined))
    expect(ids.map(clientOf)).toEqual(["127.0.0.1", "127.0.0.2"])
    expect(readFileSync(join(operator.folder, `access-${transport}.log`), "utf8")).not.toContain(FORGED)
  })

  test.skipIf(!isRun)(title("leaves each client its own budget"), async () => {
    const left = async (address: string) => {
      const args = [...JSON_BODY, "-d", "{}", "--interface", address, "-H", `X-Forwarded-For: 192.0.2.${Math.random()}`]
      return Number(/ratelimit: .*;r=(\d+)/.exec((await curl(port, verifyAgentSignature.path, args)).headers)?.[1])
    }
    const own = `127.0.1.${2 + index}`
    const first = await left(own)
    expect(first).toBeGreaterThan(1)
    expect([await left(own), await left(`127.0.2.${2 + index}`)]).toEqual([first - 1, first])
  })

  test.skipIf(!isRun)(title("gives the service's own 413 up to 1,088 KiB, and refuses a longer body"), async () => {
    const sized = async (bytes: number) => {
      const file = join(operator.folder, `body-${bytes}`)
      if (!existsSync(file)) writeFileSync(file, " ".repeat(bytes))
      return curl(port, PAYMENT_DECISION_PATH, [...JSON_BODY, "--data-binary", `@${file}`])
    }
    for (const bytes of [70_000, 1_048_577, 1_114_112]) {
      const answer = await sized(bytes)
      expect([bytes, answer.status, JSON.parse(answer.body)]).toMatchObject([bytes, 413, { code: "BODY_TOO_LARGE" }])
    }
    const above = await sized(1_114_113)
    if (program === "nginx") expect([above.status, above.body]).toEqual([413, expect.stringContaining("nginx")])
    else expect([CUT_OFF.includes(above.status), above.body]).toEqual([true, ""])
  })

  test.skipIf(!isRun)(
    title("takes a payment header of 15 KB, and refuses one over the limit of the service"),
    async () => {
      const withHeader = (bytes: number) => {
        const header = ["--http1.1", "-H", `payment-signature: ${"a".repeat(bytes)}`]
        return curl(port, PAYMENT_DECISION_PATH, [...JSON_BODY, "-d", "{}", ...header])
      }
      const taken = await withHeader(15_000)
      expect([taken.status, JSON.parse(taken.body)]).toMatchObject([422, { charged: false }])
      // The service ends the connection after its refusal. Caddy, which still writes the header, may see that before the answer.
      expect(program === "nginx" ? [400] : [431, 502]).toContain((await withHeader(17_000)).status)
    },
  )

  test.skipIf(!LONG || !isRun)(
    title("never uses a connection that the service ends (BIZAUTH_LONG=1)"),
    async () => {
      for (const pauseMs of [9_500, 10_000, 11_500]) {
        const sent = await curl(port, verifyAgentSignature.path, [...JSON_BODY, "-d", "{}"])
        expect([pauseMs, sent.status]).toEqual([pauseMs, 422])
        await Bun.sleep(pauseMs)
      }
      expect((await curl(port, verifyAgentSignature.path, [...JSON_BODY, "-d", "{}"])).status).toBe(422)
    },
    60_000,
  )

  test.skipIf(!isRun)(title("goes on after a restart of the service; over Caddy each GET waits"), async () => {
    const [posts, gets] = [loadOn(port, POST), loadOn(port, GET)]
    await until("answers", () => Math.min(posts.statuses.length, gets.statuses.length) > 3)
    expect(await running.stop()).toBe(0)
    running = await service.start()
    const before = posts.statuses.length
    await until("answers again", () => posts.statuses.slice(before).filter((status) => status === 422).length > 3)
    await Promise.all([posts.end(), gets.end()])
    expect(others(posts.statuses, [422, 502, 503])).toEqual([])
    expect(others(gets.statuses, program === "Caddy" ? [200, 503] : [200, 502, 503])).toEqual([])
    const failed = posts.statuses.filter((status) => status === 502).length
    expect(failed).toBeGreaterThan(0)
    // Of each caller at most the POST that was on its way at the stop, and the one that waited for the start.
    if (program === "Caddy") expect(failed).toBeLessThanOrEqual(2 * CALLERS)
  })

  test.skipIf(!isRun)(title("answers 502 while the service is stopped"), async () => {
    expect(await running.stop()).toBe(0)
    const from = performance.now()
    expect((await Promise.all([curl(port, ...POST), curl(port, ...GET)])).map(({ status }) => status)).toEqual([
      502, 502,
    ])
    const waited = performance.now() - from
    expect(waited > 8000).toBe(program === "Caddy")
  })
})

test.skipIf(!canRun || nginx === null)(
  named("nginx before two processes loses only requests on their way at a stop", "nginx", nginx),
  async () => {
    const places = [placeOf("port"), placeOf("port")]
    const shownTwo = shown("nginx-two")
    const text = placed(shownFor("nginx", "port"), { [`    server ${SHOWN_PLACE.port};\n`]: shownTwo })
    const port = freePort()
    const shownPlaces = [...shownTwo.matchAll(/server (\S+) /g)].map(([, place = ""]) => place)
    const there = Object.fromEntries(shownPlaces.map((place, at) => [place, places[at] ?? ""]))
    const flags = ["--trusted-proxies", "127.0.0.1", "--base-url", ORIGIN, "--rate-limits", "off"]
    const start = (place: string) => serve(operator.data, [...operator.selling, ...flags, "--listen", place])
    const running = await Promise.all(places.map(start))
    const proxy = await startProxyWith("nginx", placed(text, there), port)
    const load = loadOn(port, POST)
    try {
      for (const [at, place] of places.entries()) {
        const from = load.statuses.length
        await until("answers", () => load.statuses.slice(from).filter((status) => status === 422).length > CALLERS)
        expect(await running[at]?.stop()).toBe(0)
        running[at] = await start(place)
      }
      const from = load.statuses.length
      await until("answers again", () => load.statuses.slice(from).filter((status) => status === 422).length > CALLERS)
    } finally {
      await load.end()
      await proxy[Symbol.asyncDispose]()
      for (const one of running) await one.kill()
    }
    expect(others(load.statuses, [422, 502, 503])).toEqual([])
    expect(load.statuses.filter((status) => status === 502).length).toBeLessThanOrEqual(CALLERS * places.length)
  },
)
