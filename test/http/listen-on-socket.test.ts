/** The public listener on a Unix socket: whose requests these are, the limits of a connection, and the stop. */
import { afterAll, expect, test } from "bun:test"
import { existsSync, lstatSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { addressList } from "../../src/base/address-list.ts"
import { SECOND } from "../../src/core/time.ts"
import { type Listener, listenOnSocket } from "../../src/http/listen.ts"
import type { Route } from "../../src/http/route.ts"
import { router } from "../../src/http/router.ts"
import { serve } from "../../src/http/serve.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { LONG } from "../fixtures/long.ts"
import { testShell } from "../fixtures/shell.ts"

const directory = freshDirectory()
afterAll(() => directory[Symbol.dispose]())

let sockets = 0
const BASE_URL = "https://svc.example"

async function onSocket(limits = {}) {
  const path = join(directory.path, `${sockets++}.sock`)
  const { shell } = testShell({ trustedProxies: addressList("unix:") })
  const listener = await listenOnSocket({ path, baseUrl: BASE_URL }, shell, limits)
  Object.assign(shell, { socket: listener.socket })
  const ask = (at = getLiveness.path, init: RequestInit = {}) =>
    fetch(`http://svc.example${at}`, { ...init, unix: path, keepalive: false })
  return { path, shell, listener, ask, [Symbol.asyncDispose]: async () => void (await listener.stop(0)) }
}

const open = (listener: Listener, shell: ReturnType<typeof testShell>["shell"], routes: readonly Route[]) =>
  listener.open(router(shell, routes).compile().fetch, BASE_URL)

test("until the routes are ready, the answer names its error under the public origin", async () => {
  await using server = await onSocket()
  expect(server.listener.origin).toBe(`unix:${server.path}`)
  expect(lstatSync(server.path).mode & 0o777).toBe(0o660)
  const answer = await server.ask()
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { code: "SERVICE_STARTING", type: expect.stringContaining(`${BASE_URL}/`) },
  ])
})

test("the client is the forwarded address, and all requests without one are one client", async () => {
  await using server = await onSocket()
  const { shell } = server
  const clients: string[] = []
  const route = serve(shell, getLiveness, ({ client }) => {
    clients.push(client)
    return { status: 200, body: { status: "ok" } }
  })
  open(server.listener, shell, [route])
  for (const forwarded of ["192.0.2.7", "1.1.1.1, 192.0.2.8", "2001:db8::1"]) {
    expect((await server.ask(getLiveness.path, { headers: { "x-forwarded-for": forwarded } })).status).toBe(200)
  }
  await server.ask()
  expect(clients).toEqual(["192.0.2.7", "192.0.2.8", "2001:db8:0:0::/64", "unix:"])
})

test("a stop removes the socket at once, lets the running request finish and cuts what does not finish in time", async () => {
  for (const graceMs of [5000, 50]) {
    await using server = await onSocket()
    const [inside, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held: Route = {
      operation: { ...getLiveness, path: "/held" },
      reply: async () => {
        inside.resolve()
        await gate.promise
        return new Response("finished")
      },
    }
    open(server.listener, server.shell, [held])
    const answer = server.ask("/held").then(
      (response) => response.text(),
      () => "cut",
    )
    await inside.promise
    expect(server.listener.pending()).toBe(1)
    const stopped = server.listener.stop(graceMs)
    expect(existsSync(server.path)).toBe(false)
    if (graceMs === 5000) gate.resolve()
    expect([await stopped, await answer]).toEqual(graceMs === 5000 ? [true, "finished"] : [false, "cut"])
    gate.resolve()
  }
})

test.skipIf(!LONG)(
  "a request that stalls, and a connection without a request, are ended",
  async () => {
    await using server = await onSocket()
    open(server.listener, server.shell, [])
    const ended = (text: string) =>
      new Promise<number>((resolve) => {
        const from = performance.now()
        const socket = connect(server.path)
        socket.resume()
        socket.on("close", () => resolve(performance.now() - from))
        socket.write(text)
      })
    const all = await Promise.all([
      ended("GET / HTTP/1.1\r\nHost: svc.example\r\n"),
      ended("POST / HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 10\r\n\r\nabc"),
      ended("GET / HTTP/1.1\r\nHost: svc.example\r\n\r\n"),
    ])
    for (const milliseconds of all) expect(milliseconds).toBeLessThan(20 * SECOND)
  },
  30_000,
)
