import { expect, test } from "bun:test"
import { periodic } from "../../src/base/worker.ts"
import { testShell } from "../fixtures/shell.ts"

test("a round that fails is logged and the next one still runs", async () => {
  const { shell, logged } = testShell()
  let rounds = 0
  const twice = new Promise<void>((resolve) => {
    const worker = periodic(
      "test",
      1,
      async () => {
        rounds++
        if (rounds === 1) throw new Error("first")
        void worker.stop().then(resolve)
      },
      shell,
    )
    worker.start()
  })
  await twice
  expect(logged).toHaveLength(1)
  expect(logged[0]).toMatchObject({ level: "error", event: "worker_failed", worker: "test", message: "first" })
})

test("the same error of the next rounds is not logged again before a round succeeds", async () => {
  const { shell, logged } = testShell()
  const outcomes = ["away", "away", "full", "full", null, "full", "away"]
  const done = Promise.withResolvers<void>()
  const worker = periodic(
    "test",
    1,
    async () => {
      const outcome = outcomes.shift()
      if (outcome === undefined) return done.resolve()
      if (outcome !== null) throw new Error(outcome)
    },
    shell,
  )
  worker.start()
  await done.promise
  await worker.stop()
  expect(logged.map(({ message }) => message)).toEqual(["away", "full", "full", "away"])
})

test("a stop waits for the running round and starts no further one", async () => {
  const { log } = testShell().shell
  const due = new Set<() => void>()
  const after = (_: number, callback: () => void) => {
    due.add(callback)
    return () => void due.delete(callback)
  }
  const round = Promise.withResolvers<void>()
  const worker = periodic("test", 1, () => round.promise, { machine: { after }, log })
  worker.start()
  const [begin] = due
  due.clear()
  begin?.()
  let stopped = false
  const stopping = worker.stop().then(() => {
    stopped = true
  })
  await Bun.sleep(0)
  expect(stopped).toBe(false)
  round.resolve()
  await stopping
  expect(due.size).toBe(0)
})

test("a function gives the wait after each round", async () => {
  const { log } = testShell().shell
  const waits: number[] = []
  let next = () => {}
  const after = (ms: number, callback: () => void) => {
    waits.push(ms)
    next = callback
    return () => {}
  }
  let ended = Promise.withResolvers<void>()
  const round = async () => ended.resolve()
  let wait = 60
  const worker = periodic("test", () => wait, round, { machine: { after }, log })
  worker.start()
  for (wait of [1, 60]) {
    ended = Promise.withResolvers()
    next()
    await ended.promise
    await Bun.sleep(0)
  }
  expect(waits).toEqual([60, 1, 60])
})
