import { describe, expect, test } from "bun:test"
import { MINUTE, SECOND } from "../../../../src/core/time.ts"
import { keepAnswer } from "../../../../src/store/sources/register-answers.ts"
import { PAUSE_MS_MAX, pauseService, resumeService, takeRequest } from "../../../../src/store/sources/request-budget.ts"
import { companiesHouse, profile, restDesk, START } from "./rest-desk.ts"

/** Answers for any requested company. */
const anyCompany = (request: Request) =>
  Response.json(profile({ company_number: new URL(request.url).pathname.split("/").at(-1) }))

const numbered = (index: number) => String(index + 1).padStart(8, "0")

describe("the budget of requests", () => {
  test("is shared by all stores on one file; when it is spent no request is sent, and the answer names the next time", async () => {
    await using house = companiesHouse(anyCompany)
    await using desk = restDesk(house.url, { requestsMax: 10 })
    const other = desk.again()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? desk : other).lookUp(numbered(index))),
    )
    expect(answers.filter(({ outcome }) => outcome === "FOUND")).toHaveLength(10)
    expect(house.seen.asked).toBe(10)
    expect(answers.find(({ outcome }) => outcome === "UNKNOWN")).toMatchObject({
      health: "UNAVAILABLE",
      reasonCodes: ["SOURCE_UNAVAILABLE", "REQUEST_BUDGET_SPENT"],
      // Five minutes after the oldest request, plus the time that a request may be under way.
      retryAt: new Date(START + 5 * MINUTE + 10 * SECOND).toISOString(),
    })
  })

  test("is not refilled by a restart, and refills as requests leave the window", async () => {
    await using house = companiesHouse(anyCompany)
    await using desk = restDesk(house.url, { requestsMax: 3 })
    await desk.lookUp(numbered(1))
    desk.pass(MINUTE)
    await desk.lookUp(numbered(2))
    await desk.lookUp(numbered(3))
    await desk.store.close()
    const restarted = desk.again()
    expect(await restarted.lookUp(numbered(4))).toMatchObject({ outcome: "UNKNOWN" })
    desk.pass(4 * MINUTE + 10 * SECOND)
    expect(await restarted.lookUp(numbered(5))).toMatchObject({ outcome: "FOUND" })
    expect(await restarted.lookUp(numbered(6))).toMatchObject({ outcome: "UNKNOWN" })
    expect(house.seen.asked).toBe(4)
  })

  test("is shared by two processes that ask at once", async () => {
    await using house = companiesHouse(anyCompany)
    await using desk = restDesk(house.url, { requestsMax: 40 })
    const program = `${import.meta.dir}/asking-process.ts`
    const said = await Promise.all(
      ["1000", "2000"].map(async (from) => {
        const argv = [process.execPath, program, desk.path, house.url, from, "30", "40", String(START)]
        const child = Bun.spawn(argv, { stdout: "pipe", stderr: "inherit" })
        const answers = JSON.parse(await new Response(child.stdout).text()) as string[]
        expect(await child.exited).toBe(0)
        return answers
      }),
    )
    const answers = said.flat()
    expect(answers).toHaveLength(60)
    expect(answers.filter((one) => one === "FOUND")).toHaveLength(40)
    expect(answers.filter((one) => one === "UNKNOWN SOURCE_UNAVAILABLE REQUEST_BUDGET_SPENT")).toHaveLength(20)
    expect(house.seen.asked).toBe(40)
  })

  test("counts a request before it is sent: a process that dies in between has counted one request too many", async () => {
    await using house = companiesHouse(anyCompany)
    await using desk = restDesk(house.url, { requestsMax: 2 })
    // Killed as soon as the request is sent, so nothing after that happens.
    const program = `${import.meta.dir}/asking-process.ts`
    const gate = Promise.withResolvers<void>()
    house.answer(() => {
      gate.resolve()
      return new Promise<Response>(() => {})
    })
    const argv = [process.execPath, program, desk.path, house.url, "1000", "1", "2", String(START)]
    const child = Bun.spawn(argv, { stdout: "ignore", stderr: "inherit" })
    await gate.promise
    child.kill("SIGKILL")
    await child.exited
    house.answer(anyCompany)
    expect(await desk.lookUp(numbered(1))).toMatchObject({ outcome: "FOUND" })
    expect(await desk.lookUp(numbered(2))).toMatchObject({ outcome: "UNKNOWN" })
    expect(house.seen.asked).toBe(2)
  })

  test("is separate for each key", async () => {
    await using desk = restDesk("http://127.0.0.1:9")
    const take = (keyDigest: string, at = START) =>
      desk.store.run(() => takeRequest({ keyDigest, at, requestsMax: 1, windowSeconds: 310 }))
    expect(await take("sha256:a")).toEqual({ granted: true })
    expect(await take("sha256:a")).toEqual({ granted: false, until: START + 310 * SECOND, reason: null })
    expect(await take("sha256:b")).toEqual({ granted: true })
  })

  test("recovers after a clock that once ran ahead", async () => {
    await using desk = restDesk("http://127.0.0.1:9")
    const take = (at: number) =>
      desk.store.run(() => takeRequest({ keyDigest: "sha256:a", at, requestsMax: 1, windowSeconds: 310 }))
    await take(START + 1000 * 24 * 60 * MINUTE)
    expect(await take(START)).toEqual({ granted: true })
  })
})

