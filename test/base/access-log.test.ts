import { expect, test } from "bun:test"
import { type AccessEntry, createAccessLog, missingAccessLine } from "../../src/base/access-log.ts"

const AT = Date.UTC(2026, 0, 1)
const TIME = "2026-01-01T00:00:00.000Z"
const ENTRY: AccessEntry = {
  client: "192.0.2.7",
  method: "POST",
  path: "/v1/decisions/{id}",
  status: 200,
  milliseconds: 1.5,
  requestId: "req_a",
}

function gathering() {
  const writes: string[] = []
  const later: (() => void)[] = []
  const log = createAccessLog(
    (lines) => writes.push(lines),
    () => AT,
    (flush) => later.push(flush),
  )
  return { log, writes, later }
}

test("a line has time, client, method, template, status, milliseconds and id of the request, and nothing else", () => {
  const { log, writes } = gathering()
  log.request(ENTRY)
  log.flush()
  expect(writes).toEqual([
    `{"time":"${TIME}","client":"192.0.2.7","method":"POST","path":"/v1/decisions/{id}","status":200,"ms":1.5,"request_id":"req_a"}\n`,
  ])
})

test("a path without a route is null, and a method that a client made up is OTHER", () => {
  const { log, writes } = gathering()
  log.request({ ...ENTRY, path: null, method: 'X"MARKER' })
  log.flush()
  expect(JSON.parse(writes.join(""))).toMatchObject({ path: null, method: "OTHER" })
})

test("lines are collected, and written together", () => {
  const { log, writes, later } = gathering()
  for (let i = 0; i < 3; i++) log.request(ENTRY)
  expect([writes.length, later.length]).toEqual([0, 1])
  later[0]?.()
  expect(writes.map((text) => text.split("\n").length)).toEqual([4])
})

test("missing lines are a line of their own", () => {
  expect(JSON.parse(missingAccessLine(AT, 7))).toEqual({ time: TIME, event: "access_lines_missing", lines: 7 })
})
