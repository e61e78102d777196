import { expect, test } from "bun:test"
import { type ProcessorTime, processorTime } from "../../../scripts/bench/processes.ts"

/** Takes some tenths of a second on any machine. */
const WORK = 'new Bun.CryptoHasher("sha512").update(new Uint8Array(100_000_000)).digest()'
/** Steps in which Linux counts the time of all threads. */
const TICK_US = 10_000

async function timeOf(work: () => unknown): Promise<ProcessorTime> {
  const [before, , after] = [processorTime(process.pid), await work(), processorTime(process.pid)]
  if (before === null || after === null) throw new Error("no /proc")
  return { main: after.main - before.main, all: after.all - before.all }
}

test("the work of this thread counts for the main thread and for all threads", async () => {
  const { main, all } = await timeOf(new Function(WORK) as () => void)
  expect(all).toBeGreaterThan(2 * TICK_US)
  expect(main).toBeGreaterThan(all / 2)
})

test("the work of another thread counts for all threads only", async () => {
  const source = URL.createObjectURL(new Blob([`${WORK}; postMessage("done")`]))
  const { main, all } = await timeOf(async () => {
    const worker = new Worker(source)
    await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }))
    worker.terminate()
  })
  expect(all).toBeGreaterThan(2 * TICK_US)
  expect(main).toBeLessThan(all / 2)
})

test("a process that has ended has no time", async () => {
  const ended = Bun.spawn(["true"])
  await ended.exited
  expect(processorTime(ended.pid)).toBeNull()
})
