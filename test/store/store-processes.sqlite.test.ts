import { describe, expect } from "bun:test"
import { join } from "node:path"
import { BUSY_TIMEOUT_MS } from "../../db/open.ts"
import { BUSY_WAIT_MS_MAX } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { until } from "../fixtures/until.ts"
import { list, openNonces, put, withDirectory } from "./nonce-rows.ts"
import { bench, outcome, tap } from "./store-bench.ts"

const test = slowTests(import.meta.path)

/** Another process on the same file, with its standard output line by line. */
function spawn(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "other-process.ts"), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  let text = ""
  return {
    child,
    /** All complete lines so far, after waiting for more than `known` lines or the end. */
    async lines(known = Number.POSITIVE_INFINITY): Promise<string[]> {
      for (;;) {
        const whole = text.split("\n").slice(0, -1)
        if (whole.length > known) return whole
        const { done, value } = await reader.read()
        if (done) return whole
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}

describe("with another process on the file", () => {
  test(
    "the store waits for a taken lock without blocking the event loop",
    bench(async ({ store, database, path, onDisk }) => {
      const { child, lines } = spawn("hold", path)
      await lines(0)
      const blocking: boolean[] = []
      const timeout = () => (database.query("PRAGMA busy_timeout").get() as { timeout: number }).timeout
      tap(database, (sql) => {
        if (sql === "BEGIN IMMEDIATE") blocking.push(timeout() > 0)
      })
      let turns = 0
      const turning = setInterval(() => turns++, 5)
      const write = store.run(() => put("a"))
      const reads = await store.read(() => list())
      expect(reads).toEqual([])
      await until("the store tries again while the loop turns", () => turns >= 30 && blocking.length > 2)
      expect(onDisk()).toEqual([])
      child.stdin.write("go\n")
      child.stdin.end()
      expect(await write).toBe("a")
      clearInterval(turning)
      expect(blocking.length).toBeGreaterThan(2)
      expect(blocking.indexOf(false)).toBe(1)
      expect(blocking.lastIndexOf(true)).toBe(0)
      expect(timeout()).toBe(BUSY_TIMEOUT_MS)
      await child.exited
      expect(onDisk()).toEqual(["a"])
    }),
  )

  test("a lock that stays taken gives BUSY after the limit, and work succeeds once it is free", async () => {
    const start = performance.now()
    const hurried = () => (performance.now() - start) * (BUSY_WAIT_MS_MAX / 300)
    await bench(async ({ store, path, onDisk }) => {
      const { child, lines } = spawn("hold", path)
      await lines(0)
      const results = await Promise.all(["a", "b"].map((nonce) => outcome(store.run(() => put(nonce)))))
      expect(results).toEqual(["BUSY", "BUSY"])
      child.stdin.write("go\n")
      child.stdin.end()
      await child.exited
      expect(await store.run(() => put("c"))).toBe("c")
      expect(onDisk()).toEqual(["c"])
    }, hurried)()
  })

  test(
    "two writers lose no row",
    bench(async ({ path, onDisk }) => {
      const writers = ["one", "two"].map((scope) => ({ scope, process: spawn("write", path, scope, "400") }))
      for (const { scope, process } of writers) {
        const acknowledged = await process.lines()
        expect(await process.child.exited).toBe(0)
        expect(acknowledged.length).toBe(400)
        expect(onDisk(scope)).toEqual(acknowledged.sort())
      }
    }),
  )

  test("every acknowledged row of twenty processes killed while writing is stored", async () => {
    const round = (n: number) =>
      withDirectory(async (directory) => {
        const path = join(directory, "bizauth.db")
        openNonces(path).close(false)
        const { child, lines } = spawn("write", path, "s", "1000000")
        await lines(20 + n * 17)
        child.kill("SIGKILL")
        const acknowledged = await lines()
        await child.exited
        const database = openNonces(path)
        const found = new Set(
          (database.query("SELECT nonce FROM used_nonce").all() as { nonce: string }[]).map(({ nonce }) => nonce),
        )
        const integrity = database.query("PRAGMA integrity_check").get()
        database.close(false)
        expect(integrity).toEqual({ integrity_check: "ok" })
        return { acknowledged: acknowledged.length, lost: acknowledged.filter((nonce) => !found.has(nonce)) }
      })()
    for (let n = 0; n < 20; n += 4) {
      for (const { acknowledged, lost } of await Promise.all([0, 1, 2, 3].map((i) => round(n + i)))) {
        expect(acknowledged).toBeGreaterThan(20)
        expect(lost).toEqual([])
      }
    }
  })
})
