/** A real standby: it is refused until it takes over, and then it has every unit that was acknowledged. */
import { afterAll, beforeAll, beforeEach, describe, expect } from "bun:test"
import { createDatabase, openEngine } from "../../../../src/store/engine/open-engine.ts"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { DatabaseRefused, StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import type { Store } from "../../../../src/store/engine/unit.ts"
import { HAS_POSTGRES, NOT_RUN, type PostgresServer, startPostgres, startStandby } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"
import { rowsOf, waitForStandby } from "./server-rows.ts"

const test = slowTests(import.meta.path)

const CALLERS = 16
const WORDS = "the server is a standby, which accepts no write: the primary is needed"

const placeOf = (...servers: readonly PostgresServer[]) => {
  const url = `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/shop`
  return { kind: "SERVER", url: () => url } as const
}
const create = (...servers: readonly PostgresServer[]) =>
  createDatabase(placeOf(...servers), "2026-01-01T00:00:00.000Z")
const open = (...servers: readonly PostgresServer[]) => openEngine(placeOf(...servers), { onFatal: () => {} })
const refusalOf = (opening: Promise<unknown>) => opening.then(() => null).catch((error) => error)

/** Callers that store units until they are stopped. */
class Load {
  readonly acknowledged: string[] = []
  /** The store said that nothing was written. */
  readonly refused: string[] = []
  private isOver = false
  private readonly calls: Promise<unknown>

  constructor(private readonly store: Store) {
    this.calls = Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.call(caller)))
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.calls
  }

  private async call(caller: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const name = `${caller}-${n}`
      try {
        this.acknowledged.push(await this.store.run(() => put(name), n % 5 === 0 ? "log" : undefined))
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        this.refused.push(name)
      }
    }
  }
}

describe.skipIf(!HAS_POSTGRES)(`a standby${NOT_RUN}`, () => {
  let primary: PostgresServer
  let standby: PostgresServer
  beforeAll(async () => {
    primary = await startPostgres(["synchronous_commit=on"])
    standby = await startStandby(primary)
    await waitForStandby(primary)
  }, 60_000)
  afterAll(async () => {
    await standby.stop()
    await primary.stop()
  }, 60_000)
  beforeEach(async () => {
    await rowsOf(primary, "CREATE DATABASE shop TEMPLATE template0")
    const found = "SELECT 1 FROM pg_database WHERE datname = 'shop'"
    await until("the standby has the database", async () => (await rowsOf(standby, found)).length === 1)
  }, 60_000)

  test("is refused by name, and passed over beside its primary", async () => {
    for (const refused of [await refusalOf(create(standby)), await refusalOf(open(standby))]) {
      expect(refused).toBeInstanceOf(DatabaseRefused)
      expect(refused).toMatchObject({ reason: "STANDBY", message: expect.stringContaining(WORDS) })
    }
    const made = await create(standby, primary)
    expect(await made.store.run(() => put("on the primary"))).toBe("on the primary")
    await made.store.close()
    const alone = new PostgresStore(readTarget(placeOf(standby).url()), { patienceMs: 100 })
    expect(await refusalOf(alone.run(() => put("on the standby")))).toBeInstanceOf(StoreUnavailable)
    await alone.close()
    await rowsOf(primary, "DROP DATABASE shop WITH (FORCE)")
  }, 30_000)

  test("that was synchronous has every acknowledged unit when its primary is killed, and the store goes on with it", async () => {
    const { store: first } = await create(primary)
    await first.close()
    const store = new PostgresStore(readTarget(placeOf(primary, standby).url()))
    const load = new Load(store)
    await until("units are stored", () => load.acknowledged.length > 200)
    process.kill(primary.pid, "SIGKILL")
    const before = load.acknowledged.length
    expect(await refusalOf(open(primary, standby))).toMatchObject({ message: expect.stringContaining(WORDS) })
    await rowsOf(standby, "SELECT pg_promote()")
    await until("units are stored on the other server", () => load.acknowledged.length > before + 200)
    await load.stop()
    const there = new Set(await store.read(() => list()))
    expect(load.acknowledged.filter((name) => !there.has(name))).toEqual([])
    expect(load.refused.filter((name) => there.has(name))).toEqual([])
    expect(there.size).toBe(load.acknowledged.length)
    if (process.env["BIZAUTH_SHOW"]) console.log({ before, all: there.size, counts: store.counts })
    await store.close()
    // A start takes it too.
    for (const engine of [await open(standby), await open(primary, standby)]) {
      expect(await engine.pendingMigrations()).toEqual([])
      await engine.store.close()
    }
  }, 60_000)
})
