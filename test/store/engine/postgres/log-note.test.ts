/** What a process that found a shorter log notes for all others: only on the server that lacks the leaves, and only if the loss is not declared. */
import { describe, expect } from "bun:test"
import { SQL } from "bun"
import { realMachine } from "../../../../src/base/machine.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { dataPaths } from "../../../../src/data/data-paths.ts"
import { requireNewestLogToServe, SizeRecorder } from "../../../../src/data/log-size-record.ts"
import type { Engine } from "../../../../src/store/engine/engine.ts"
import { createDatabase, openEngine } from "../../../../src/store/engine/open-engine.ts"
import type { Store } from "../../../../src/store/engine/unit.ts"
import { notedShorterLog } from "../../../../src/store/log/shorter-log.ts"
import { appendStatement, readTreeHead } from "../../../../src/store/log/transparency-log.ts"
import { addRestore } from "../../../../src/store/restores.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN, startPostgres } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { databaseProxy } from "./database-proxy.ts"
import { servingProcess } from "./serving-process.ts"
import { keepState } from "./set-back.ts"

const test = slowTests(import.meta.path)

const AT = "2026-11-29T00:00:00.000Z"
const LOG_SHORTER = expect.objectContaining({ reason: "LOG_SHORTER" })
const append = (store: Store, name: string) => store.run(() => appendStatement("CAPSULE", digestOf({ name })), "log")
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

async function onStore<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const { store } = await openEngine({ kind: "SERVER", url: () => url }, { onFatal: () => {} })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function run(url: string, ...texts: string[]): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  for (const text of texts) await sql.unsafe(text)
  await sql.close({ timeout: 0 })
}

const endSessions = (url: string) =>
  run(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bizauth' AND datname = current_database()",
  )

/** A database `shop` with a log of these leaves, on a server of its own. */
async function serverWith(names: readonly string[]) {
  const server = await startPostgres()
  await run(server.url, "CREATE DATABASE shop TEMPLATE template0")
  const url = server.url.replace(/postgres$/, "shop")
  await (await createDatabase({ kind: "SERVER", url: () => url }, AT)).store.close()
  await onStore(url, async (store) => {
    for (const name of names) await append(store, name)
  })
  return { server, url }
}

const WAYS_TO_SEE: readonly (readonly [string, (engine: Engine, url: string) => Promise<unknown>])[] = [
  ["appended to it", ({ store }) => append(store, "b")],
  [
    "recorded the size that others gave it",
    async (engine, url) => {
      using folder = freshDirectory()
      await onStore(url, (other) => append(other, "b"))
      const { store } = engine
      await new SizeRecorder({ paths: dataPaths(folder.path), store, engine }, realMachine).round()
    },
  ],
]

