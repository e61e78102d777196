import { expect } from "bun:test"
import { SQL } from "bun"
import { poolerRefusal, type SessionState, sessionStates } from "../../../../src/store/engine/postgres/pooler-probe.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { startTransactionPooler } from "../../../fixtures/transaction-pooler.ts"

const test = slowTests(import.meta.path)

async function statesOver(url: string): Promise<SessionState[]> {
  const sql = new SQL(url, { max: 2 })
  try {
    const [one, other] = await Promise.all([sql.reserve(), sql.reserve()])
    return await sessionStates(one, other)
  } finally {
    await sql.close({ timeout: 0 })
  }
}

test.skipIf(!HAS_POSTGRES)(`two connections to the server itself have sessions of their own${NOT_RUN}`, () =>
  onPostgres(async ({ url }) => {
    const states = await statesOver(url)
    expect(states.length).toBe(14)
    expect(poolerRefusal(states)).toBeNull()
  }),
)

test
  .skipIf(!HAS_POSTGRES)
  .each([
    { backends: 1 },
    { backends: 2 },
    { backends: 3 },
    { backends: 20 },
    { backends: 2, roundRobin: true },
    { backends: 3, roundRobin: true },
    { backends: 20, roundRobin: true },
  ])(`a pooler in transaction mode is found: %j${NOT_RUN}`, (pool) =>
  onPostgres(async ({ url }) => {
    const pooler = await startTransactionPooler(url, pool)
    try {
      expect(poolerRefusal(await statesOver(pooler.url))).toContain("a pooler in transaction mode")
    } finally {
      pooler.stop()
    }
  }),
)

const one = (backend: string, setting = "ONE") => ({ connection: "ONE", backend, setting }) as const
const other = (backend: string, setting = "OTHER") => ({ connection: "OTHER", backend, setting }) as const

test.each([
  ["own sessions", [one("1"), other("2"), one("1"), other("2")], true],
  ["one backend for both", [one("1"), other("1")], false],
  ["another backend than before", [one("1"), other("2"), one("3"), other("2")], false],
  ["the setting of the other connection", [one("1"), other("2", "ONE")], false],
  ["a setting that is lost", [one("1"), other("2"), one("1", "")], false],
  ["one connection only", [one("1"), one("1")], false],
])("%s", (_, states, expected) => {
  expect(poolerRefusal(states) === null).toBe(expected)
})
