import { describe, expect, test } from "bun:test"
import { operations } from "../../scripts/docs/operations.ts"
import { NearestRoute } from "../../src/http/nearest-route.ts"

const rows = await operations()
const nearest = new NearestRoute(rows)
const named = (method: string, path: string) => {
  const found = nearest.find(method, path)
  return found && `${found.method} ${found.path}`
}

describe("a path that somebody mistyped", () => {
  test.each([
    ["GET", "/v1/agnet/preflight/12ABC34501DE35", "GET /v1/agent/preflight/{cnpj}"],
    ["GET", "/v1/agent/preflight/12.ABC.345/01DE-35", "GET /v1/agent/preflight/{cnpj}"],
    ["GET", "/preflight/12ABC34501DE35", "GET /v1/agent/preflight/{cnpj}"],
    ["GET", "/api/v1/agent-id", "GET /v1/agent-id"],
    ["GET", "/V1/Agent-ID/Bootstrap", "GET /v1/agent-id/bootstrap"],
    ["GET", "/v1/agent-id/", "GET /v1/agent-id"],
    ["GET", "/.well-known/jwks", "GET /.well-known/jwks.json"],
    ["POST", "/v1/gb/payment/authorise", "POST /v1/gb/payments/authorize"],
    ["GET", "/v1/gb/payments/authorise", "POST /v1/gb/payments/authorize"],
    ["GET", "/v1/gb/payments/authorise/schema", "GET /v1/gb/payments/authorize/schema"],
    ["POST", "/v1/agent-identities/challenge", "POST /v1/agent-identities/challenges"],
    ["GET", "/v1/agent-identities/x/stats", "GET /v1/agent-identities/{agentId}/status"],
    ["GET", "/llm.txt", "GET /llms.txt"],
    ["GET", "/robot.txt", "GET /robots.txt"],
  ])("%s %s", (method, path, expected) => {
    expect(named(method, path)).toBe(expected)
  })
})

test.each(["/wp-admin/setup.php", "/", "//", "", "/%00", "/__proto__/constructor"])("%s resembles no route", (path) => {
  expect(named("GET", path)).toBeNull()
})

test("every route is nearest to itself, with each method of its path", () => {
  for (const { method, path } of rows.filter(({ path }) => path !== "/")) {
    expect(named(method, path)).toBe(`${method} ${path}`)
  }
})

test("without routes there is no nearest one", () => {
  expect(new NearestRoute([]).find("GET", "/v1/agent-id")).toBeNull()
})

describe("a path that is made to cost much", () => {
  /** Words with two letters exchanged pass every quick check and are compared letter by letter. */
  const exchanged = (word: string) => word.slice(0, 3) + word.charAt(4) + word.charAt(3) + word.slice(5)
  const words = rows
    .flatMap(({ path }) => path.split("/"))
    .filter((word) => /^[a-z-]{12,}$/.test(word))
    .map(exchanged)
  const costly = Array.from({ length: 200 }, (_, i) => {
    const chosen = Array.from({ length: 8 }, (_, j) => words[(i * 8 + j) % words.length])
    return `/${chosen.join("/")}`.slice(0, 128)
  })
  const long = Array.from({ length: 200 }, (_, i) => `/${"v1/".repeat(5000)}${i}`)
  const milliseconds = (paths: readonly string[]) => {
    const before = process.cpuUsage()
    for (const path of paths) nearest.find("GET", path)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / paths.length
  }

  test("costs less than a millisecond, and over the limit nothing", () => {
    // The first rounds compile the search. The processor time is that of all threads of the process, which may still work for another test.
    const least = (paths: readonly string[]) => Math.min(...Array.from({ length: 5 }, () => milliseconds(paths)))
    expect(least(costly)).toBeLessThan(1)
    expect(least(long)).toBeLessThan(0.02)
    expect(named("GET", long[0] ?? "")).toBeNull()
  })
})
