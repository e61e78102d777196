import { expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fetchInChild } from "../../../../src/sources/fetch/schedule/fetch-child.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const PROGRAM = join(import.meta.dir, "../../../fixtures/fetching-program.ts")
const SDN = "US_OFAC_SDN"

function child(does: string, msMax?: number) {
  const fresh = freshDirectory()
  const says = join(fresh.path, "says")
  const stopping = new AbortController()
  const program = {
    program: [process.execPath, PROGRAM],
    flags: ["--data=/data", "--sources-fetch=on"],
    environment: { PATH: process.env["PATH"], FETCH_DOES: does, FETCH_SAYS: says },
    ...(msMax === undefined ? {} : { msMax }),
  }
  return {
    stopping,
    end: (id = SDN, lastAttempt: string | null = null) => fetchInChild({ id, lastAttempt }, program, stopping.signal),
    /** Resolves when the child runs. */
    async began(): Promise<void> {
      for (const end = performance.now() + 10_000; !isWritten(says); await Bun.sleep(5))
        if (performance.now() > end) throw new Error("it did not begin")
    },
    said: () => JSON.parse(readFileSync(says, "utf8")) as { pid: number; args: string[] },
    [Symbol.dispose]: fresh[Symbol.dispose],
  }
}

const isWritten = (path: string) => existsSync(path) && readFileSync(path, "utf8").endsWith("\n")

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test("the program is started to fetch this source, with the flags of the service", async () => {
  using one = child("ends")
  expect(await one.end()).toEqual({ exit: 0, timedOut: false, said: "", isBusy: false })
  const never = "--last-attempt=never"
  expect(one.said().args).toEqual(["sources", "fetch", SDN, "--json", never, "--data=/data", "--sources-fetch=on"])
  using again = child("ends")
  await again.end(SDN, "2026-11-20T12:00:00.000Z")
  expect(again.said().args).toContain("--last-attempt=2026-11-20T12:00:00.000Z")
})

test("its output is read to the end and kept in part, so that it never blocks", async () => {
  using one = child("floods")
  const { exit, said } = await one.end()
  expect([exit, said.length]).toEqual([1, 2048])
  expect(said).toEndWith("the last line\n")
})

test("its lines of progress are left out of what it said, and push nothing else out", async () => {
  using one = child("reports")
  const said = 'note: the first line\n{"version":1,"error":{"exit":7}}\n'
  expect(await one.end()).toEqual({ exit: 7, timedOut: false, said, isBusy: false })
})

test("a child says that its source is busy, and no other source", async () => {
  using one = child("finds a busy source")
  expect(await one.end()).toMatchObject({ exit: 7, isBusy: true })
  using other = child("finds a busy source")
  expect(await other.end("UK_SANCTIONS_LIST")).toMatchObject({ exit: 7, isBusy: false })
})

test("a child that crashes gives an outcome and does not throw", async () => {
  using one = child("crashes")
  expect(await one.end()).toMatchObject({ exit: null, timedOut: false })
})

test("a child that hangs is killed at the end of its time", async () => {
  using one = child("hangs", 1500)
  expect(await one.end()).toMatchObject({ exit: null, timedOut: true })
  expect(isAlive(one.said().pid)).toBe(false)
})

test("a stop kills the child completely", async () => {
  using one = child("hangs")
  const end = one.end()
  await one.began()
  one.stopping.abort()
  expect(await end).toMatchObject({ exit: null, timedOut: false })
  expect(isAlive(one.said().pid)).toBe(false)
})

test("a missing program is reported", async () => {
  const program = { program: ["/nowhere/bizauth"], flags: [], environment: {} }
  await expect(fetchInChild({ id: SDN, lastAttempt: null }, program, new AbortController().signal)).rejects.toThrow()
})
