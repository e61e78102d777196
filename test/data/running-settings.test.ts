/** Which settings of the process that serves differ from those that a start would have now. */
import { afterAll, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { forgetRunning, recordRunning } from "../../src/data/running-settings.ts"
import { runningLine } from "../../src/data/self-check/running.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const file = join(fresh.path, "running.json")
const AT = "2026-01-01T00:00:00.000Z"
const ORIGIN = "http://127.0.0.1:8402"
const TEXTS = { payments: "live", rpc_url: "https://node.example/key-of-a-customer", log_level: "info" }
const record = (handedOver: readonly string[] = []) =>
  recordRunning(fresh.path, { texts: TEXTS, at: AT, origin: ORIGIN, handedOver, desk: null })
const line = (texts: Readonly<Record<string, string>> = TEXTS) => runningLine(fresh.path, texts)
const changed = (change: object) =>
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }))

beforeEach(() => rmSync(file, { force: true }))

test("names the settings that differ, and keeps no value of one", () => {
  record()
  expect(line()).toMatchObject({
    state: "OK",
    what: `process ${process.pid}, which serves since ${AT}, has these settings`,
  })
  const other = line({ ...TEXTS, payments: "off", log_level: "debug" })
  expect(other).toMatchObject({
    state: "NOTE",
    what: expect.stringMatching(/ has other values of payments, log_level$/),
  })
  // A setting of a newer release.
  expect(line({ ...TEXTS, later: "x" }).what).toEndWith("later")
  const text = readFileSync(file, "utf8")
  for (const value of Object.values(TEXTS)) expect(text).not.toContain(value)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test("a setting whose file the service manager hands over has another path in the process, and is named as such", () => {
  record(["rpc_url"])
  expect(line({ ...TEXTS, rpc_url: "another" })).toMatchObject({
    state: "OK",
    what: expect.stringMatching(/has these settings; the service manager hands over rpc_url$/),
  })
  expect(line({ ...TEXTS, rpc_url: "another", log_level: "debug" }).what).toEndWith("other values of log_level")
  // The file of the release before.
  changed({ handed_over: undefined })
  expect(line({ ...TEXTS, rpc_url: "another" }).what).toEndWith("other values of rpc_url")
})

test("knows that nothing runs: without a file, after an orderly end, and after a kill", () => {
  const nothing = { state: "OK", what: "no process serves from this directory on this machine" }
  expect(line()).toMatchObject(nothing)
  record()
  forgetRunning(fresh.path)
  expect([line(), existsSync(file)]).toEqual([expect.objectContaining(nothing), false])
  record()
  const killed = Bun.spawnSync([process.execPath, "-e", "console.log(process.pid)"]).stdout.toString().trim()
  changed({ pid: Number(killed) })
  expect(line({})).toMatchObject(nothing)
  // Another process got the number.
  changed({ pid: process.pid, ticks: "1" })
  expect(line({})).toMatchObject(nothing)
})

test("a newer process keeps its file, and a text of another form is no process", () => {
  record()
  changed({ pid: process.ppid })
  forgetRunning(fresh.path)
  expect(existsSync(file)).toBe(true)
  for (const text of ["", "{}", "{", "[1]"]) {
    writeFileSync(file, text)
    expect(line().state).toBe("OK")
  }
})
