/** A server that takes over without leaves of the log that a process saw: the process uses the database no more. */
import { describe, expect } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import { openEngine } from "../../../../src/store/engine/open-engine.ts"
import { StoreUnavailable } from "../../../../src/store/engine/store-error.ts"
import type { Store } from "../../../../src/store/engine/unit.ts"
import { notedShorterLog } from "../../../../src/store/log/shorter-log.ts"
import { appendStatement, readTreeHead } from "../../../../src/store/log/transparency-log.ts"
import { addRestore } from "../../../../src/store/restores.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { until } from "../../../fixtures/until.ts"
import { put } from "../../nonce-rows.ts"
import { postgresBench } from "./postgres-bench.ts"
import { servingProcess } from "./serving-process.ts"
import { keepState } from "./set-back.ts"

const test = slowTests(import.meta.path)

const append = (store: Store, name: string) => store.run(() => appendStatement("CAPSULE", digestOf({ name })), "log")
/** Of one store. */
const CONNECTIONS_MAX = 20
const LOG_SHORTER = expect.objectContaining({ reason: "LOG_SHORTER" })
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
const AT = "2026-11-29T00:00:00.000Z"

describe.skipIf(!HAS_POSTGRES)(`a database that is set back${NOT_RUN}`, () => {
  test(
    "is used no more by the process that appended the lost leaf, also after the newest state is back; a new process uses that",
    postgresBench(async ({ store, url, further }) => {
      await append(store, "a")
      const earlier = await keepState(url)
      await append(store, "b")
      await earlier.takeOver()
      const begun = performance.now()
      const work = [store.read(readTreeHead), store.run(() => put("sold")), append(store, "c")]
      for (const error of await Promise.all(work.map(outcomeOf))) {
        expect(error).toBeInstanceOf(StoreUnavailable)
        expect(error).toEqual(LOG_SHORTER)
      }
      expect(performance.now() - begun).toBeLessThan(4_000)
      await earlier.giveBack()
      expect(await outcomeOf(store.read(readTreeHead))).toEqual(LOG_SHORTER)
      expect((await further().read(readTreeHead)).size).toBe(2)
      await earlier.drop()
    }),
    60_000,
  )

  test(
    "gives no connection to callers that waited for one when that was found",
    postgresBench(async ({ store: { connections, witness } }) => {
      const taken = await Promise.all(Array.from({ length: CONNECTIONS_MAX }, () => connections.take()))
      const waiting = Array.from({ length: CONNECTIONS_MAX + 1 }, () => outcomeOf(connections.take()))
      const head = { size: 1, rootHash: new Uint8Array(32) }
      witness.judged({ head, restored: [] }, { seen: 2, found: 1 })
      for (const connection of taken) connections.give(connection)
      for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ kind: "LOG_SHORTER" })
    }),
  )

  test(
    "is noticed when others have appended to it since, as many leaves or more",
    postgresBench(async ({ url, further }) => {
      const others = further()
      for (const more of [1, 2]) {
        const earlier = await keepState(url)
        const seeing = further()
        await append(seeing, `seen ${more}`)
        await earlier.takeOver()
        for (let n = 0; n < more; n++) await append(others, `other ${more} ${n}`)
        expect(await outcomeOf(seeing.read(readTreeHead))).toEqual(LOG_SHORTER)
        await earlier.drop()
      }
    }),
    60_000,
  )

  test(
    "with the same leaves and more is used on",
    postgresBench(async ({ store, endSessions, further }) => {
      await append(store, "a")
      for (const name of ["b", "c"]) await append(further(), name)
      await endSessions("ALL")
      expect((await store.read(readTreeHead)).size).toBe(3)
      expect(await append(store, "d")).toBe(3)
    }),
    60_000,
  )

  test(
    "is used no more by any process within seconds, each says why once, and a declared restore ends it for the next ones",
    () =>
      onPostgres(async ({ url }) => {
        const [seeing, other] = [await servingProcess(url), await servingProcess(url)]
        await append(seeing.store, "a")
        await until("the other one saw it", () => other.engine.witness?.seen?.size === 1)
        const earlier = await keepState(url)
        await append(seeing.store, "b")
        // The other one cannot see the last leaf, because it does not look at the log any more before the server is lost.
        await earlier.takeOver()
        const begun = performance.now()
        await until("both say why", () => seeing.found().length > 0 && other.found().length > 0, { withinMs: 20_000 })
        expect(performance.now() - begun).toBeLessThan(10_000)
        for (const { store } of [seeing, other]) {
          expect(await outcomeOf(store.read(readTreeHead))).toEqual(LOG_SHORTER)
          expect(await outcomeOf(store.run(() => put("sold")))).toEqual(LOG_SHORTER)
        }
        await Bun.sleep(2_500)
        for (const { found } of [seeing, other]) {
          expect(found()).toEqual([
            expect.objectContaining({ seen: 2, found: 1, why: expect.stringContaining("leaves") }),
          ])
        }
        const next = await servingProcess(url)
        expect(await next.store.read(notedShorterLog)).toEqual({ seen: 2, found: 1 })
        await until("the next one stops too", () => next.found().length > 0, { withinMs: 20_000 })
        for (const one of [seeing, other, next]) await one.close()
        const declaring = (await openEngine({ kind: "SERVER", url: () => url }, { onFatal: () => {} })).store
        await declaring.run(() => addRestore({ backup_at: AT, restored_at: AT, newest_declared_at: null }))
        expect(await declaring.read(notedShorterLog)).toBeNull()
        await declaring.close()
        await earlier.drop()
      }),
    90_000,
  )
})
