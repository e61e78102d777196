import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { createLog, type LogLevel } from "../../src/base/log.ts"

const AT = Date.UTC(2026, 0, 1)
const TIME = "2026-01-01T00:00:00.000Z"

/** A log whose turns of the event loop end when the test says so. */
function gathering(level: LogLevel = "info") {
  const writes: string[] = []
  const turns: (() => void)[] = []
  const log = createLog(
    level,
    (lines) => writes.push(lines),
    () => AT,
    (flush) => turns.push(flush),
  )
  const request = (requestId: string, note?: Record<string, string | number | boolean>) =>
    log.request({ requestId, operation: "op", status: 200, milliseconds: 1.5, note })
  return { log, writes, turns, request }
}

const line = (requestId: string) =>
  `{"time":"${TIME}","level":"info","event":"request","request_id":"${requestId}","operation":"op","status":200,"ms":1.5}\n`

describe("request lines", () => {
  test("of one turn are written together, and the turn is scheduled once", () => {
    const { writes, turns, request } = gathering()
    request("req_a")
    request("req_b")
    expect([writes.length, turns.length]).toEqual([0, 1])
    turns[0]?.()
    expect(writes).toEqual([line("req_a") + line("req_b")])
    request("req_c")
    expect(turns).toHaveLength(2)
  })

  test("are written before a later log event, which is written at once", () => {
    const { log, writes, request } = gathering("debug")
    for (const say of [log.debug, log.info, log.warn, log.error]) {
      request("req_a")
      say("said")
    }
    expect(writes).toHaveLength(8)
    expect(writes.map((text) => JSON.parse(text).event)).toEqual(Array(4).fill(["request", "said"]).flat())
  })

  test("are written by a flush, once", () => {
    const { log, writes, turns, request } = gathering()
    request("req_a")
    log.flush()
    turns[0]?.()
    log.flush()
    expect(writes).toEqual([line("req_a")])
  })

  test("do not accumulate when the turn does not end", () => {
    const { writes, request } = gathering()
    for (let i = 0; i < 1000; i++) request(`req_${String(i).padStart(22, "0")}`)
    expect(writes.length).toBeGreaterThan(1)
    expect(writes[0]?.length).toBeLessThan(66 * 1024)
  })

  test("are JSON, whatever their note contains", () => {
    const { log, writes, request } = gathering()
    const note = { 'a"b': 'line\nend "quoted" \u2028 \ud800', count: 2, done: true, ratio: Number.NaN }
    request("req_a", note)
    log.flush()
    expect(JSON.parse(writes[0] ?? "")).toMatchObject({ ...note, ratio: null, request_id: "req_a" })
  })

  test("below the log level are skipped, and appear again when the level is lowered", () => {
    const { log, writes, request } = gathering("warn")
    request("req_a")
    log.level = "debug"
    request("req_b")
    log.flush()
    expect(writes).toEqual([line("req_b")])
  })
})

test("without a scheduler a request line is written at once", () => {
  const writes: string[] = []
  const log = createLog(
    "info",
    (lines) => writes.push(lines),
    () => AT,
  )
  log.request({ requestId: "req_a", operation: "op", status: 404 })
  expect(writes.map((text) => JSON.parse(text))).toEqual([
    { time: TIME, level: "info", event: "request", request_id: "req_a", operation: "op", status: 404 },
  ])
})

test("a line carries its own time, also when many share a millisecond", () => {
  let at = AT
  const times: string[] = []
  const log = createLog(
    "info",
    (lines) => times.push(JSON.parse(lines).time),
    () => at,
  )
  for (const step of [0, 0, 1, 0]) {
    at += step
    log.info("said")
  }
  expect(times.map((time) => time.slice(20))).toEqual(["000Z", "000Z", "001Z", "001Z"])
})

describe("a process that ends with buffered lines writes them, as serve does", () => {
  const rows: readonly [name: string, end: string][] = [
    ["by its own exit", "process.exit(5)"],
    ["by an uncaught error", "throw new Error('uncaught')"],
  ]
  test.each(rows)("%s", (_name, end) => {
    const program = `
      import { createLog } from ${JSON.stringify(join(import.meta.dir, "../../src/base/log.ts"))}
      const log = createLog("info", (lines) => void process.stdout.write(lines), () => ${AT}, setImmediate)
      process.on("exit", log.flush)
      log.request({ requestId: "req_a", operation: "op", status: 200, milliseconds: 1.5 })
      ${end}`
    const { stdout, exitCode } = Bun.spawnSync([process.execPath, "-e", program])
    expect([exitCode === 0, stdout.toString()]).toEqual([false, line("req_a")])
  })
})
