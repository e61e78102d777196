import { expect, test } from "bun:test"
import { SchemaMismatch } from "../../db/applied-migrations.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { Readiness } from "../../src/base/readiness.ts"
import { ownStateChecks } from "../../src/data/own-state-checks.ts"
import type { Engine } from "../../src/store/engine/engine.ts"
import { DatabaseRefused, StoreUnavailable } from "../../src/store/engine/store-error.ts"

const silent = createLog("error", () => {}, realMachine.now)
const HMAC_KEYS = { quoteKey: new Uint8Array(32), tokenKey: new Uint8Array(32) }
const PENDING = [{ ordinal: 49, name: "0049_next" }]

test.each([
  ["no migration is pending", () => Promise.resolve([]), []],
  ["a migration is pending", () => Promise.resolve(PENDING), ["MIGRATIONS_PENDING"]],
  ["the database is of a newer release", () => Promise.reject(new SchemaMismatch("newer")), ["MIGRATIONS_UNKNOWN"]],
  ["every host is a standby", () => Promise.reject(new DatabaseRefused("a standby", "STANDBY")), ["DATABASE_STANDBY"]],
  [
    "no host answers",
    () => Promise.reject(new DatabaseRefused("cannot be reached", "UNREACHABLE")),
    ["DATABASE_UNREACHABLE"],
  ],
  ["a server cannot be used", () => Promise.reject(new DatabaseRefused("14.2")), ["DATABASE_UNREACHABLE"]],
])("what the check of the migrations reports if %s", async (_, pendingMigrations, codes) => {
  expect(await codesOf("migrations", { pendingMigrations, beat: async () => {} })).toEqual([...codes])
})

test.each([
  ["BUSY", "DATABASE_BUSY"],
  ["LOG_SHORTER", "DATABASE_LOG_SHORTER"],
  ["SCHEMA_NEWER", "MIGRATIONS_UNKNOWN"],
] as const)("what the check of the database reports if it is unavailable with %s", async (reason, code) => {
  const beat = () => Promise.reject(new StoreUnavailable(reason))
  expect(await codesOf("database", { pendingMigrations: () => Promise.resolve([]), beat })).toEqual([code])
})

test("a database that was moved is reported with what the operator must do", async () => {
  const moved = { code: "DATABASE_MOVED", detail: "change the configuration" }
  const engine = {
    pendingMigrations: () => Promise.resolve([]),
    checks: () => [{ name: "moved", reasons: () => [moved] }],
  }
  const readiness = new Readiness({ machine: realMachine, log: silent })
  readiness.add(
    ...ownStateChecks({
      ...{ engine: engine as unknown as Engine, hmacKeys: HMAC_KEYS, log: silent },
      keys: { state: () => "READY", missing: () => [] },
      instance: { beat: () => Promise.reject(new StoreUnavailable("MOVED")) },
    }),
  )
  expect(await readiness.currentReasons()).toEqual([moved])
})

interface Answers {
  pendingMigrations(): Promise<unknown>
  beat(): Promise<void>
}

async function codesOf(check: string, { pendingMigrations, beat }: Answers): Promise<string[]> {
  const engine = { pendingMigrations, checks: () => [] } as unknown as Engine
  const keys = { state: () => "READY" as const, missing: () => [] }
  const checks = ownStateChecks({ engine, keys, hmacKeys: HMAC_KEYS, instance: { beat }, log: silent })
  const found = checks.find(({ name }) => name === check)
  return ((await found?.reasons()) ?? []).map(({ code }) => code)
}
