/** However many requests a flood holds, a new address and a buyer get through, and the flood cannot fill the queue of the database. */
import { describe, expect, test } from "bun:test"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { type Arriving, InFlight } from "../../src/http/in-flight.ts"
import { IN_FLIGHT_MAX, UNPAID_IN_FLIGHT_MAX } from "../../src/http/listen.ts"
import type { Route } from "../../src/http/route.ts"
import { QUEUE_UNITS_MAX } from "../../src/store/engine/limits.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { listening, testShell } from "../fixtures/shell.ts"
import { until } from "../fixtures/until.ts"
import { has, openNonces, put } from "../store/nonce-rows.ts"
import { outcome } from "../store/store-bench.ts"

const LIMITS = { inFlightMax: IN_FLIGHT_MAX, unpaidInFlightMax: UNPAID_IN_FLIGHT_MAX }
const from = (client: string, isBuyer = false): Arriving => ({ client: () => client, isOfBuyer: () => isBuyer })

const FLOODS = {
  "1 address": () => "203.0.113.1",
  "2 addresses": (n: number) => `203.0.113.${n % 2}`,
  "200 addresses": (n: number) => `203.0.113.${n % 200}`,
  "200 addresses, one after another": (n: number) => `203.0.113.${Math.floor(n / 100)}`,
  "the networks of one IPv6 customer": (n: number) => `2001:db8:1:${(n % 65_536).toString(16)}::/64`,
} as const

/** Sends 20,000 requests that do not end, and returns what is in flight then. */
function flooded(clientOf: (n: number) => string, isBuyer: boolean) {
  const inFlight = new InFlight(LIMITS)
  let pending = 0
  const refused: string[] = []
  for (let n = 0; n < 20_000; n++) {
    const entered = inFlight.enter(pending + 1, from(clientOf(n), isBuyer))
    if (typeof entered === "string") refused.push(entered)
    else pending++
  }
  return { refused, pending, arrives: (arriving: Arriving) => inFlight.enter(pending + 1, arriving) }
}

describe.each(Object.entries(FLOODS))("a flood from %s", (_, clientOf) => {
  test.each([
    ["without a payment", false],
    ["with forged payments", true],
  ])("%s leaves a new address and a buyer through", (_paid, isBuyer) => {
    const { refused, pending, arrives } = flooded(clientOf, isBuyer)
    expect(refused.length).toBeGreaterThan(18_000)
    expect(pending).toBeLessThanOrEqual(IN_FLIGHT_MAX)
    expect(arrives(from("198.51.100.7"))).toBeFunction()
    expect(arrives(from("198.51.100.8", true))).toBeFunction()
    expect(arrives(from("2001:db8:2:1::/64", true))).toBeFunction()
  })
})

test("an address that ended its requests has its share again", () => {
  const inFlight = new InFlight(LIMITS)
  const leaves: (() => void)[] = []
  let pending = UNPAID_IN_FLIGHT_MAX / 2
  const enter = () => inFlight.enter(pending + 1, from("203.0.113.1"))
  for (let entered = enter(); typeof entered === "function"; entered = enter()) {
    leaves.push(entered)
    pending++
  }
  expect(enter()).toBe("SHARE_USED_UP")
  expect(leaves.length).toBeGreaterThan(1)
  leaves[0]?.()
  pending--
  expect(enter()).toBeFunction()
})

/** A route that answers when the test says so. */
function held() {
  const gate = Promise.withResolvers<void>()
  let inside = 0
  const route: Route = {
    operation: { ...getLiveness, method: "POST", path: "/held" },
    reply: async () => {
      inside++
      await gate.promise
      return new Response("finished")
    },
  }
  return { route, inside: () => inside, release: () => gate.resolve() }
}

const quick: Route = {
  operation: { ...getLiveness, method: "POST", path: "/quick" },
  reply: () => new Response("quick"),
}
const PROXIED = { trustedProxies: { has: () => true } }

test("two addresses fill no more than their share over the socket, and the refusal says so", async () => {
  const { route, inside, release } = held()
  await using server = listening(testShell(PROXIED).shell, [route, quick], { unpaidInFlightMax: 60, inFlightMax: 80 })
  const send = (path: string, client: string, headers: Record<string, string> = {}) =>
    fetch(server.origin + path, { method: "POST", headers: { "x-forwarded-for": client, ...headers } })
  const forged = { "payment-signature": "e30=" }
  const flood = Array.from({ length: 120 }, (_, n) => send("/held", `203.0.113.${n % 2}`, forged))
  const answers: Response[] = []
  for (const one of flood) void one.then((answer) => answers.push(answer))
  await until("every request is held or refused", () => inside() + answers.length === flood.length)
  expect(inside()).toBeLessThan(40)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
  const refused = answers[0]
  expect([refused?.headers.get("retry-after"), await refused?.json()]).toMatchObject([
    "1",
    { code: "RATE_LIMITED", reason_codes: ["IN_FLIGHT_OF_ADDRESS"], retryable: true },
  ])
  expect((await send("/quick", "198.51.100.7")).status).toBe(200)
  expect((await send("/quick", "198.51.100.8", forged)).status).toBe(200)
  release()
  await Promise.all(flood)
  expect((await send("/quick", "203.0.113.1")).status).toBe(200)
})

test("a request whose caller is gone counts until its handler has ended", async () => {
  const { route, inside, release } = held()
  await using server = listening(testShell(PROXIED).shell, [route, quick], { unpaidInFlightMax: 20, inFlightMax: 24 })
  const gone = new AbortController()
  const statuses: number[] = []
  for (let n = 0; n < 40; n++) {
    const before = inside() + statuses.length
    fetch(`${server.origin}/held`, {
      method: "POST",
      headers: { "x-forwarded-for": "203.0.113.1" },
      signal: gone.signal,
    }).then(
      ({ status }) => statuses.push(status),
      () => {},
    )
    await until("the request is held or refused", () => inside() + statuses.length > before)
  }
  gone.abort()
  await until("the socket has no request", () => server.pending() === 0)
  const again = await fetch(`${server.origin}/held`, {
    method: "POST",
    headers: { "x-forwarded-for": "203.0.113.1" },
  })
  expect([inside() < 20, again.status]).toEqual([true, 429])
  release()
})

test("requests in flight fill less than half of the queue of the database, so another unit gets in", async () => {
  using fresh = freshDirectory()
  const store = new SqliteStore(openNonces(`${fresh.path}/queue.db`), (error) => {
    throw error
  })
  expect(2 * IN_FLIGHT_MAX).toBeLessThan(QUEUE_UNITS_MAX / 2)
  const flood = Array.from({ length: 2 * IN_FLIGHT_MAX }, () => store.run(() => has("a")))
  expect(await outcome(store.run(() => put("b")))).toBe("b")
  await Promise.all(flood)
  await store.close()
})
