import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { digestBytes } from "../../../../src/core/digest.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { ANSWER_BYTES_MAX } from "../../../../src/sources/publishers/uk-companies-house/rest-request.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { companiesHouse, json, NUMBER, profile, type Reply, restTestClient } from "./rest-test-client.ts"

const test = slowTests(import.meta.path)

const NEVER = () => new Promise<Response>(() => {})

describe("a service without a valid answer is UNAVAILABLE with a reason", () => {
  const rows: readonly (readonly [name: string, reply: Reply, reason: string, pauseMs: number])[] = [
    ["401", () => new Response("", { status: 401 }), "KEY_REFUSED", 5 * MINUTE],
    ["403", () => new Response("", { status: 403 }), "KEY_REFUSED", 5 * MINUTE],
    ["429", () => new Response("", { status: 429 }), "RATE_LIMITED", 5 * MINUTE],
    [
      "429 with Retry-After",
      () => new Response("", { status: 429, headers: { "retry-after": "120" } }),
      "RATE_LIMITED",
      2 * MINUTE,
    ],
    [
      "429 with the time its window ends",
      () => new Response("", { status: 429, headers: { "x-ratelimit-reset": "1795255380" } }),
      "RATE_LIMITED",
      3 * MINUTE,
    ],
    [
      "429 with an absurd Retry-After",
      () => new Response("", { status: 429, headers: { "retry-after": "999999999" } }),
      "RATE_LIMITED",
      HOUR,
    ],
    ["500", () => new Response("", { status: 500 }), "SERVICE_ERROR", 2 * SECOND],
    ["418", () => new Response("", { status: 418 }), "ANSWER_UNEXPECTED", 2 * SECOND],
    [
      "a redirect",
      () => new Response("", { status: 302, headers: { location: "https://elsewhere.example/" } }),
      "REDIRECTED",
      2 * SECOND,
    ],
    [
      "a page of HTML with 200",
      () => new Response("<html></html>", { headers: { "content-type": "text/html" } }),
      "ANSWER_NOT_JSON",
      2 * SECOND,
    ],
    [
      "HTML that calls itself JSON",
      () => new Response("<html></html>", { headers: { "content-type": "application/json" } }),
      "ANSWER_NOT_JSON",
      2 * SECOND,
    ],
    [
      "more bytes than the limit",
      () => Response.json({ ...profile(), padding: "x".repeat(ANSWER_BYTES_MAX) }),
      "ANSWER_TOO_LARGE",
      2 * SECOND,
    ],
    [
      "few bytes that unpack to more than the limit",
      () =>
        new Response(gzipSync(JSON.stringify({ ...profile(), padding: "x".repeat(ANSWER_BYTES_MAX) })), {
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
        }),
      "ANSWER_TOO_LARGE",
      2 * SECOND,
    ],
    [
      "gzip that is cut",
      () =>
        new Response(gzipSync(JSON.stringify(profile())).subarray(0, 40), {
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
        }),
      "ANSWER_UNEXPECTED",
      2 * SECOND,
    ],
  ]
  for (const [name, reply, reason, pauseMs] of rows) {
    test(`${name}: ${reason}, and no request is sent until the pause is over`, async () => {
      await using register = companiesHouse(reply)
      await using rest = restTestClient(register.url)
      const retryAt = new Date(rest.clock.now + pauseMs).toISOString()
      const silence = {
        outcome: "UNKNOWN",
        health: "UNAVAILABLE",
        reasonCodes: ["SOURCE_UNAVAILABLE", reason],
        retryAt,
        evidence: null,
      }
      expect(await rest.lookUp()).toEqual(silence as never)
      register.answer(json(profile()))
      rest.pass(pauseMs - 1)
      expect(await rest.lookUp()).toEqual(silence as never)
      expect(await rest.again().lookUp("00006401")).toEqual(silence as never)
      expect(register.seen.requests).toBe(1)
      rest.pass(1)
      expect(await rest.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("an answer that takes too long is TIMED_OUT", async () => {
    await using register = companiesHouse(NEVER)
    await using rest = restTestClient(register.url, { timeoutMs: 30 })
    expect(await rest.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"] })
  })

  test("a body that stops half way is TIMED_OUT, because the time counts to its last byte", async () => {
    const drip = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"company_')) }), {
        headers: { "content-type": "application/json" },
      })
    await using register = companiesHouse(drip)
    await using rest = restTestClient(register.url, { timeoutMs: 60 })
    expect(await rest.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"] })
  })

  test("a connection that ends before the body is UNAVAILABLE and not a SCHEMA_BREAK", async () => {
    const whole = JSON.stringify(profile())
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\n\r\n`
          socket.end(head + whole.slice(0, 200))
        },
      },
    })
    try {
      await using rest = restTestClient(`http://127.0.0.1:${server.port}`)
      const answer = await rest.lookUp()
      expect(answer).toMatchObject({ outcome: "UNKNOWN", health: "UNAVAILABLE", evidence: null })
    } finally {
      server.stop(true)
    }
  })

  test("a closed port is CONNECTION_FAILED", async () => {
    const register = companiesHouse()
    await register.stop()
    await using rest = restTestClient(register.url)
    expect(await rest.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "CONNECTION_FAILED"] })
  })

  test("an error before anything is sent is thrown as a bug and not reported as a network failure", async () => {
    await using rest = restTestClient("no address at all")
    await expect(rest.lookUp()).rejects.toThrow(TypeError)
    expect(rest.lines).toEqual([])
  })

  test("a reply that is not HTTP, and a connection closed without a reply, are CONNECTION_FAILED", async () => {
    for (const answer of ["no HTTP at all\r\n\r\n", ""]) {
      const server = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data: (socket) => void socket.end(answer) },
      })
      try {
        await using rest = restTestClient(`http://127.0.0.1:${server.port}`)
        expect(await rest.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "CONNECTION_FAILED"] })
      } finally {
        server.stop(true)
      }
    }
  })

  test("the pause doubles with each consecutive failure, and one answer resets it", async () => {
    await using register = companiesHouse(() => new Response("", { status: 500 }))
    await using rest = restTestClient(register.url)
    const pauses: number[] = []
    for (let failure = 0; failure < 10; failure += 1) {
      const answer = await rest.lookUp()
      const until = answer.outcome === "UNKNOWN" ? Date.parse(answer.retryAt ?? "") : 0
      pauses.push((until - rest.clock.now) / SECOND)
      rest.clock.now = until
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    register.answer(json(profile()))
    await rest.lookUp()
    register.answer(() => new Response("", { status: 500 }))
    rest.pass(DAY)
    await rest.lookUp()
    expect(await rest.lookUp("00006401")).toMatchObject({
      retryAt: new Date(rest.clock.now + 2 * SECOND).toISOString(),
    })
  })

  test("the log contains neither the key nor the company", async () => {
    await using register = companiesHouse(() => new Response("", { status: 401 }))
    await using rest = restTestClient(register.url)
    await rest.lookUp()
    expect(rest.lines).toHaveLength(1)
    expect(rest.lines[0]).toContain("KEY_REFUSED")
    expect(rest.lines[0]).not.toContain("secret-api-key")
    expect(rest.lines[0]).not.toContain(NUMBER)
  })
})