describe("a pause", () => {
  const pause = (untilMs: number, reason: string) => ({ at: START, until: START + untilMs, reason })
  const take = (at: number) => takeRequest({ keyDigest: "sha256:a", at, requestsMax: 9, windowSeconds: 310 })

  test("requested by the service is not shortened by a later failure or ended by an answer still under way", async () => {
    await using desk = restDesk("http://127.0.0.1:9")
    await desk.store.run(() => pauseService("sha256:a", pause(5 * MINUTE, "RATE_LIMITED")))
    expect(await desk.store.run(() => pauseService("sha256:a", pause(2 * SECOND, "SERVICE_ERROR")))).toBe(
      START + 5 * MINUTE,
    )
    await desk.store.run(() => resumeService("sha256:a", START + 3 * SECOND))
    expect(await desk.store.run(() => take(START + 3 * SECOND))).toEqual({
      granted: false,
      until: START + 5 * MINUTE,
      reason: "RATE_LIMITED",
    })
    expect(await desk.store.run(() => take(START + 5 * MINUTE))).toEqual({ granted: true })
  })

  test("is at most an hour, even if a clock that ran ahead wrote it", async () => {
    await using desk = restDesk("http://127.0.0.1:9")
    expect(await desk.store.run(() => pauseService("sha256:a", pause(99 * PAUSE_MS_MAX, "RATE_LIMITED")))).toBe(
      START + PAUSE_MS_MAX,
    )
    expect(await desk.store.run(() => take(START - 1))).toEqual({ granted: true })
  })
})

test("only the newest answers are stored, one for each address", async () => {
  await using desk = restDesk("http://127.0.0.1:9")
  const keep = (index: number, body: string) => {
    const rest = { status: 200 as const, etag: null, rawSha256: "sha256:0", retrievedAt: "2026-11-21T10:00:00.000Z" }
    const answer = { sourceUrl: `company/${numbered(index)}`, body: Buffer.from(body), ...rest }
    return desk.store.run(() => keepAnswer(answer, 5))
  }
  for (let index = 0; index < 8; index += 1) await keep(index, "a")
  await keep(6, "b")
  const kept = desk.database.query("SELECT source_url || ' ' || CAST(body AS TEXT) FROM register_answer ORDER BY id")
  expect(kept.values().flat()).toEqual([
    "company/00000005 a",
    "company/00000006 a",
    "company/00000008 a",
    "company/00000007 b",
  ])
})
