import { expect, test } from "bun:test"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { tcpAddress } from "../../src/base/listen-address.ts"
import { listen, RECEIVED_BYTES_MAX } from "../../src/http/listen.ts"
import type { Route } from "../../src/http/route.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"

/** A route without the checks of `serve`. */
function route(method: "GET" | "POST", path: string, reply: Route["reply"]): Route {
  return { operation: { ...getLiveness, method, path }, reply }
}

/** A route that answers only when the test says so. */
function held() {
  let release = () => {}
  let arrived = () => {}
  const inside = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const routes = [
    route("GET", "/quick", () => new Response("quick")),
    route("GET", "/held", async () => {
      arrived()
      await gate
      return new Response("finished")
    }),
  ]
  return { routes, inside, release: () => release() }
}

test("until the routes are ready, a request gets the response that the service is starting", async () => {
  const listener = listen({ host: "127.0.0.1", port: 0 }, testShell().shell)
  const answer = await fetch(listener.origin)
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, "SERVICE_STARTING"])
  await listener.stop(0)
})

test("a port in use is an error, and is never shared with the other process", async () => {
  const { shell } = testShell()
  await using first = listening(shell, [])
  expect(() => listen(tcpAddress(new URL(first.origin).host), shell)).toThrow(/EADDRINUSE|in use/)
})

test("an IPv6 address is accepted and printed with brackets", async () => {
  const listener = listen({ host: "[::1]", port: 0 }, testShell().shell)
  expect(listener.origin).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await fetch(listener.origin)).status).toBe(503)
  await listener.stop(0)
})

test("a stop lets the running request finish and accepts no new one", async () => {
  const { routes, inside, release } = held()
  const server = listening(testShell().shell, [routes])
  const answer = fetch(`${server.origin}/held`)
  await inside
  const stopped = server.stop(5000)
  await expect(fetch(`${server.origin}/quick`, { keepalive: false })).rejects.toThrow()
  release()
  expect(await (await answer).text()).toBe("finished")
  expect(await stopped).toBe(true)
})

test("a request that does not finish in time is cut", async () => {
  const { routes, inside, release } = held()
  const server = listening(testShell().shell, [routes])
  const answer = fetch(`${server.origin}/held`).then(
    () => "answered",
    () => "cut",
  )
  await inside
  expect(await server.stop(50)).toBe(false)
  expect(await answer).toBe("cut")
  release()
})

test("a request over the concurrency limit gets 503, and the earlier requests get their responses", async () => {
  const { routes, inside, release } = held()
  await using server = listening(testShell().shell, [routes], { inFlightMax: 1 })
  const answer = fetch(`${server.origin}/held`)
  await inside
  const refused = await fetch(`${server.origin}/quick`)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, "SERVICE_BUSY"])
  release()
  expect((await answer).status).toBe(200)
  expect((await fetch(`${server.origin}/quick`)).status).toBe(200)
})

test("near the concurrency limit only payments and recoveries are accepted, until they too are over the limit", async () => {
  const { routes, inside, release } = held()
  const sold = [
    route("POST", "/sold", () => new Response("paid")),
    route("POST", "/sold/recover", () => new Response("recovered")),
  ]
  await using server = listening(testShell().shell, [routes, sold], { unpaidInFlightMax: 1, inFlightMax: 2 })
  const first = fetch(`${server.origin}/held`)
  await inside
  const post = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.origin + path, { method: "POST", headers })
  expect((await fetch(`${server.origin}/quick`)).status).toBe(503)
  expect((await post("/sold")).status).toBe(503)
  expect((await fetch(`${server.origin}/quick`, { headers: { "payment-signature": "e30=" } })).status).toBe(503)
  expect(await (await post("/sold", { "payment-signature": "e30=" })).text()).toBe("paid")
  expect(await (await post("/sold/recover")).text()).toBe("recovered")
  const second = fetch(`${server.origin}/held`, { method: "GET" })
  expect((await second).status).toBe(503)
  release()
  expect((await first).status).toBe(200)
  expect((await fetch(`${server.origin}/quick`)).status).toBe(200)
})

test("buyers too are refused above the concurrency limit", async () => {
  const { routes, inside, release } = held()
  const sold = route("POST", "/sold", () => new Response("paid"))
  await using server = listening(testShell().shell, [routes, sold], { unpaidInFlightMax: 1, inFlightMax: 1 })
  const first = fetch(`${server.origin}/held`)
  await inside
  const paid = await fetch(`${server.origin}/sold`, { method: "POST", headers: { "payment-signature": "e30=" } })
  expect([paid.status, ((await paid.json()) as { code: string }).code]).toEqual([503, "SERVICE_BUSY"])
  release()
  await first
})

test.each([
  ["two different hosts", "Host: a.example\r\nHost: b.example\r\n"],
  ["the same host twice", "Host: a.example\r\nHost: a.example\r\n"],
  ["two names of the header", "Host: a.example\r\nhOST: b.example\r\n"],
  ["an empty second one", "Host: a.example\r\nHost:\r\n"],
  ["two hosts in one header", "Host: a.example, b.example\r\n"],
  ["no host at all", ""],
])("a request with %s gets 400 and reaches no route", async (_what, host) => {
  let seen = 0
  const quick = route("GET", "/quick", () => {
    seen += 1
    return new Response("quick")
  })
  await using server = listening(testShell().shell, [quick])
  const answer = await rawExchange(server.origin, `GET /quick HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  expect(answer).toStartWith("HTTP/1.1 400 ")
  expect(seen).toBe(0)
})

test("after an accepted host, a malformed one is still refused, and so is the accepted one beside another", async () => {
  await using server = listening(testShell().shell, [route("GET", "/quick", () => new Response("quick"))])
  const statusOf = async (host: string) =>
    (await rawExchange(server.origin, `GET /quick HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).slice(9, 12)
  const hosts = [
    "a.example",
    "a.example",
    "a.example, b.example",
    "b.example",
    "b.ex ample",
    "b.example:99999",
    "a.example",
  ]
  const statuses: string[] = []
  for (const host of hosts) statuses.push(await statusOf(`Host: ${host}\r\n`))
  expect(statuses).toEqual(["200", "200", "400", "200", "400", "400", "200"])
  expect(await statusOf("")).toBe("400")
})

test("a refusal before any route has the headers of every answer", async () => {
  await using server = listening(testShell().shell, held().routes)
  const answer = await rawExchange(
    server.origin,
    "GET /quick HTTP/1.1\r\nHost: a.example, b.example\r\nConnection: close\r\n\r\n",
    '"request_id":"',
  )
  const id = /^x-request-id: (req_[A-Za-z0-9_-]{22})\r$/im.exec(answer)?.[1]
  expect(answer).toContain(`"request_id":"${id}"`)
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
})

test("a body over the server's maximum gets 413 without a body, before any service code runs", async () => {
  const { shell, logged } = testShell()
  await using server = listening(shell, held().routes)
  const body = Buffer.alloc(RECEIVED_BYTES_MAX + 1)
  const answer = await fetch(`${server.origin}/quick`, { method: "POST", body })
  expect([answer.status, await answer.text()]).toEqual([413, ""])
  expect(logged).toEqual([])
})
