/** The cross-origin rules, tested on every registered route of the running service. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import type { Operation } from "../../schemas/operation.ts"
import { routes } from "../../src/server/app.ts"
import { OPERATIONS } from "../fixtures/operations.ts"
import { BASE_URL, type TestService, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const EXPOSED = ["Content-Digest", "ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After"]

const TAKEN = ["accept", "a2a-version", "content-type", "if-none-match", "mcp-protocol-version", "traceparent"]

/** Operations that take money or belong to an owner; probes, which are for the operator's machines; and pages, which are for people. */
const isClosed = ({ id, authentication, price, path, responses }: Operation) =>
  authentication !== "NONE" ||
  // Whoever knows the id of an offer is its audience.
  id === "get_sales_offer_status" ||
  (price !== null && price.amount !== "0") ||
  path === "/livez" ||
  path === "/readyz" ||
  responses[200]?.mediaType?.startsWith("text/html") === true

let running: TestService
let app: ReturnType<typeof routes>
beforeAll(async () => {
  running = await testService()
  app = routes(running.service)
})
afterAll(() => running[Symbol.asyncDispose]())

const send = (method: string, path: string, body?: string) =>
  app.handle(
    new Request(BASE_URL + path, {
      method,
      headers: { origin: "https://elsewhere.example", "content-type": "application/json" },
      ...(body !== undefined && { body }),
    }),
  )
const samplePath = ({ path }: Operation) => path.replace(/\{[A-Za-z]+\}/g, "sample")

test("every registered route is one of the operations of schemas", () => {
  const registered = app.routes.map(({ method, path }) => `${method} ${path.replace(/:([A-Za-z]+)/g, "{$1}")}`)
  const known = OPERATIONS.map(({ method, path }) => `${method} ${path}`)
  expect(registered.length).toBeGreaterThan(15)
  expect(registered.filter((route) => !known.includes(route))).toEqual([])
})

test("any origin may read every free GET, and of the POSTs only the signature verification", () => {
  const open = OPERATIONS.filter(({ cors }) => cors === "PUBLIC")
  const gets = OPERATIONS.filter((each) => each.method === "GET" && !isClosed(each))
  expect(open.filter(isClosed).map(({ id }) => id)).toEqual([])
  expect(gets.filter(({ cors }) => cors === "NONE").map(({ id }) => id)).toEqual([])
  const posts = open.filter(({ method }) => method === "POST").map(({ id }) => id)
  expect(posts.filter((id) => id !== "VerifyAgentSignature")).toEqual([])
})

describe("responses and preflights carry the CORS headers, also refusals, and never allow credentials", () => {
  test.each(OPERATIONS.map((each) => [`${each.method} ${each.path}`, each] as const))("%s", async (_name, each) => {
    const isOpen = each.cors === "PUBLIC"
    const answer = await send(each.method, samplePath(each), each.method === "POST" ? "{" : undefined)
    const preflight = await send("OPTIONS", samplePath(each))
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("allow")?.split(", ")).toContain(each.method)
    for (const { headers } of [answer, preflight]) {
      expect(headers.get("access-control-allow-origin")).toBe(isOpen ? "*" : null)
      expect(headers.get("access-control-allow-credentials")).toBeNull()
    }
    const exposed = answer.headers.get("access-control-expose-headers")?.split(", ") ?? []
    expect(EXPOSED.filter((name) => exposed.includes(name))).toEqual(isOpen ? EXPOSED : [])
    const methods = preflight.headers.get("access-control-allow-methods")?.split(", ") ?? []
    expect(methods.includes(each.method)).toBe(isOpen)
    const taken = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? []
    expect(TAKEN.filter((name) => taken.includes(name))).toEqual(isOpen ? TAKEN : [])
  })
})
