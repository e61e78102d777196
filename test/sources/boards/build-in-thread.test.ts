import { describe, expect, test } from "bun:test"
import { BUILD_MS_MAX, buildInThread } from "../../../src/sources/boards/build-in-thread.ts"
import { buildIndex } from "../../../src/sources/boards/build-index.ts"
import { importBench, START } from "../import-bench.ts"

const BAD_THREAD = new URL("../../fixtures/threads/bad-index-thread.ts", import.meta.url).href
const nothing = (root: string) => ({ root, now: START, lists: [] })

test("a thread builds the same index as this thread, number for number", async () => {
  await using bench = importBench()
  await bench.bring("US_OFAC_SDN", bench.sdn())
  const row = await bench.active("US_OFAC_SDN")
  if (!row) throw new Error("not imported")
  const task = { root: bench.root, now: START, lists: [{ row, held: null }] }
  expect(await buildInThread(task)).toEqual(buildIndex(task))
})

test("a list that is already in memory is neither read nor copied", async () => {
  await using bench = importBench()
  await bench.bring("US_OFAC_SDN", bench.sdn())
  const row = await bench.active("US_OFAC_SDN")
  if (!row) throw new Error("not imported")
  const first = await buildInThread({ root: bench.root, now: START, lists: [{ row, held: null }] })
  const held = first.outcomes[0]?.list ?? null
  const second = await buildInThread({ root: "/nowhere", now: START, lists: [{ row, held }] })
  const again = second.outcomes[0]?.list
  expect(second.merged).toEqual(first.merged)
  expect(again?.parties.bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
  if (!held || !again) throw new Error("no list")
  held.parties.bytes[0] = 7
  expect(again.parties.bytes[0]).toBe(7)
})

describe("a failed build is rejected with its reason when", () => {
  test("the thread throws", async () => {
    await expect(buildInThread(nothing("throws"), { thread: BAD_THREAD })).rejects.toThrow("too many names")
  })

  test("the thread ends", async () => {
    await expect(buildInThread(nothing("ends"), { thread: BAD_THREAD })).rejects.toThrow("ended without a result")
  })

  test("the thread exceeds its time", async () => {
    await expect(buildInThread(nothing("hangs"), { thread: BAD_THREAD, msMax: 50 })).rejects.toThrow(
      "within 0.05 seconds",
    )
    expect(BUILD_MS_MAX).toBeLessThanOrEqual(120_000)
  })

  test("the service stops", async () => {
    const stopping = new AbortController()
    const build = buildInThread(nothing("hangs"), { thread: BAD_THREAD, signal: stopping.signal })
    stopping.abort()
    await expect(build).rejects.toThrow("stopped")
    await expect(buildInThread(nothing("hangs"), { thread: BAD_THREAD, signal: stopping.signal })).rejects.toThrow(
      "stopped",
    )
  })

  test("the program of the thread is missing", async () => {
    await expect(buildInThread(nothing("any"), { thread: `${BAD_THREAD}.missing` })).rejects.toThrow()
  })
})
