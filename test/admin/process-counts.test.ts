import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { operation } from "../../schemas/operation.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { realMachine } from "../../src/base/machine.ts"
import { DURATION_BOUNDS_MS, Histogram, NO_OPERATION, ProcessCounts } from "../../src/http/process-counts.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { serve } from "../../src/http/serve.ts"
import { ServedOperations } from "../../src/http/served.ts"
import { testService } from "../fixtures/service.ts"
import { listening, testShell } from "../fixtures/shell.ts"

describe("a histogram", () => {
  test("puts a value into the first bucket whose bound it does not exceed, and what exceeds all into the last", () => {
    const histogram = new Histogram(DURATION_BOUNDS_MS)
    for (const bound of DURATION_BOUNDS_MS) histogram.observe(bound)
    histogram.observe(30_000.1)
    histogram.observe(0)
    expect([...histogram.counts]).toEqual([2, ...DURATION_BOUNDS_MS.slice(1).map(() => 1), 1])
  })
})

interface Counted {
  readonly statuses: Readonly<Record<string, number>>
  readonly rateLimited: number
}

function countedOf(counts: ProcessCounts, id: string): Counted {
  const { classes, rateLimited } = counts.operation(id)
  const statuses = classes.map(({ counts: buckets }, at) => [`${at + 1}xx`, buckets.reduce((sum, one) => sum + one)])
  return { statuses: Object.fromEntries(statuses.filter(([, count]) => count !== 0)), rateLimited }
}

describe("the requests of a server", () => {
  const counts = new ProcessCounts()
  const served = new ServedOperations()
  const { shell } = testShell({ counts, served, limiter: new RateLimiter(realMachine) })
  const faulty = { ...getLiveness, id: "faulty", path: "/faulty" }
  const rare = { ...getLiveness, id: "rare", path: "/rare", rateLimit: { group: "rare", perMinute: 2 } }
  const taking = operation({ ...getLiveness, id: "taking", path: "/taking", method: "POST", body: Type.Object({}) })
  const routes = [
    serve(shell, getLiveness, () => ({ status: 200, body: {} })),
    serve(shell, faulty, async () => {
      throw new Error("a bug")
    }),
    serve(shell, rare, () => ({ status: 200, body: {} })),
    serve(shell, taking, () => {
      throw new ServiceError("NOT_READY", "x")
    }),
  ]

  test("are counted by operation and class of status, also those that no operation answers", async () => {
    await using server = listening(shell, routes, { inFlightMax: 50 })
    const get = async (path: string, options: RequestInit = {}) => (await fetch(server.origin + path, options)).status
    expect([await get(getLiveness.path), await get(getLiveness.path)]).toEqual([200, 200])
    expect([await get("/faulty"), await get("/unknown"), await get("/livez", { method: "PUT" })]).toEqual([
      500, 404, 405,
    ])
    expect([await get("/rare"), await get("/rare"), await get("/rare")]).toEqual([200, 200, 429])
    const post = (body: string) =>
      get("/taking", { method: "POST", headers: { "content-type": "application/json" }, body })
    expect([await post("{}"), await post("{")]).toEqual([503, 400])
    expect(countedOf(counts, getLiveness.id)).toEqual({ statuses: { "2xx": 2 }, rateLimited: 0 })
    expect(countedOf(counts, "faulty")).toEqual({ statuses: { "5xx": 1 }, rateLimited: 0 })
    expect(countedOf(counts, "rare")).toEqual({ statuses: { "2xx": 2, "4xx": 1 }, rateLimited: 1 })
    expect(countedOf(counts, "taking")).toEqual({ statuses: { "4xx": 1, "5xx": 1 }, rateLimited: 0 })
    expect(countedOf(counts, NO_OPERATION)).toEqual({ statuses: { "4xx": 2 }, rateLimited: 0 })
  })

  test("that a tool call makes count as rate-limited, and not as HTTP requests", async () => {
    const call = {
      body: null,
      params: {},
      headers: new Headers(),
      bodyDigest: null,
      requestId: "r",
      traceId: "t",
      at: 0,
    }
    const invoke = () => served.find("rare")?.invoke({ ...call, client: "another" })
    await invoke()
    await invoke()
    expect(Promise.resolve(invoke())).rejects.toThrow("RATE_LIMITED")
    expect(countedOf(counts, "rare")).toEqual({ statuses: { "2xx": 2, "4xx": 1 }, rateLimited: 2 })
  })
})

test("a server that is busy or starting counts the rejected requests under no operation", async () => {
  const counts = new ProcessCounts()
  const { shell } = testShell({ counts })
  await using server = listening(shell, [serve(shell, getLiveness, () => ({ status: 200, body: {} }))], {
    inFlightMax: 0,
  })
  expect((await fetch(server.origin + getLiveness.path)).status).toBe(503)
  expect(countedOf(counts, NO_OPERATION)).toEqual({ statuses: { "5xx": 1 }, rateLimited: 0 })
})

test("a service without a reader of metrics counts nothing", async () => {
  await using running = await testService()
  expect(running.service.shell.counts).toBeUndefined()
})