describe("an answer in another form is a SCHEMA_BREAK, never an empty record", () => {
  const rows: readonly (readonly [name: string, body: unknown, reason: string])[] = [
    ["company_status is missing", profile({ company_status: undefined }), "ANSWER_MEMBER_INVALID"],
    ["company_name is missing", profile({ company_name: undefined }), "ANSWER_MEMBER_INVALID"],
    ["company_number is missing", profile({ company_number: undefined }), "ANSWER_MEMBER_INVALID"],
    ["type is missing", profile({ type: undefined }), "ANSWER_MEMBER_INVALID"],
    ["a flag is a text", profile({ accounts: { overdue: "no" } }), "ANSWER_MEMBER_INVALID"],
    ["a date has another form", profile({ date_of_cessation: "04/03/2015" }), "ANSWER_MEMBER_INVALID"],
    ["previous names are not a list", profile({ previous_company_names: {} }), "ANSWER_MEMBER_INVALID"],
    ["it is about another company", profile({ company_number: "00006401" }), "ANSWER_FOR_ANOTHER_COMPANY"],
    ["it is a list", [profile()], "ANSWER_MEMBER_INVALID"],
  ]
  for (const [name, body, reason] of rows) {
    test(`${name}: ${reason}`, async () => {
      await using register = companiesHouse(json(body))
      await using rest = restTestClient(register.url)
      const broken = await rest.lookUp()
      expect(broken).toMatchObject({
        outcome: "UNKNOWN",
        health: "SCHEMA_BREAK",
        reasonCodes: ["SOURCE_SCHEMA_BREAK", reason],
        evidence: { rawSha256: digestBytes(JSON.stringify(body)) },
      })
      // The service is asked again soon, but not at every look-up.
      expect(await rest.lookUp()).toEqual(broken)
      expect(register.seen.requests).toBe(1)
      rest.pass(5 * MINUTE)
      register.answer(json(profile()))
      expect(await rest.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("JSON that two readers could understand differently is a SCHEMA_BREAK", async () => {
    const twice = JSON.stringify(profile()).replace("{", '{"company_status":"dissolved",')
    const headers = { "content-type": "application/json" }
    await using register = companiesHouse(() => new Response(twice, { headers }))
    await using rest = restTestClient(register.url)
    expect(await rest.lookUp()).toMatchObject({
      health: "SCHEMA_BREAK",
      reasonCodes: ["SOURCE_SCHEMA_BREAK", "ANSWER_NOT_JSON"],
    })
  })

  test("unknown members are not a break", async () => {
    await using register = companiesHouse(
      json(profile({ a_new_member: { of: ["any", "kind"] }, company_status: "novel" })),
    )
    await using rest = restTestClient(register.url)
    expect(await rest.lookUp()).toMatchObject({ outcome: "FOUND", record: { company_status: "novel" } })
  })
})
