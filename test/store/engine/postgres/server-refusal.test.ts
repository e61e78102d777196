import { expect } from "bun:test"
import { SQL } from "bun"
import { serverFacts, serverRefusal } from "../../../../src/store/engine/postgres/server-refusal.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onReserved } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const good = {
  version: "PostgreSQL 18.4 on x86_64-pc-linux-gnu",
  versionNumber: 180_004,
  isInRecovery: false,
  encoding: "UTF8",
}

test.each([
  [{}, null],
  [{ version: "PostgreSQL 15.0", versionNumber: 150_000 }, null],
  [{ version: "PostgreSQL 14.18", versionNumber: 140_018 }, "PostgreSQL 14.18: 15 or newer is needed"],
  [{ version: "PostgreSQL 9.6.24", versionNumber: 90_624 }, "PostgreSQL 9.6.24: 15 or newer is needed"],
  [{ isInRecovery: true }, "the server is a standby, which accepts no write: the primary is needed"],
  [{ encoding: "SQL_ASCII" }, "the database has the encoding SQL_ASCII: UTF8 is needed"],
  [
    { version: "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)", versionNumber: 0 },
    "the server is CockroachDB: PostgreSQL 15 or newer is needed",
  ],
  [
    { version: "PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu", versionNumber: 150_002 },
    "the server is YugabyteDB: PostgreSQL 15 or newer is needed",
  ],
])("%j", (facts, refusal) => {
  expect(serverRefusal({ ...good, ...facts })).toBe(refusal)
})

test.skipIf(!HAS_POSTGRES)(`a real server is read and accepted${NOT_RUN}`, () =>
  onReserved(async (connection) => {
    const facts = await serverFacts(connection)
    expect(facts).toEqual({
      ...good,
      version: expect.stringMatching(/^PostgreSQL \d/),
      versionNumber: expect.any(Number),
    })
    expect(facts.versionNumber).toBeGreaterThan(150_000)
    expect(serverRefusal(facts)).toBeNull()
  }),
)

test.skipIf(!HAS_POSTGRES)(`the encoding is that of the database${NOT_RUN}`, () =>
  onReserved(async (connection, url) => {
    await connection.unsafe("CREATE DATABASE bytes_only TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    const sql = new SQL(url.replace(/[^/]*$/, "bytes_only"), { max: 1 })
    const facts = await serverFacts(await sql.reserve())
    await sql.close({ timeout: 0 })
    await connection.unsafe("DROP DATABASE bytes_only WITH (FORCE)")
    expect(serverRefusal(facts)).toBe("the database has the encoding SQL_ASCII: UTF8 is needed")
  }),
)

test("a server of another maker is asked only for its version", async () => {
  const texts: string[] = []
  const version = "CockroachDB CCL v23.1.11"
  const unsafe = (text: string) => {
    texts.push(text)
    return { simple: async () => [{ version }] }
  }
  const facts = await serverFacts({ unsafe } as unknown as Parameters<typeof serverFacts>[0])
  expect(texts).toEqual(["SELECT version() AS version"])
  expect(serverRefusal(facts)).toContain("CockroachDB")
})
