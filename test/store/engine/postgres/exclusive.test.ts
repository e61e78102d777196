/** Work that one process at a time does, over all machines. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { newDatabaseOn } from "../../../fixtures/test-database.ts"
import { until } from "../../../fixtures/until.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const HOLDERS = `FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

async function opened() {
  const database = await newDatabaseOn("postgres")
  const [one, other] = [await database.open(), await database.open()]
  return {
    database,
    one: one.engine.exclusive ?? never,
    other: other.engine.exclusive ?? never,
    holders: async () => (await database.rows(`SELECT pid ${HOLDERS}`)).length,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.store.close(), other.store.close()])
      await database.close()
    },
  }
}

function never(): never {
  throw new Error("a server keeps this database")
}

describe.skipIf(!HAS_POSTGRES)(`exclusive work${NOT_RUN}`, () => {
  test("one process does the work, a second one gets null at once, and work with another name runs at the same time", async () => {
    await using bench = await opened()
    const { one, other, holders } = bench
    const end = Promise.withResolvers<string>()
    const first = one("lists", () => end.promise)
    await until("it has the lock", async () => (await holders()) === 1)
    expect(await other("lists", never)).toBeNull()
    expect(await other("fetch US_OFAC_SDN", async () => 7)).toEqual({ value: 7 })
    end.resolve("done")
    expect(await first).toEqual({ value: "done" })
    // At once, without a wait for the end of the connection.
    expect(await other("lists", async () => "next")).toEqual({ value: "next" })
  })

  test("work that throws releases the lock, and its error reaches the caller", async () => {
    await using bench = await opened()
    const { one, other } = bench
    await expect(one("lists", () => Promise.reject(new RangeError("the work failed")))).rejects.toThrow(RangeError)
    expect(await other("lists", async () => 1)).toEqual({ value: 1 })
  })

  test("a process whose connection breaks has the lock no more, and ends its work", async () => {
    await using bench = await opened()
    const { database, one, other, holders } = bench
    const end = Promise.withResolvers<number>()
    const first = one("lists", () => end.promise)
    await until("it has the lock", async () => (await holders()) === 1)
    await database.rows(`SELECT pg_terminate_backend(pid) ${HOLDERS}`)
    await until("the server released it", async () => (await holders()) === 0)
    expect(await other("lists", async () => 2)).toEqual({ value: 2 })
    end.resolve(1)
    expect(await first).toEqual({ value: 1 })
  })

  test("a server that ends idle sessions does not end this one", async () => {
    await using bench = await opened()
    const { database, one, holders } = bench
    const name = new URL(database.address).pathname.slice(1)
    await database.write(`ALTER DATABASE ${name} SET idle_session_timeout = '200ms'`)
    const kept = await one("lists", async () => {
      await Bun.sleep(600)
      return holders()
    })
    expect(kept).toEqual({ value: 1 })
  })
})
