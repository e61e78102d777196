import { expect } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { migrations } from "../../db/migrations.ts"
import type { LogDescriptor } from "../../schemas/agent-id/log.ts"
import { getReadiness } from "../../schemas/discovery/health.ts"
import { Jwks } from "../../schemas/discovery/jwks.ts"
import { openCheckpoint, readVerifierKey } from "../../src/core/checkpoint.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { nativeNoteCrypto } from "../../src/core/sign-checkpoint.ts"
import { DAY } from "../../src/core/time.ts"
import { yieldsTo } from "../../src/http/path-templates.ts"
import { compile } from "../../src/http/read-body.ts"
import { KEY_VALID_DAYS } from "../../src/keys/issue-key.ts"
import { routes } from "../../src/server/app.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { BASE_URL, clockAt, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)

async function app(clock = clockAt(START)) {
  const running = await testService(clock)
  const mapped = routes(running.service)
  return {
    ...running,
    table: mapped.routes,
    ask: (path: string, init?: RequestInit) => mapped.handle(new Request(BASE_URL + path, init)),
    [Symbol.asyncDispose]: running[Symbol.asyncDispose],
  }
}

test("the public keys are a cacheable JWK set that any origin may read", async () => {
  await using running = await app()
  const answer = await running.ask("/.well-known/jwks.json")
  expect(answer.headers.get("content-type")).toBe("application/jwk-set+json")
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300")
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(compile(Jwks).Check(await answer.json())).toBe(true)
  const etag = answer.headers.get("etag") ?? ""
  const again = await running.ask("/.well-known/jwks.json", { headers: { "if-none-match": etag } })
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
})

test("the liveness route answers without touching the database", async () => {
  await using running = await app()
  expect(await (await running.ask("/livez")).json()).toEqual({ status: "ALIVE" })
})

test("the readiness route lists the three checks", async () => {
  await using running = await app()
  const answer = await running.ask("/readyz")
  const body = await answer.json()
  expect(body).toEqual({ checks: ["DATABASE_WRITABLE", "MIGRATIONS_APPLIED", "SIGNING_KEY_LOADED"], status: "READY" })
  const schema = getReadiness.responses[200]?.schema
  expect(schema && compile(schema).Check(body)).toBe(true)
})

const failures: readonly [name: string, sql: string | null, days: number, reason: string][] = [
  ["a database that takes no writes", "PRAGMA query_only = ON", 0, "DATABASE_IO"],
  [
    "a schema this binary does not know",
    "INSERT INTO schema_migration VALUES (9999, 'x', 'x', 'x')",
    0,
    "MIGRATIONS_UNKNOWN",
  ],
  [
    "a schema that is behind",
    `DELETE FROM schema_migration WHERE ordinal = ${migrations.at(-1)?.ordinal}`,
    0,
    "MIGRATIONS_PENDING",
  ],
  ["an expired signing key", null, KEY_VALID_DAYS, "SIGNING_KEY_EXPIRED"],
]
test.each(failures)("%s makes the service not ready, and the response names it", async (_name, sql, days, reason) => {
  const clock = clockAt(START)
  await using running = await app(clock)
  if (sql !== null) databaseOf(running.service.dataDirectory).run(sql)
  clock.set(START + days * DAY)
  const answer = await running.ask("/readyz")
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ code: "NOT_READY", reason_codes: [reason], retryable: true })
  expect((await running.ask("/livez")).status).toBe(200)
})

test("readiness requests write nothing to the disk while the last check is current", async () => {
  let passed = 0
  await using running = await app({ ...clockAt(START), now: () => START + passed, monotonic: () => passed })
  const database = databaseOf(running.service.dataDirectory)
  const probes = () => database.query("SELECT instance_id, seen_at FROM instance").all()
  await running.ask("/readyz")
  const first = probes()
  expect(first).toHaveLength(1)
  passed = 15_000
  await running.ask("/readyz")
  expect(probes()).toEqual(first)
  passed = 15_001
  await running.ask("/readyz")
  expect(probes()).toHaveLength(1)
  expect(probes()).not.toEqual(first)
  expect(statSync(join(running.directory, "bizauth.db")).size).toBeGreaterThan(0)
})

test("the log of a new service contains the service's own three identities and is signed by the published log key", async () => {
  await using running = await app()
  const descriptor = (await (await running.ask("/v1/agent-id/log")).json()) as LogDescriptor
  const keys = descriptor.verifier_keys.flatMap((text) => readVerifierKey(sha256, text) ?? [])
  expect(descriptor.origin).toBe("localhost/agent-id/log/1")
  const note = await (await running.ask("/v1/agent-id/log/checkpoint")).text()
  expect(openCheckpoint(note, keys, nativeNoteCrypto)).toMatchObject({ origin: descriptor.origin, size: 3 })
  expect((await running.ask("/v1/agent-id/log/tile/0/000")).status).toBe(404)
  expect((await running.ask("/v1/agent-id/log/tile/0/000.p/3")).status).toBe(200)
})

test("no method reads a literal segment of another route as a parameter: 405 names what the literal path takes", async () => {
  await using running = await app()
  const { table } = running
  const templates = [...new Set(table.map(({ path }) => path))]
  const seen: string[] = []
  for (const { method, path } of table) {
    for (const literal of yieldsTo(path, templates)) {
      const methods = table.filter((row) => row.path === literal).map((row) => row.method)
      if (methods.includes(method)) continue
      const answer = await running.ask(literal.replace(/:[A-Za-z]+/g, "sample"), { method })
      expect([literal, answer.status]).toEqual([literal, 405])
      const allowed = answer.headers.get("allow")?.split(", ") ?? []
      expect([allowed.includes(method), allowed]).toEqual([false, expect.arrayContaining(methods)])
      seen.push(`${method} ${literal}`)
    }
  }
  expect(seen).toContain("GET /v1/agent-identities/challenges")
})

test("no text in a path is a bug of the service: U+0000, and numbers beyond 2^53", async () => {
  await using running = await app()
  const templates = running.table
    .filter(({ method, path }) => method === "GET" && path.includes(":"))
    .map(({ path }) => path)
  expect(templates.length).toBeGreaterThan(10)
  const failed: string[] = []
  for (const template of templates) {
    for (const given of ["%00", "a%00b", "9007199254740993", "1.5", "1e400"]) {
      const path = template.replaceAll(/:\w+|\*/g, given)
      const { status } = await running.ask(path)
      if (status >= 500) failed.push(`${path}: ${status}`)
    }
  }
  expect(failed).toEqual([])
})
