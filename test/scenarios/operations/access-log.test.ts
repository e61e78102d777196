/** The access log of a process that sells: what it says of a sale, that the log stays without addresses, and what a broken file stops. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import type { Running } from "../../fixtures/binary.ts"
import { MARKER } from "../../fixtures/problems.ts"
import { openTestOperator, paymentFor, present, SCENARIO_MS, type TestOperator } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

const CLIENT = "203.0.113.77"
const HEADERS = { "x-forwarded-for": CLIENT, "user-agent": MARKER, cookie: `session=${MARKER}` }

let operator: TestOperator
let server: Running
let folder: string
let path: string
beforeAll(async () => {
  operator = await openTestOperator()
  folder = join(operator.folder, "logs")
  path = join(folder, "access.log")
  mkdirSync(folder)
  server = await operator.serve(["--access-log", path, "--trusted-proxies", "127.0.0.1"])
})
afterAll(() => operator[Symbol.asyncDispose]())

type Line = Readonly<Record<string, unknown>>

const linesIn = (file: string): readonly Line[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

/** Waits for a line, because lines are written a moment after their answers. */
async function lineOf(requestId: string | null): Promise<Line> {
  let found: Line | undefined
  await until("the line of a request", () => {
    found = linesIn(path).find((line) => line["request_id"] === requestId)
    return found !== undefined
  })
  return found ?? {}
}

async function askQuietly(at = "/livez"): Promise<string | null> {
  return (await fetch(server.origin + at, { headers: HEADERS })).headers.get("x-request-id")
}

async function buys(): Promise<void> {
  const signed = await operator.sign({ economic_purpose: `${MARKER} purpose` })
  const payment = await paymentFor(server.origin, signed)
  expect((await present(server.origin, signed, { ...HEADERS, ...payment })).bytes).toContain('"decision"')
}

test("a sale leaves lines with the client's address, and nothing that the client wrote", async () => {
  await buys()
  const one = await lineOf(await askQuietly(`/livez?${MARKER}=1`))
  expect(one).toMatchObject({ client: CLIENT, method: "GET", path: "/livez", status: 200 })
  const statuses = linesIn(path).flatMap((line) => (line["path"] === PAYMENT_DECISION_PATH ? [line["status"]] : []))
  expect(statuses).toEqual([402, 200])
  const written = readFileSync(path, "utf8")
  expect(written).not.toContain(MARKER)
  expect(written).not.toMatch(/0x[0-9a-f]{8}/)
})

test("a file that was moved is made again, and one whose folder is away stops no sale and counts what it lacks", async () => {
  await lineOf(await askQuietly())
  renameSync(path, `${path}.moved`)
  const after = await askQuietly()
  await until("a new file", () => Bun.file(path).exists())
  await lineOf(after)
  rmSync(folder, { recursive: true })
  await buys()
  await server.logged('"access_log_failed"')
  mkdirSync(folder)
  await until("the count of missing lines", async () => {
    await askQuietly()
    return (await Bun.file(path).exists()) && linesIn(path).length > 1
  })
  const [first, ...others] = linesIn(path)
  expect(first).toMatchObject({ event: "access_lines_missing" })
  // Each of quote and payment has a line or is counted as missing.
  const sold = others.filter((line) => line["path"] === PAYMENT_DECISION_PATH)
  expect(Number(first?.["lines"]) + sold.length).toBeGreaterThanOrEqual(2)
})

test("a stop writes the last lines, and the log has no address", async () => {
  const last = await askQuietly()
  expect(await server.stop()).toBe(0)
  expect(linesIn(path).some((line) => line["request_id"] === last)).toBe(true)
  const log = server.err().replaceAll(server.origin, "")
  expect(log).not.toContain(CLIENT)
  expect(log).not.toMatch(/\b\d{1,3}(\.\d{1,3}){3}\b/)
  expect(log.match(/"access_log_failed","why":"ENOENT"/g)).toHaveLength(1)
})
