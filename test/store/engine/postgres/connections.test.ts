import { describe, expect } from "bun:test"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { has, list, put } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import { lasting } from "./lasting.ts"
import { postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

describe.skipIf(!HAS_POSTGRES)(`connections${NOT_RUN}`, () => {
  test(
    "a unit whose connection the server ends runs again, and nothing is there twice",
    postgresBench(async ({ store, endSessions, committed }) => {
      let runs = 0
      const ended = store.run(function* () {
        runs++
        yield* put("a")
        yield* lasting(() => runs > 1)
        return runs
      })
      await until("the unit is at work", () => runs === 1)
      await until("its connection is ended", async () => (await endSessions("BUSY")) > 0)
      expect(await ended).toBe(2)
      expect(await committed()).toEqual(["a"])
    }),
  )

  test(
    "idle connections that the server ended cost no caller anything",
    postgresBench(async ({ store, endSessions }) => {
      await Promise.all(Array.from({ length: 8 }, (_, i) => store.run(() => put(String(i)))))
      await endSessions("ALL")
      const results = await Promise.all([
        ...Array.from({ length: 8 }, () => outcome(store.read(() => list()))),
        outcome(store.run(() => put("later"))),
      ])
      expect(results.filter((one) => one instanceof Error || typeof one === "string")).toEqual(["later"])
    }),
  )

  test(
    "more callers than connections all get their turn",
    postgresBench(async ({ store }) => {
      const work = Array.from({ length: 120 }, (_, i) =>
        i % 3 === 0
          ? store.read(() => has("a"))
          : i % 3 === 1
            ? store.run(() => put(`o${i}`), "log")
            : store.run(() => put(String(i))),
      )
      expect((await Promise.all(work)).length).toBe(120)
    }),
  )

  test("a database that stays unreachable is IO after the patience, and the password is in no error", async () => {
    const store = new PostgresStore(readTarget("postgres://user:pass-word@127.0.0.1:1,127.0.0.1:2/db"), {
      patienceMs: 100,
    })
    const failures = await Promise.all([
      store.run(() => put("a")).catch((error) => error),
      store.read(() => list()).catch((error) => error),
      store.version().catch((error) => error),
    ])
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(StoreUnavailable)
      expect(failure).toMatchObject({ reason: "IO", cause: { kind: "LOST" } })
      expect(Bun.inspect(failure, { depth: 20 })).not.toContain("pass-word")
    }
    expect(Bun.inspect(store, { depth: 20 })).not.toContain("pass-word")
    await store.close()
  })

  test(
    "a host that refuses is passed over",
    postgresBench(async ({ further, url, committed }) => {
      const both = url.replace("@127.0.0.1", "@127.0.0.1:1,127.0.0.1")
      await further({}, both).run(() => put("a"))
      expect(await committed()).toEqual(["a"])
    }),
  )

  test(
    "the statement behind a BEGIN that fails writes nothing by itself",
    postgresBench(async ({ store, committed }) => {
      const connection = await store.connections.take()
      const sent = [
        connection.send("begin isolation level nothing"),
        connection.send("insert into used_nonce (scope, nonce, expires_at) values ('s', 'a', '')"),
      ]
      expect(await Promise.all(sent.map(outcome))).toMatchObject([{ code: "42601" }, { code: "25006" }])
      expect(await committed()).toEqual([])
      store.connections.give(connection)
    }),
  )
})
