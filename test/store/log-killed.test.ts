import { expect } from "bun:test"
import { join } from "node:path"
import { LogReplay } from "../../src/core/log-replay.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { leafRange, readTreeHead } from "../../src/store/log/transparency-log.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Another process that appends. It prints acknowledged indices line by line. */
function writer(address: string, name: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "log-writer.ts"), address, name], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  })
  const told: number[] = []
  let rest = ""
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  const read = async (enough: number) => {
    while (told.length < enough) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      told.push(...lines.map(Number))
    }
  }
  return { child, told, read }
}

test("two processes append to one log and are killed: every acknowledged leaf is stored once, and the log is consistent", async () => {
  const database = await newDatabase()
  const { store } = await database.open()
  const writers = [writer(database.address, "first"), writer(database.address, "second")]
  await Promise.all(writers.map(({ read }) => read(150)))
  for (const { child } of writers) child.kill("SIGKILL")
  await Promise.all(writers.map(({ child }) => child.exited))
  await Promise.all(writers.map(({ read }) => read(Number.POSITIVE_INFINITY)))

  const told = writers.flatMap((one) => one.told)
  const head = await store.read(readTreeHead)
  expect(new Set(told).size).toBe(told.length)
  expect(Math.max(...told)).toBeLessThan(head.size)
  const replay = new LogReplay(sha256)
  for (const data of await store.read(() => leafRange(0, head.size))) {
    expect(replay.add(data)).not.toHaveProperty("fault")
  }
  expect([replay.size, hex(replay.rootHash()), hex(replay.map.root())]).toEqual([
    head.size,
    hex(head.rootHash),
    hex(head.mapRoot),
  ])
  await store.close()
  await database.close()
}, 60_000)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
