/** Clients that send half a body, over real connections. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { FREE, operation } from "../../schemas/operation.ts"
import { serve } from "../../src/http/serve.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"
import { until } from "../fixtures/until.ts"

const note = operation({
  ...FREE,
  id: "take_note",
  method: "POST",
  path: "/notes",
  summary: "Takes a note",
  body: Type.Object({ text: Type.String() }),
  responses: {},
  cors: "NONE",
  rateLimit: { group: "test", perMinute: 1_000_000 },
})

const PER_CLIENT = 3
const json = { "content-type": "application/json" }
const BODY = JSON.stringify({ text: "whole" })

function small(trustedProxies: ReadonlySet<string> = new Set()) {
  const { shell } = testShell({ trustedProxies })
  return listening(shell, [serve(shell, note, () => ({ status: 200, body: "{}" }))], { bodiesPerClientMax: PER_CLIENT })
}

/** Connections that have sent their headers and one byte of the body. */
async function halfSent(origin: string, count: number, headers = ""): Promise<{ finish(): void; cut(): void }> {
  const { hostname, port } = new URL(origin)
  const head = `POST /notes HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n${headers}\r\n`
  const sockets = await Promise.all(
    Array.from({ length: count }, () => Bun.connect({ hostname, port: Number(port), socket: { data() {} } })),
  )
  for (const socket of sockets) {
    socket.write(head + BODY.slice(0, 1))
    socket.flush()
  }
  return {
    finish: () => {
      for (const socket of sockets) socket.write(BODY.slice(1))
    },
    cut: () => {
      for (const socket of sockets) socket.terminate()
    },
  }
}

const ask = (origin: string, headers: Record<string, string> = {}) =>
  fetch(`${origin}/notes`, { method: "POST", headers: { ...json, ...headers }, body: BODY, keepalive: false })

/** The server reads what was sent, or notices what was cut, at a moment of its own. */
const answers = (status: number, asking: () => Promise<Response>) =>
  until(`an answer ${status}`, async () => (await asking()).status === status)

test("an address with the maximum of half-sent bodies gets no further one, with or without rate limits", async () => {
  await using server = small()
  const held = await halfSent(server.origin, PER_CLIENT)
  await answers(429, () => ask(server.origin))
  const refused = await ask(server.origin)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, "RATE_LIMITED"])
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  held.finish()
  await answers(200, () => ask(server.origin))
})

test("a refused connection is closed although its body has not arrived", async () => {
  await using server = small()
  const held = await halfSent(server.origin, PER_CLIENT)
  await answers(429, () => ask(server.origin))
  const started = performance.now()
  // Resolves when the other side closes.
  const text = `POST /notes HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
  const answer = await rawExchange(server.origin, text, "never in the answer")
  expect(answer).toStartWith("HTTP/1.1 429 ")
  expect(performance.now() - started).toBeLessThan(3000)
  held.cut()
})

test("half-sent bodies on closed connections no longer count", async () => {
  await using server = small()
  for (let round = 0; round < 4; round++) {
    const held = await halfSent(server.origin, PER_CLIENT)
    await answers(429, () => ask(server.origin))
    held.cut()
    await answers(200, () => ask(server.origin))
  }
})

test("behind a trusted proxy each client is counted separately, and an IPv6 client by its /64", async () => {
  await using server = small(new Set(["127.0.0.1"]))
  const held = await halfSent(server.origin, PER_CLIENT, "X-Forwarded-For: 2001:db8::1\r\n")
  await answers(429, () => ask(server.origin, { "x-forwarded-for": "2001:db8::2" }))
  expect((await ask(server.origin, { "x-forwarded-for": "2001:db8:0:1::1" })).status).toBe(200)
  held.cut()
})

test("hundreds of complete simultaneous requests from one address all get an answer", async () => {
  await using server = small()
  const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await ask(server.origin)).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
})
