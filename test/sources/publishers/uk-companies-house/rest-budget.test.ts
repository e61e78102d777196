import { describe, expect } from "bun:test"
import { MINUTE, SECOND } from "../../../../src/core/time.ts"
import { keepAnswer, purgeAnswers } from "../../../../src/store/sources/register-answers.ts"
import { PAUSE_MS_MAX, pauseService, resumeService, takeRequest } from "../../../../src/store/sources/request-budget.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { companiesHouse, profile, restTestClient, START } from "./rest-test-client.ts"

const test = slowTests(import.meta.path)

/** Answers for any requested company. */
const anyCompany = (request: Request) =>
  Response.json(profile({ company_number: new URL(request.url).pathname.split("/").at(-1) }))

const numbered = (index: number) => String(index + 1).padStart(8, "0")

describe("the budget of requests", () => {
  test("is shared by all stores on one file; when it is spent no request is sent, and the answer names the next time", async () => {
    await using register = companiesHouse(anyCompany)
    await using rest = restTestClient(register.url, { requestsMax: 10 })
    const other = rest.again()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? rest : other).lookUp(numbered(index))),
    )
    expect(answers.filter(({ outcome }) => outcome === "FOUND")).toHaveLength(10)
    expect(register.seen.requests).toBe(10)
    expect(answers.find(({ outcome }) => outcome === "UNKNOWN")).toMatchObject({
      health: "UNAVAILABLE",
      reasonCodes: ["SOURCE_UNAVAILABLE", "REQUEST_BUDGET_SPENT"],
      // Five minutes after the oldest request, plus the time that a request may be under way.
      retryAt: new Date(START + 5 * MINUTE + 10 * SECOND).toISOString(),
    })
  })

  test("is not refilled by a restart, and refills as requests leave the window", async () => {
    await using register = companiesHouse(anyCompany)
    await using rest = restTestClient(register.url, { requestsMax: 3 })
    await rest.lookUp(numbered(1))
    rest.pass(MINUTE)
    await rest.lookUp(numbered(2))
    await rest.lookUp(numbered(3))
    await rest.store.close()
    const restarted = rest.again()
    expect(await restarted.lookUp(numbered(4))).toMatchObject({ outcome: "UNKNOWN" })
    rest.pass(4 * MINUTE + 10 * SECOND)
    expect(await restarted.lookUp(numbered(5))).toMatchObject({ outcome: "FOUND" })
    expect(await restarted.lookUp(numbered(6))).toMatchObject({ outcome: "UNKNOWN" })
    expect(register.seen.requests).toBe(4)
  })

  test("is shared by two processes that ask at once", async () => {
    await using register = companiesHouse(anyCompany)
    await using rest = restTestClient(register.url, { requestsMax: 40 })
    const program = `${import.meta.dir}/asking-process.ts`
    const said = await Promise.all(
      ["1000", "2000"].map(async (from) => {
        const argv = [process.execPath, program, rest.path, register.url, from, "30", "40", String(START)]
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
    expect(register.seen.requests).toBe(40)
  })

  test("counts a request before it is sent: a process that dies in between has counted one request too many", async () => {
    await using register = companiesHouse(anyCompany)
    await using rest = restTestClient(register.url, { requestsMax: 2 })
    // Killed as soon as the request is sent, so nothing after that happens.
    const program = `${import.meta.dir}/asking-process.ts`
    const gate = Promise.withResolvers<void>()
    register.answer(() => {
      gate.resolve()
      return new Promise<Response>(() => {})
    })
    const argv = [process.execPath, program, rest.path, register.url, "1000", "1", "2", String(START)]
    const child = Bun.spawn(argv, { stdout: "ignore", stderr: "inherit" })
    await gate.promise
    child.kill("SIGKILL")
    await child.exited
    register.answer(anyCompany)
    expect(await rest.lookUp(numbered(1))).toMatchObject({ outcome: "FOUND" })
    expect(await rest.lookUp(numbered(2))).toMatchObject({ outcome: "UNKNOWN" })
    expect(register.seen.requests).toBe(2)
  })

  test("is separate for each key", async () => {
    await using rest = restTestClient("http://127.0.0.1:9")
    const take = (keyDigest: string, at = START) =>
      rest.store.run(() => takeRequest({ keyDigest, at, requestsMax: 1, windowSeconds: 310 }))
    expect(await take("sha256:a")).toEqual({ granted: true })
    expect(await take("sha256:a")).toEqual({ granted: false, until: START + 310 * SECOND, reason: null })
    expect(await take("sha256:b")).toEqual({ granted: true })
  })

  test("recovers after a clock that once ran ahead", async () => {
    await using rest = restTestClient("http://127.0.0.1:9")
    const take = (at: number) =>
      rest.store.run(() => takeRequest({ keyDigest: "sha256:a", at, requestsMax: 1, windowSeconds: 310 }))
    await take(START + 1000 * 24 * 60 * MINUTE)
    expect(await take(START)).toEqual({ granted: true })
  })
})

describe("a pause", () => {
  const pause = (untilMs: number, reason: string) => ({ at: START, until: START + untilMs, reason })
  const take = (at: number) => takeRequest({ keyDigest: "sha256:a", at, requestsMax: 9, windowSeconds: 310 })

  test("requested by the service is not shortened by a later failure or ended by an answer still under way", async () => {
    await using rest = restTestClient("http://127.0.0.1:9")
    await rest.store.run(() => pauseService("sha256:a", pause(5 * MINUTE, "RATE_LIMITED")))
    expect(await rest.store.run(() => pauseService("sha256:a", pause(2 * SECOND, "SERVICE_ERROR")))).toBe(
      START + 5 * MINUTE,
    )
    await rest.store.run(() => resumeService("sha256:a", START + 3 * SECOND))
    expect(await rest.store.run(() => take(START + 3 * SECOND))).toEqual({
      granted: false,
      until: START + 5 * MINUTE,
      reason: "RATE_LIMITED",
    })
    expect(await rest.store.run(() => take(START + 5 * MINUTE))).toEqual({ granted: true })
  })

  test("is at most an hour, even if a clock that ran ahead wrote it", async () => {
    await using rest = restTestClient("http://127.0.0.1:9")
    expect(await rest.store.run(() => pauseService("sha256:a", pause(99 * PAUSE_MS_MAX, "RATE_LIMITED")))).toBe(
      START + PAUSE_MS_MAX,
    )
    expect(await rest.store.run(() => take(START - 1))).toEqual({ granted: true })
  })
})

test("only the newest answers are stored, one for each address", async () => {
  await using restClient = restTestClient("http://127.0.0.1:9")
  const keep = (index: number, body: string) => {
    const rest = { status: 200 as const, etag: null, rawSha256: "sha256:0", retrievedAt: "2026-11-21T10:00:00.000Z" }
    const answer = { sourceUrl: `company/${numbered(index)}`, body: Buffer.from(body), ...rest }
    return restClient.store.run(() => keepAnswer(answer))
  }
  for (let index = 0; index < 8; index += 1) await keep(index, "a")
  await keep(6, "b")
  // A number that was given to an answer that is gone.
  restClient.database.run("UPDATE register_answer SET id = 1000 WHERE id = (SELECT max(id) FROM register_answer)")
  expect(await restClient.store.run(() => purgeAnswers(9))).toBe(0)
  expect(await restClient.store.run(() => purgeAnswers(5))).toBe(3)
  expect(await restClient.store.run(() => purgeAnswers(5))).toBe(0)
  const kept = restClient.database.query(
    "SELECT source_url || ' ' || CAST(body AS TEXT) FROM register_answer ORDER BY id",
  )
  expect(kept.values().flat()).toEqual([
    "company/00000004 a",
    "company/00000005 a",
    "company/00000006 a",
    "company/00000008 a",
    "company/00000007 b",
  ])
})
