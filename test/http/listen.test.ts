import { expect, test } from "bun:test"
import { Elysia } from "elysia"
import { listen, RECEIVED_BYTES_MAX } from "../../src/http/listen.ts"
import { listening, testShell } from "../fixtures/shell.ts"

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
  const slice = new Elysia()
    .get("/quick", () => new Response("quick"))
    .get("/held", async () => {
      arrived()
      await gate
      return new Response("finished")
    })
  return { slice, inside, release: () => release() }
}

test("until the routes are ready a request is told that the service is starting", async () => {
  const listener = listen("127.0.0.1:0", testShell().shell)
  const answer = await fetch(listener.origin)
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, "SERVICE_STARTING"])
  await listener.stop(0)
})

test("a port in use is an error, never a share of the traffic", async () => {
  const { shell } = testShell()
  await using first = listening(shell, [])
  expect(() => listen(new URL(first.origin).host, shell)).toThrow(/EADDRINUSE|in use/)
})

test("an IPv6 address is listened on and named with brackets", async () => {
  const listener = listen("[::1]:0", testShell().shell)
  expect(listener.origin).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await fetch(listener.origin)).status).toBe(503)
  await listener.stop(0)
})

test("a stop lets the request in flight finish and takes no new one", async () => {
  const { slice, inside, release } = held()
  const server = listening(testShell().shell, [slice])
  const answer = fetch(`${server.origin}/held`)
  await inside
  const stopped = server.stop(5000)
  await expect(fetch(`${server.origin}/quick`, { keepalive: false })).rejects.toThrow()
  release()
  expect(await (await answer).text()).toBe("finished")
  expect(await stopped).toBe(true)
})

test("a request that does not finish in time is cut", async () => {
  const { slice, inside, release } = held()
  const server = listening(testShell().shell, [slice])
  const answer = fetch(`${server.origin}/held`).then(
    () => "answered",
    () => "cut",
  )
  await inside
  expect(await server.stop(50)).toBe(false)
  expect(await answer).toBe("cut")
  release()
})

test("a request over the number in flight is told 503 and the ones before it are answered", async () => {
  const { slice, inside, release } = held()
  await using server = listening(testShell().shell, [slice], { inFlightMax: 1 })
  const answer = fetch(`${server.origin}/held`)
  await inside
  const refused = await fetch(`${server.origin}/quick`)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, "SERVICE_BUSY"])
  release()
  expect((await answer).status).toBe(200)
  expect((await fetch(`${server.origin}/quick`)).status).toBe(200)
})

test("a body over what is received at all is 413 without a body, before any of our code", async () => {
  const { shell, logged } = testShell()
  await using server = listening(shell, [held().slice])
  const body = Buffer.alloc(RECEIVED_BYTES_MAX + 1)
  const answer = await fetch(`${server.origin}/quick`, { method: "POST", body })
  expect([answer.status, await answer.text()]).toEqual([413, ""])
  expect(logged).toEqual([])
})
