import { expect, test } from "bun:test"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { OwnInstance } from "../../src/data/own-instance.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { until } from "../fixtures/until.ts"

test("the worker beats until it stops, through an outage of the database, and after the end nothing writes the row", async () => {
  const database = await newDatabase()
  const { engine, store } = await database.open()
  let isAway = false
  let tries = 0
  const engineOf = {
    serverClock: () => engine.serverClock(),
    store: {
      ...store,
      run: (...given: Parameters<typeof store.run>) => {
        tries++
        return isAway ? Promise.reject(new StoreUnavailable("IO", {})) : store.run(...given)
      },
    } as typeof store,
  }
  const machine = { ...realMachine, after: (_: number, round: () => void) => realMachine.after(2, round) }
  const log = createLog("error", () => {}, realMachine.now)
  const instance = new OwnInstance({ engine: engineOf, machine })
  const worker = instance.worker({ machine, log })
  worker.start()
  const row = () => database.row<{ started_at: string; seen_at: string }>("SELECT started_at, seen_at FROM instance")
  await until("it beats", async () => {
    const found = await row()
    return found !== null && found.seen_at > found.started_at
  })
  isAway = true
  tries = 0
  await until("it tries while the database is away", () => tries > 2)
  isAway = false
  const before = await row()
  await until("it beats again", async () => ((await row())?.seen_at ?? "") > (before?.seen_at ?? ""))
  await worker.stop()
  await instance.end()
  await instance.beat()
  expect(await row()).toBeNull()
  isAway = true
  await instance.end()
  expect(log.raised.error).toBe(0)
  await store.close()
  await database.close()
})

test("a beat that the store has when the process ends leaves no row", async () => {
  const database = await newDatabase()
  const { engine, store } = await database.open()
  const held = Promise.withResolvers<void>()
  let units = 0
  const run: typeof store.run = async (unit, order) => {
    units++
    if (units === 1) await held.promise
    return store.run(unit, order)
  }
  const parts = { serverClock: () => engine.serverClock(), store: { ...store, run } as typeof store }
  const instance = new OwnInstance({ engine: parts, machine: realMachine })
  const beat = instance.beat()
  const end = instance.end()
  await Bun.sleep(20)
  held.resolve()
  await Promise.all([beat, end])
  expect(await database.row("SELECT * FROM instance")).toBeNull()
  await store.close()
  await database.close()
})