describe.skipIf(!HAS_POSTGRES)(`the note of a shorter log${NOT_RUN}`, () => {
  test.each(WAYS_TO_SEE)(
    "is written by a process that has just begun, did not watch the log yet, and %s",
    (_, see) =>
      onPostgres(async ({ url }) => {
        await onStore(url, (store) => append(store, "a"))
        const earlier = await keepState(url)
        const seeing = await servingProcess(url, async (engine) => {
          await see(engine, url)
          await earlier.takeOver()
        })
        await until("it says why", () => seeing.found().length > 0, { withinMs: 20_000 })
        const noted = () => onStore(url, (store) => store.read(notedShorterLog))
        await until("the note is there", noted, { withinMs: 5_000 })
        expect(await noted()).toEqual({ seen: 2, found: 1 })
        await seeing.close()
        await earlier.drop()
      }),
    90_000,
  )

  test.each([
    ["is written by a start that knows more leaves by the record of its directory, and others stop", false],
    ["is not written by such a start if a restore was recorded, which may have declared the loss", true],
  ])(
    "%s",
    (_, isRestored) =>
      onPostgres(async ({ url }) => {
        using folder = freshDirectory()
        const paths = dataPaths(folder.path)
        await onStore(url, (store) => append(store, "a"))
        if (isRestored)
          await onStore(url, (store) =>
            store.run(() => addRestore({ backup_at: AT, restored_at: AT, newest_declared_at: null })),
          )
        const earlier = await keepState(url)
        const before = await openEngine({ kind: "SERVER", url: () => url }, { onFatal: () => {} })
        await append(before.store, "b")
        await new SizeRecorder({ paths, store: before.store, engine: before }, realMachine).round()
        await before.store.close()
        await earlier.takeOver()
        const other = await servingProcess(url)
        await append(other.store, "c")
        const engine = await openEngine({ kind: "SERVER", url: () => url }, { onFatal: () => {} })
        const start = requireNewestLogToServe({ paths, store: engine.store, engine })
        await expect(start).rejects.toThrow("the first 2 leaves of the transparency log")
        await Bun.sleep(2_500)
        expect(other.found()).toHaveLength(isRestored ? 0 : 1)
        expect(await engine.store.read(notedShorterLog)).toEqual(isRestored ? null : { seen: 2, found: 2 })
        for (const one of [other, engine.store]) await one.close()
        await earlier.drop()
      }),
    90_000,
  )

  test("is not written to a server that has the leaves, when the shorter one is another server of the same URL", async () => {
    const [whole, old] = [await serverWith(["a", "b"]), await serverWith(["a"])]
    const way = await databaseProxy(whole.url)
    const hosts = `127.0.0.1:${new URL(way.url).port},127.0.0.1:${old.server.port}`
    const seeing = await servingProcess(`postgres://postgres@${hosts}/shop`)
    const other = await servingProcess(whole.url)
    await until("it saw both leaves", () => seeing.engine.witness?.seen?.size === 2)
    // The server that has all leaves refuses connections until then.
    way.cutAt(({ from, text, sentBefore }) => from === "STORE" && sentBefore === text && seeing.found().length === 0)
    await endSessions(whole.url)
    await until("it says that the old server lacks a leaf", () => seeing.found().length > 0, { withinMs: 20_000 })
    await Bun.sleep(3_000)
    expect(seeing.found()).toEqual([expect.objectContaining({ seen: 2, found: 1 })])
    expect(await onStore(whole.url, (store) => store.read(notedShorterLog))).toBeNull()
    expect(other.found()).toEqual([])
    expect(await append(other.store, "c")).toBe(2)
    for (const one of [seeing, other]) await one.close()
    way.close()
    for (const { server } of [whole, old]) await server.stop()
  }, 90_000)

  test(
    "is not written by a process that was cut off while the loss was declared: it alone stops",
    () =>
      onPostgres(async ({ url }) => {
        const way = await databaseProxy(url)
        const cut = await servingProcess(way.url)
        await append(cut.store, "a")
        await until("it has looked at the log", () => cut.engine.witness?.seen?.size === 1)
        await Bun.sleep(1_500)
        const earlier = await keepState(url)
        await append(cut.store, "b")
        way.judge(() => "LOSE")
        await earlier.takeOver()
        await onStore(url, (store) =>
          store.run(() => addRestore({ backup_at: AT, restored_at: AT, newest_declared_at: null })),
        )
        const other = await servingProcess(url)
        await append(other.store, "c")
        way.judge(() => "PASS")
        await endSessions(url)
        await until("it finds another history", () => cut.found().length > 0, { withinMs: 30_000 })
        await Bun.sleep(2_500)
        expect(await outcomeOf(cut.store.read(readTreeHead))).toEqual(LOG_SHORTER)
        expect(await other.store.read(notedShorterLog)).toBeNull()
        expect(other.found()).toEqual([])
        expect(await append(other.store, "d")).toBe(2)
        for (const one of [cut, other]) await one.close()
        way.close()
        await earlier.drop()
      }),
    90_000,
  )

  test("is there at once on a server that waits for a standby which is gone, and the process stops in time", async () => {
    const { server, url } = await serverWith(["a"])
    const way = await databaseProxy(url)
    const seeing = await servingProcess(way.url)
    await until("it has looked at the log", () => seeing.engine.witness?.seen?.size === 1)
    const earlier = await keepState(url)
    await append(seeing.store, "b")
    way.judge(() => "LOSE")
    await earlier.takeOver()
    await run(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'gone'", "SELECT pg_reload_conf()")
    await run(url, "ALTER DATABASE shop SET synchronous_commit = 'on'")
    way.judge(() => "PASS")
    await endSessions(url)
    await until("it says why", () => seeing.found().length > 0, { withinMs: 30_000 })
    await until("the note is there", () => onStore(url, (store) => store.read(notedShorterLog)), { withinMs: 10_000 })
    const begun = performance.now()
    await seeing.stop()
    expect(performance.now() - begun).toBeLessThan(5_000)
    await seeing.engine.store.close()
    way.close()
    await server.stop()
  }, 90_000)

  test(
    "that a cut network swallows is tried again, and does not keep the process from its end",
    () =>
      onPostgres(async ({ url }) => {
        const way = await databaseProxy(url)
        const seeing = await servingProcess(way.url)
        await append(seeing.store, "a")
        await until("it has looked at the log", () => seeing.engine.witness?.seen?.size === 1)
        await Bun.sleep(1_500)
        const earlier = await keepState(url)
        await append(seeing.store, "b")
        let tries = 0
        way.judge(({ from, text }) => {
          if (from !== "STORE" || !/insert into "?meta/i.test(text)) return "PASS"
          tries++
          return "LOSE"
        })
        await earlier.takeOver()
        await until("it tries to note", () => tries > 0, { withinMs: 30_000 })
        await until("it tries again", () => tries > 1, { withinMs: 20_000 })
        const begun = performance.now()
        await seeing.stop()
        expect(performance.now() - begun).toBeLessThan(8_000)
        await seeing.close()
        way.close()
        await earlier.drop()
      }),
    90_000,
  )
})
