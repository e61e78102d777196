/** A COMMIT that ends on the primary alone, because its wait for the synchronous standby was cut short. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { createDatabase } from "../../../../src/store/engine/open-engine.ts"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { CommitOutcomeUnknown } from "../../../../src/store/engine/store-error.ts"
import { HAS_POSTGRES, NOT_RUN, type PostgresServer, startPostgres, startStandby } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { list, put } from "../../nonce-rows.ts"
import { outcome } from "../../store-bench.ts"
import { rowsOf, waitForStandby } from "./server-rows.ts"

const test = slowTests(import.meta.path)

const OUTCOME_PATIENCE_MS = 2_000
const WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

describe.skipIf(!HAS_POSTGRES)(`while only the primary has a commit${NOT_RUN}`, () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let store: PostgresStore
  beforeEach(async () => {
    primary = await startPostgres(["synchronous_commit=on"])
    standby = await startStandby(primary)
    await rowsOf(primary, "CREATE DATABASE shop TEMPLATE template0")
    const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/shop`
    const made = await createDatabase({ kind: "SERVER", url: () => url }, "2026-01-01T00:00:00.000Z")
    await made.store.close()
    await waitForStandby(primary)
    store = new PostgresStore(readTarget(url), { outcomePatienceMs: OUTCOME_PATIENCE_MS })
    expect(await store.run(() => put("before"))).toBe("before")
  }, 60_000)
  afterEach(async () => {
    await store.close()
    await standby.stop()
    await primary.stop()
  }, 60_000)

  /** The standby receives nothing more, while its primary still waits for it. */
  async function stopSending(): Promise<number> {
    const [sender] = await rowsOf(primary, "SELECT pid FROM pg_stat_replication")
    process.kill(Number(sender?.["pid"]), "SIGSTOP")
    return Number(sender?.["pid"])
  }

  /** Runs a unit whose COMMIT waits for the standby, and the process of the server that waits. */
  async function waitingUnit() {
    const told = outcome(store.run(() => put("a")))
    await until("its commit waits for the standby", async () => (await rowsOf(primary, WAITING)).length === 1)
    const [waiting] = await rowsOf(primary, WAITING)
    return { told, pid: Number(waiting?.["pid"]) }
  }

  test("its caller does not hear success, and the standby that takes over lacks it", async () => {
    const sender = await stopSending()
    const { told, pid } = await waitingUnit()
    await rowsOf(primary, `SELECT pg_terminate_backend(${pid})`)
    expect(await told).toBeInstanceOf(CommitOutcomeUnknown)
    for (const ended of [primary.pid, sender]) process.kill(ended, "SIGKILL")
    await rowsOf(standby, "SELECT pg_promote()")
    expect(await store.read(() => list())).toEqual(["before"])
  }, 60_000)

  test("its caller hears success once the standby has it", async () => {
    const sender = await stopSending()
    const { told, pid } = await waitingUnit()
    await rowsOf(primary, `SELECT pg_terminate_backend(${pid})`)
    const asking = `${WAITING} AND pid <> ${pid}`
    await until("the question waits for the standby", async () => (await rowsOf(primary, asking)).length === 1)
    process.kill(sender, "SIGCONT")
    expect(await told).toBe("a")
  }, 60_000)

  test("its caller does not hear success after a crash from which the primary starts again by itself", async () => {
    await standby.stop()
    const { told, pid } = await waitingUnit()
    process.kill(pid, "SIGKILL")
    expect(await told).toBeInstanceOf(CommitOutcomeUnknown)
  }, 60_000)
})
