import { describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { digestBytes } from "../../../src/core/digest.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { ANSWER_BYTES_MAX } from "../../../src/sources/uk-companies-house/rest-request.ts"
import { CERTIFICATE, CERTIFICATE_KEY } from "../../fixtures/publisher-certificate.ts"
import { companiesHouse, json, NUMBER, profile, type Reply, restDesk } from "./rest-desk.ts"

const NEVER = () => new Promise<Response>(() => {})

test("an answer is the record, with the digest of the body as it came and the publisher's etag", async () => {
  const body = JSON.stringify(profile())
  await using house = companiesHouse(() => new Response(body, { headers: { "content-type": "application/json" } }))
  await using desk = restDesk(house.url)
  const answer = await desk.lookUp()
  expect(answer).toMatchObject({
    outcome: "FOUND",
    freshness: "FRESH",
    reasonCodes: [],
    record: { company_number: NUMBER, company_name: "EXAMPLE TRADING LIMITED", company_status: "active" },
    evidence: {
      sourceUrl: `${house.url}/company/${NUMBER}`,
      sourceVersion: "etag:5a3c51b439584d98d420143d6a22996571646302",
      retrievedAt: "2026-11-21T10:00:00.000Z",
      staleAt: "2026-11-28T10:00:00.000Z",
      rawSha256: digestBytes(body),
    },
  })
  expect(house.seen.authorization).toBe(`Basic ${btoa("secret-api-key:")}`)
  expect(house.seen.path).toBe(`/company/${NUMBER}`)
})

test("a body sent with gzip is the same record, and its digest is that of the body", async () => {
  const body = JSON.stringify(profile())
  const headers = { "content-type": "application/json", "content-encoding": "gzip" }
  await using house = companiesHouse(() => new Response(gzipSync(body), { headers }))
  await using desk = restDesk(house.url)
  expect(await desk.lookUp()).toMatchObject({ outcome: "FOUND", evidence: { rawSha256: digestBytes(body) } })
})

describe("an answer is kept", () => {
  test("for a day: the service is not asked again, by this process or the next", async () => {
    await using house = companiesHouse()
    await using desk = restDesk(house.url)
    const first = await desk.lookUp()
    desk.pass(DAY - 1)
    expect(await desk.lookUp()).toEqual(first)
    expect(await desk.again().lookUp()).toEqual(first)
    expect(house.seen.asked).toBe(1)
    desk.pass(1)
    await desk.lookUp()
    expect(house.seen.asked).toBe(2)
  })

  test("older than a day it is used as AGING when the service cannot be reached, up to a week", async () => {
    await using house = companiesHouse()
    await using desk = restDesk(house.url)
    await desk.lookUp()
    house.answer(() => new Response("", { status: 503 }))
    desk.pass(7 * DAY - 1)
    const aging = await desk.lookUp()
    expect(aging).toMatchObject({
      outcome: "FOUND",
      freshness: "AGING",
      reasonCodes: ["SOURCE_AGING", "SERVICE_ERROR"],
    })
    desk.pass(1)
    expect(await desk.lookUp()).toMatchObject({ outcome: "UNKNOWN", health: "UNAVAILABLE" })
  })

  test("never for longer because the clock once ran ahead", async () => {
    await using house = companiesHouse()
    await using desk = restDesk(house.url)
    desk.pass(400 * DAY)
    await desk.lookUp()
    desk.pass(-400 * DAY)
    house.answer(() => new Response("", { status: 503 }))
    expect(await desk.lookUp()).toMatchObject({
      outcome: "UNKNOWN",
      reasonCodes: ["SOURCE_UNAVAILABLE", "SERVICE_ERROR"],
    })
    expect(house.seen.asked).toBe(2)
  })

  test("of one service only: another address is asked itself", async () => {
    await using sandbox = companiesHouse(json(profile({ company_name: "SANDBOX LIMITED" })))
    await using house = companiesHouse()
    await using desk = restDesk(sandbox.url)
    await desk.lookUp()
    await using live = restDesk(house.url)
    expect(await live.lookUp()).toMatchObject({ record: { company_name: "EXAMPLE TRADING LIMITED" } })
  })
})

describe("that there is no such company", () => {
  for (const [name, reply] of [
    ["with the service's own error", json({ errors: [{ error: "company-profile-not-found" }] }, { status: 404 })],
    ["without a body", () => new Response(null, { status: 404 })],
  ] as const) {
    test(`is a fact, ${name}, and is asked again after an hour`, async () => {
      await using house = companiesHouse(reply)
      await using desk = restDesk(house.url)
      expect(await desk.lookUp()).toMatchObject({ outcome: "NOT_FOUND", record: null, freshness: "FRESH" })
      desk.pass(HOUR - 1)
      expect(await desk.lookUp()).toMatchObject({ outcome: "NOT_FOUND" })
      expect(house.seen.asked).toBe(1)
      desk.pass(1)
      house.answer(json(profile()))
      expect(await desk.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("is not said from an older answer when the service is silent", async () => {
    await using house = companiesHouse(() => new Response(null, { status: 404 }))
    await using desk = restDesk(house.url)
    await desk.lookUp()
    house.answer(() => new Response("", { status: 500 }))
    desk.pass(HOUR)
    expect(await desk.lookUp()).toMatchObject({ outcome: "UNKNOWN" })
  })

  test("is not believed of a page that is no JSON, such as a proxy's", async () => {
    const headers = { "content-type": "text/html" }
    await using house = companiesHouse(() => new Response("<html>not here</html>", { status: 404, headers }))
    await using desk = restDesk(house.url)
    expect(await desk.lookUp()).toMatchObject({
      outcome: "UNKNOWN",
      reasonCodes: ["SOURCE_UNAVAILABLE", "ANSWER_NOT_JSON"],
    })
  })
})

describe("a service that gives no answer is UNAVAILABLE and says why", () => {
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
    test(`${name}: ${reason}, and it is left alone until the pause is over`, async () => {
      await using house = companiesHouse(reply)
      await using desk = restDesk(house.url)
      const retryAt = new Date(desk.clock.now + pauseMs).toISOString()
      const silence = {
        outcome: "UNKNOWN",
        health: "UNAVAILABLE",
        reasonCodes: ["SOURCE_UNAVAILABLE", reason],
        retryAt,
        evidence: null,
      }
      expect(await desk.lookUp()).toEqual(silence as never)
      house.answer(json(profile()))
      desk.pass(pauseMs - 1)
      expect(await desk.lookUp()).toEqual(silence as never)
      expect(await desk.again().lookUp("00006401")).toEqual(silence as never)
      expect(house.seen.asked).toBe(1)
      desk.pass(1)
      expect(await desk.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("an answer that takes too long is TIMED_OUT", async () => {
    await using house = companiesHouse(NEVER)
    await using desk = restDesk(house.url, { timeoutMs: 30 })
    expect(await desk.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"] })
  })

  test("a body that stops half way is TIMED_OUT as well: the time counts to its last byte", async () => {
    const drip = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"company_')) }), {
        headers: { "content-type": "application/json" },
      })
    await using house = companiesHouse(drip)
    await using desk = restDesk(house.url, { timeoutMs: 60 })
    expect(await desk.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"] })
  })

  test("a connection that ends before the body does is no answer, and no break of its form", async () => {
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
      await using desk = restDesk(`http://127.0.0.1:${server.port}`)
      const answer = await desk.lookUp()
      expect(answer).toMatchObject({ outcome: "UNKNOWN", health: "UNAVAILABLE", evidence: null })
    } finally {
      server.stop(true)
    }
  })

  test("nobody listening is CONNECTION_FAILED", async () => {
    const house = companiesHouse()
    await house.stop()
    await using desk = restDesk(house.url)
    expect(await desk.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "CONNECTION_FAILED"] })
  })

  test("the pause doubles with each failure in a row, and one answer ends the row", async () => {
    await using house = companiesHouse(() => new Response("", { status: 500 }))
    await using desk = restDesk(house.url)
    const pauses: number[] = []
    for (let failure = 0; failure < 10; failure += 1) {
      const answer = await desk.lookUp()
      const until = answer.outcome === "UNKNOWN" ? Date.parse(answer.retryAt ?? "") : 0
      pauses.push((until - desk.clock.now) / SECOND)
      desk.clock.now = until
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    house.answer(json(profile()))
    await desk.lookUp()
    house.answer(() => new Response("", { status: 500 }))
    desk.pass(DAY)
    await desk.lookUp()
    expect(await desk.lookUp("00006401")).toMatchObject({
      retryAt: new Date(desk.clock.now + 2 * SECOND).toISOString(),
    })
  })

  test("neither key nor company is in the log", async () => {
    await using house = companiesHouse(() => new Response("", { status: 401 }))
    await using desk = restDesk(house.url)
    await desk.lookUp()
    expect(desk.lines).toHaveLength(1)
    expect(desk.lines[0]).toContain("KEY_REFUSED")
    expect(desk.lines[0]).not.toContain("secret-api-key")
    expect(desk.lines[0]).not.toContain(NUMBER)
  })
})

describe("an answer in another form is a SCHEMA_BREAK, never an empty record", () => {
  const rows: readonly (readonly [name: string, body: unknown, reason: string])[] = [
    ["company_status is gone", profile({ company_status: undefined }), "ANSWER_MEMBER_INVALID"],
    ["company_name is gone", profile({ company_name: undefined }), "ANSWER_MEMBER_INVALID"],
    ["company_number is gone", profile({ company_number: undefined }), "ANSWER_MEMBER_INVALID"],
    ["type is gone", profile({ type: undefined }), "ANSWER_MEMBER_INVALID"],
    ["a flag is a text", profile({ accounts: { overdue: "no" } }), "ANSWER_MEMBER_INVALID"],
    ["a date is another one", profile({ date_of_cessation: "04/03/2015" }), "ANSWER_MEMBER_INVALID"],
    ["previous names are no list", profile({ previous_company_names: {} }), "ANSWER_MEMBER_INVALID"],
    ["it is about another company", profile({ company_number: "00006401" }), "ANSWER_FOR_ANOTHER_COMPANY"],
    ["it is a list", [profile()], "ANSWER_MEMBER_INVALID"],
  ]
  for (const [name, body, reason] of rows) {
    test(`${name}: ${reason}`, async () => {
      await using house = companiesHouse(json(body))
      await using desk = restDesk(house.url)
      const broken = await desk.lookUp()
      expect(broken).toMatchObject({
        outcome: "UNKNOWN",
        health: "SCHEMA_BREAK",
        reasonCodes: ["SOURCE_SCHEMA_BREAK", reason],
        evidence: { rawSha256: digestBytes(JSON.stringify(body)) },
      })
      // Asked again soon, but not by every request.
      expect(await desk.lookUp()).toEqual(broken)
      expect(house.seen.asked).toBe(1)
      desk.pass(5 * MINUTE)
      house.answer(json(profile()))
      expect(await desk.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("JSON that two readers could understand differently is one too", async () => {
    const twice = JSON.stringify(profile()).replace("{", '{"company_status":"dissolved",')
    const headers = { "content-type": "application/json" }
    await using house = companiesHouse(() => new Response(twice, { headers }))
    await using desk = restDesk(house.url)
    expect(await desk.lookUp()).toMatchObject({
      health: "SCHEMA_BREAK",
      reasonCodes: ["SOURCE_SCHEMA_BREAK", "ANSWER_NOT_JSON"],
    })
  })

  test("members nobody has read yet are no break", async () => {
    await using house = companiesHouse(
      json(profile({ a_new_member: { of: ["any", "kind"] }, company_status: "novel" })),
    )
    await using desk = restDesk(house.url)
    expect(await desk.lookUp()).toMatchObject({ outcome: "FOUND", record: { company_status: "novel" } })
  })
})

test("neither a proxy nor a careless variable of the environment changes who is given the key", async () => {
  let proxied = 0
  await using proxy = companiesHouse(() => {
    proxied += 1
    return Response.json(profile())
  })
  const stranger = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: CERTIFICATE_KEY, cert: CERTIFICATE },
    fetch: () => Response.json(profile()),
  })
  const given = {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    http_proxy: proxy.url,
  }
  const before = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]))
  Object.assign(process.env, given)
  try {
    await using house = companiesHouse()
    await using desk = restDesk(house.url)
    expect([(await desk.lookUp()).outcome, house.seen.asked]).toEqual(["FOUND", 1])
    await using strange = restDesk(`https://127.0.0.1:${stranger.port}`)
    expect(await strange.lookUp()).toMatchObject({ reasonCodes: ["SOURCE_UNAVAILABLE", "CONNECTION_FAILED"] })
    expect(proxied).toBe(0)
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    await stranger.stop(true)
  }
})

test("twenty questions about one company at one time are one request", async () => {
  const gate = Promise.withResolvers<void>()
  await using house = companiesHouse(async () => {
    await gate.promise
    return Response.json(profile())
  })
  await using desk = restDesk(house.url)
  const answers = Promise.all(Array.from({ length: 20 }, () => desk.lookUp()))
  gate.resolve()
  expect(new Set((await answers).map(({ outcome }) => outcome))).toEqual(new Set(["FOUND"]))
  expect(house.seen.asked).toBe(1)
})
