/** A database file that a process of another host serves from: whoever serves next says so, and so does check. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { hostname } from "node:os"
import { join } from "node:path"
import { openDatabase } from "../../db/open.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command as check } from "../../src/cli/check.ts"
import { formatInstant } from "../../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { runCommand } from "../fixtures/terminal.ts"

let folder: ReturnType<typeof freshDirectory>
let data: string
beforeEach(async () => {
  folder = freshDirectory()
  data = join(folder.path, "data")
  await createDataDirectory(data, "test", realMachine, { logHost: "127.0.0.1:8402" })
})
afterEach(() => folder[Symbol.dispose]())

/** The row of a process that serves. */
function enter(host: string, seenAgoMs: number): void {
  const database = openDatabase(join(data, "bizauth.db"))
  const at = formatInstant(Date.now() - seenAgoMs)
  database.run(
    "INSERT INTO instance (instance_id, host, pid, release, started_at, seen_at) VALUES (?, ?, 7, '1', ?, ?)",
    [...[crypto.randomUUID(), host], ...[at, at]],
  )
  database.close()
}

async function noticesOf(migrate: boolean): Promise<readonly string[]> {
  const { notices, store } = await openDataDirectory(data, { machine: realMachine, migrate, onFatal: () => {} })
  await store.close()
  return notices
}

async function checked(): Promise<string> {
  const { out } = await runCommand(check, ["--data", data, "--offline", "--json"])
  const lines = JSON.parse(out).lines as { area: string; name: string; state: string; what: string }[]
  const line = lines.find(({ area, name }) => area === "directory" && name === "hosts")
  return `${line?.state} ${line?.what}`
}

test("a process of another host that was seen just now", async () => {
  enter("second.example", 1_000)
  enter("second.example", 2_000)
  const [notice, ...more] = await noticesOf(true)
  expect(notice).toContain(`another host serves from ${data} too (second.example): `)
  expect(notice).toContain("; move the directory to a disk of this machine, or use PostgreSQL (docs/scale.md)")
  expect(more).toEqual([])
  expect(await checked()).toContain("PROBLEM another host serves from")
  // Other commands than serve do not say it again and again.
  expect(await noticesOf(false)).toEqual([])
})

test("a process of this host, and one of another host that was not seen for long", async () => {
  enter(hostname(), 1_000)
  enter("second.example", 60_000)
  expect(await noticesOf(true)).toEqual([])
  expect(await checked()).toBe("OK no other host serves from it")
})
