/** A broken log stops nothing: whatever happens to stderr and stdout, the service continues to respond and sell. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { closeSync, existsSync, openSync } from "node:fs"
import { untilOpened } from "../../scripts/demo/until-opened.ts"
import { initialised, programUnderTest } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { namedPipe, type SilentServer, serveInto } from "../fixtures/silent-server.ts"
import { openTestOperator, paymentFor, present, SCENARIO_MS } from "../fixtures/test-operator.ts"
import { until } from "../fixtures/until.ts"

setDefaultTimeout(SCENARIO_MS)

async function expectAnswers(server: SilentServer, count: number, path = "/livez"): Promise<void> {
  for (let i = 0; i < count; i++) {
    const answer = await fetch(server.origin + path)
    await answer.bytes()
    expect(answer.status).toBeLessThan(500)
  }
}

/** The lines of a log, each of which must be JSON. */
const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test("a server continues when the reader of its stderr closes, and a new reader learns how many lines are missing", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  using pipe = namedPipe(fresh.path)
  await using server = await serveInto(data, { stderr: pipe.writeEnd })
  pipe.handedOver()
  const before = linesOf(pipe.read())
  expect(before.map(({ event }) => event)).toContain("started")
  pipe.closeReader()
  await expectAnswers(server, 10)
  pipe.openReader()
  await expectAnswers(server, 1)
  let text = ""
  await until("the lines of the new reader", () => {
    text += pipe.read()
    if (!text.endsWith("\n")) return false
    const [dropped, ...others] = linesOf(text)
    return Number(dropped?.["lines"]) + others.length >= 11
  })
  const [first, ...requests] = linesOf(text)
  expect(first).toMatchObject({ level: "warn", event: "log_lines_dropped", stream: "stderr" })
  for (const request of requests) expect(request).toMatchObject({ event: "request", operation: "get_liveness" })
  // The line of the tenth response may come after the reader has returned, and the line of the start's own request after it left.
  expect(requests.length).toBeOneOf([1, 2])
  expect(Number(first?.["lines"]) + requests.length).toBeOneOf([11, 12])
  expect(await server.stop()).toBe(0)
  const left = linesOf(pipe.read()).map(({ event }) => event)
  expect(left.filter((event) => event !== "request")).toEqual(["stopping", "stopped"])
})

const hasFullDevice = existsSync("/dev/full")
if (!hasFullDevice) console.log("skipped: this system has no /dev/full")

test.skipIf(!hasFullDevice)("a server with a full stderr starts, responds and stops with exit 0", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const full = openSync("/dev/full", "w")
  await using server = await serveInto(data, { stderr: full })
  closeSync(full)
  await expectAnswers(server, 10)
  expect(await server.stop()).toBe(0)
})

test("an unread pipe neither stops the server nor fills its memory, and a later reader learns what is missing", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  using pipe = namedPipe(fresh.path)
  await using server = await serveInto(data, { stderr: pipe.writeEnd }, ["--rate-limits", "off"])
  pipe.handedOver()
  const requested = 12_000
  for (let i = 0; i < requested / 50; i++) {
    await Promise.all(Array.from({ length: 50 }, () => expectAnswers(server, 1)))
  }
  let text = ""
  const counts = () => {
    const lines = linesOf(text.slice(0, text.lastIndexOf("\n") + 1))
    const dropped = lines
      .filter(({ event }) => event === "log_lines_dropped")
      .reduce((sum, row) => sum + Number(row["lines"]), 0)
    return { dropped, requests: lines.filter(({ event }) => event === "request").length }
  }
  await until("every request is in the log or counted as dropped", () => {
    text += pipe.read()
    const { dropped, requests } = counts()
    return requests + dropped >= requested
  })
  const stopped = server.stop()
  await until("the server says that it has stopped", () => {
    text += pipe.read()
    return text.includes('"event":"stopped"') && text.endsWith("\n")
  })
  const { dropped, requests } = counts()
  expect(dropped).toBeGreaterThan(1000)
  // The log also has the requests that polled the readiness.
  expect(requests + dropped).toBeLessThan(requested + 100)
  expect(await stopped).toBe(0)
})

test("a server that stops while nobody reads its stderr still exits with 0", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  using pipe = namedPipe(fresh.path)
  await using server = await serveInto(data, { stderr: pipe.writeEnd }, ["--rate-limits", "off"])
  pipe.handedOver()
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, () => expectAnswers(server, 1)))
  expect(await server.stop()).toBe(0)
})

test("a server whose stdout has no reader reports the lost line on stderr, responds, and stops with exit 0", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  using out = namedPipe(fresh.path)
  using errFolder = freshDirectory()
  using err = namedPipe(errFolder.path)
  out.closeReader()
  await using server = await serveInto(data, { stdout: out.writeEnd, stderr: err.writeEnd })
  out.handedOver()
  err.handedOver()
  await expectAnswers(server, 10)
  expect(await server.stop()).toBe(0)
  const lost = linesOf(err.read()).filter(({ event }) => event === "log_lines_dropped")
  expect(lost).toMatchObject([{ stream: "stdout", lines: 1 }])
})

test.skipIf(!hasFullDevice)("a server sells while both its streams are full", async () => {
  await using operator = await openTestOperator()
  const full = openSync("/dev/full", "w")
  await using server = await serveInto(operator.data, { stdout: full, stderr: full }, operator.selling)
  closeSync(full)
  await untilOpened(server.origin)
  const signed = await operator.sign()
  const { statuses } = await present(server.origin, signed, await paymentFor(server.origin, signed))
  expect(statuses.at(-1)).toBe(200)
  expect(await operator.transfers()).toHaveLength(1)
  expect(await server.stop()).toBe(0)
})

test.each([
  ["SIGHUP", "signal_ignored"],
  ["SIGUSR2", "signal_ignored"],
  ["SIGALRM", "signal_ignored"],
  ["SIGUSR1", "log_level_lowered"],
] as const)("%s does not end the server", async (name, event) => {
  using fresh = freshDirectory()
  using pipe = namedPipe(fresh.path)
  await using server = await serveInto(await initialised(fresh.path), { stderr: pipe.writeEnd })
  pipe.handedOver()
  server.signal(name)
  let text = ""
  await until("the server logs the signal or ends", () => {
    text += pipe.read()
    return text.includes(`"event":"${event}"`) || server.ended() !== null
  })
  await expectAnswers(server, 3)
  expect(server.ended()).toBeNull()
  expect(await server.stop()).toBe(0)
})

/** The exit code and stderr of a command whose stdout is `stdout`. */
async function endsInto(stdout: number, args: readonly string[]): Promise<[number, string]> {
  const child = Bun.spawn([...programUnderTest, ...args], { env: {}, stdin: "ignore", stdout, stderr: "pipe" })
  return [await child.exited, await new Response(child.stderr).text()]
}

test("a command whose reader has closed, as with head, ends silently with its own exit code", async () => {
  using fresh = freshDirectory()
  using pipe = namedPipe(fresh.path)
  pipe.closeReader()
  expect(await endsInto(pipe.writeEnd, ["help"])).toEqual([0, ""])
})

test.skipIf(!hasFullDevice)(
  "a command that cannot write its output to a full disk reports it and exits with 1",
  async () => {
    const told = "bizauth: the output cannot be written (ENOSPC); it is not whole\n"
    const full = openSync("/dev/full", "w")
    expect(await endsInto(full, ["help"])).toEqual([1, told])
    closeSync(full)
  },
)
