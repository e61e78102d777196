/** The bridge between lines and POSTs, against a service that the test plays. */
import { describe, expect, test } from "bun:test"
import { runBridge } from "../../src/agent/mcp-bridge.ts"
import type { Send } from "../../src/agent/service-call.ts"

const URL_OF_MCP = "https://svc.example/v1/agent/mcp"
type Message = Record<string, unknown>

async function* linesOf(...lines: (string | null)[]) {
  yield* lines
}

/** Sends the lines and returns the written messages and the requests that the service got. */
async function carried(lines: AsyncIterable<string | null>, serve: Send) {
  const written: string[] = []
  const requests: { headers: Record<string, string>; body: string; redirect: string }[] = []
  await runBridge({
    url: URL_OF_MCP,
    lines,
    write: async (line) => void written.push(line),
    send: async (request) => {
      requests.push({
        headers: Object.fromEntries(request.headers),
        body: await request.clone().text(),
        redirect: request.redirect,
      })
      return serve(request)
    },
  })
  return { written, messages: written.map((line) => JSON.parse(line) as Message), requests }
}

const answering =
  (value: unknown, status = 200): Send =>
  async () =>
    Response.json(value, { status })
const echo: Send = async (request) => {
  const { id } = (await request.json()) as Message
  return Response.json({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18" } })
}
const errorOf = (message: Message | undefined) => message?.["error"] as { code: number; message: string }

describe("a message goes out", () => {
  test("unchanged, with the headers of its own revision", async () => {
    const line = `{"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x402/payment":{"a":1}}}}`
    const { requests } = await carried(linesOf(line), echo)
    expect(requests[0]?.body).toBe(line)
    expect(requests[0]?.redirect).toBe("error")
    expect(requests[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?w6k=?=",
    })
  })

  test("with the revision that initialize agreed on, once it has", async () => {
    async function* lines() {
      yield '{"jsonrpc":"2.0","id":1,"method":"initialize"}'
      await Bun.sleep(20)
      yield '{"jsonrpc":"2.0","id":2,"method":"ping"}'
    }
    const { requests } = await carried(lines(), echo)
    expect(requests.map(({ headers }) => headers["mcp-protocol-version"])).toEqual([undefined, "2025-06-18"])
    expect(requests[1]?.headers["mcp-method"]).toBeUndefined()
  })
})

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'

describe("an answer comes back", () => {
  test("as one line with its own bytes", async () => {
    const text = '{"jsonrpc":"2.0",\r\n "id":7,"result":{"n":1.0,"text":"a\\nb"}}'
    const { written } = await carried(linesOf(PING), async () => new Response(text))
    expect(written).toEqual(['{"jsonrpc":"2.0",  "id":7,"result":{"n":1.0,"text":"a\\nb"}}'])
  })

  test("with the id of its request if the service refused before it read the id", async () => {
    const refused = { jsonrpc: "2.0", id: null, error: { code: -32603, message: "busy" } }
    const { messages } = await carried(linesOf(PING), answering(refused, 429))
    expect(messages).toEqual([{ ...refused, id: 7 }])
  })

  test.each([
    ["a problem document", answering({ type: "about:blank", status: 503 }, 503)],
    ["a page", (async () => new Response("<html>", { status: 502 })) as Send],
    ["nothing", (async () => new Response(null, { status: 202 })) as Send],
    ["a redirect that fetch rejects", (() => Promise.reject(new TypeError("redirect"))) as Send],
    ["a broken connection", (() => Promise.reject(new Error("ECONNRESET"))) as Send],
  ])("as -32603 for %s", async (_name, serve) => {
    const { messages } = await carried(linesOf(PING), serve)
    expect([messages.length, messages[0]?.["id"], errorOf(messages[0]).code]).toEqual([1, 7, -32603])
  })

  test("not at all for a notification, even if it fails", async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const { written, requests } = await carried(linesOf(note), () => Promise.reject(new Error("ECONNRESET")))
    expect([written.length, requests.length]).toEqual([0, 1])
  })
})

test("a cancelled call is aborted, and neither it nor its cancellation is answered or sent on", async () => {
  let aborted = false
  async function* lines() {
    yield PING
    await Bun.sleep(10)
    yield '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
  }
  const { written, requests } = await carried(lines(), (request) => {
    return new Promise((_, reject) => {
      request.signal.addEventListener("abort", () => {
        aborted = true
        reject(new Error("aborted"))
      })
    })
  })
  expect([aborted, written.length, requests.length]).toEqual([true, 0, 1])
})

test("a line that is no message, or too long, is answered here and not sent", async () => {
  const { messages, requests } = await carried(linesOf("{", "[]", "", "  ", null), echo)
  expect(messages.map((message) => errorOf(message).code)).toEqual([-32700, -32600, -32600])
  expect(requests.length).toBe(0)
})

test("more than 64 calls at once are answered with an error", async () => {
  const all = Array.from({ length: 65 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }))
  const { messages, requests } = await carried(linesOf(...all), async (request) => {
    await Bun.sleep(30)
    return echo(request)
  })
  expect([requests.length, messages.filter((message) => message["error"]).map(({ id }) => id)]).toEqual([64, [64]])
})

test("the bridge ends if nobody reads its output", async () => {
  const ended = runBridge({
    url: URL_OF_MCP,
    lines: linesOf(PING),
    send: echo,
    write: () => Promise.reject(new Error("EPIPE")),
  })
  await expect(ended).rejects.toThrow("EPIPE")
})
