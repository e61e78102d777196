import { describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { digestBytes } from "../../../../src/core/digest.ts"
import { DAY, HOUR } from "../../../../src/core/time.ts"
import { CERTIFICATE, CERTIFICATE_KEY } from "../../../fixtures/publisher-certificate.ts"
import { companiesHouse, json, NUMBER, profile, restTestClient } from "./rest-test-client.ts"

test("an answer gives the record, the digest of the body as received and the publisher's etag", async () => {
  const body = JSON.stringify(profile())
  await using register = companiesHouse(() => new Response(body, { headers: { "content-type": "application/json" } }))
  await using rest = restTestClient(register.url)
  const answer = await rest.lookUp()
  expect(answer).toMatchObject({
    outcome: "FOUND",
    freshness: "FRESH",
    reasonCodes: [],
    record: { company_number: NUMBER, company_name: "EXAMPLE TRADING LIMITED", company_status: "active" },
    evidence: {
      sourceUrl: `${register.url}/company/${NUMBER}`,
      sourceVersion: "etag:5a3c51b439584d98d420143d6a22996571646302",
      retrievedAt: "2026-11-21T10:00:00.000Z",
      staleAt: "2026-11-28T10:00:00.000Z",
      rawSha256: digestBytes(body),
    },
  })
  expect(register.seen.authorization).toBe(`Basic ${btoa("secret-api-key:")}`)
  expect(register.seen.path).toBe(`/company/${NUMBER}`)
})

test("a gzip body gives the same record and the digest of the unpacked body", async () => {
  const body = JSON.stringify(profile())
  const headers = { "content-type": "application/json", "content-encoding": "gzip" }
  await using register = companiesHouse(() => new Response(gzipSync(body), { headers }))
  await using rest = restTestClient(register.url)
  expect(await rest.lookUp()).toMatchObject({ outcome: "FOUND", evidence: { rawSha256: digestBytes(body) } })
})

describe("an answer is stored", () => {
  test("for a day: the service is not asked again, by this process or the next", async () => {
    await using register = companiesHouse()
    await using rest = restTestClient(register.url)
    const first = await rest.lookUp()
    rest.pass(DAY - 1)
    expect(await rest.lookUp()).toEqual(first)
    expect(await rest.again().lookUp()).toEqual(first)
    expect(register.seen.requests).toBe(1)
    rest.pass(1)
    await rest.lookUp()
    expect(register.seen.requests).toBe(2)
  })

  test("for a week as AGING if the service cannot be reached", async () => {
    await using register = companiesHouse()
    await using rest = restTestClient(register.url)
    await rest.lookUp()
    register.answer(() => new Response("", { status: 503 }))
    rest.pass(7 * DAY - 1)
    const aging = await rest.lookUp()
    expect(aging).toMatchObject({
      outcome: "FOUND",
      freshness: "AGING",
      reasonCodes: ["SOURCE_AGING", "SERVICE_ERROR"],
    })
    rest.pass(1)
    expect(await rest.lookUp()).toMatchObject({ outcome: "UNKNOWN", health: "UNAVAILABLE" })
  })

  test("for no longer time after the clock once ran ahead", async () => {
    await using register = companiesHouse()
    await using rest = restTestClient(register.url)
    rest.pass(400 * DAY)
    await rest.lookUp()
    rest.pass(-400 * DAY)
    register.answer(() => new Response("", { status: 503 }))
    expect(await rest.lookUp()).toMatchObject({
      outcome: "UNKNOWN",
      reasonCodes: ["SOURCE_UNAVAILABLE", "SERVICE_ERROR"],
    })
    expect(register.seen.requests).toBe(2)
  })

  test("for one service only: another address is requested itself", async () => {
    await using sandbox = companiesHouse(json(profile({ company_name: "SANDBOX LIMITED" })))
    await using register = companiesHouse()
    await using rest = restTestClient(sandbox.url)
    await rest.lookUp()
    await using live = restTestClient(register.url)
    expect(await live.lookUp()).toMatchObject({ record: { company_name: "EXAMPLE TRADING LIMITED" } })
  })
})

describe("the absence of a company", () => {
  for (const [name, reply] of [
    ["with the service's own error", json({ errors: [{ error: "company-profile-not-found" }] }, { status: 404 })],
    ["without a body", () => new Response(null, { status: 404 })],
  ] as const) {
    test(`is a fact, ${name}, and is checked again after an hour`, async () => {
      await using register = companiesHouse(reply)
      await using rest = restTestClient(register.url)
      expect(await rest.lookUp()).toMatchObject({ outcome: "NOT_FOUND", record: null, freshness: "FRESH" })
      rest.pass(HOUR - 1)
      expect(await rest.lookUp()).toMatchObject({ outcome: "NOT_FOUND" })
      expect(register.seen.requests).toBe(1)
      rest.pass(1)
      register.answer(json(profile()))
      expect(await rest.lookUp()).toMatchObject({ outcome: "FOUND" })
    })
  }

  test("is never taken from an older answer when the service does not answer", async () => {
    await using register = companiesHouse(() => new Response(null, { status: 404 }))
    await using rest = restTestClient(register.url)
    await rest.lookUp()
    register.answer(() => new Response("", { status: 500 }))
    rest.pass(HOUR)
    expect(await rest.lookUp()).toMatchObject({ outcome: "UNKNOWN" })
  })

  test("is not accepted from a page that is not JSON, such as a proxy's", async () => {
    const headers = { "content-type": "text/html" }
    await using register = companiesHouse(() => new Response("<html>not here</html>", { status: 404, headers }))
    await using rest = restTestClient(register.url)
    expect(await rest.lookUp()).toMatchObject({
      outcome: "UNKNOWN",
      reasonCodes: ["SOURCE_UNAVAILABLE", "ANSWER_NOT_JSON"],
    })
  })
})

test("neither a proxy nor a TLS variable of the environment changes which server gets the key", async () => {
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
    await using register = companiesHouse()
    await using rest = restTestClient(register.url)
    expect([(await rest.lookUp()).outcome, register.seen.requests]).toEqual(["FOUND", 1])
    await using strange = restTestClient(`https://127.0.0.1:${stranger.port}`)
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

test("twenty look-ups of one company at one time send one request", async () => {
  const gate = Promise.withResolvers<void>()
  await using register = companiesHouse(async () => {
    await gate.promise
    return Response.json(profile())
  })
  await using rest = restTestClient(register.url)
  const answers = Promise.all(Array.from({ length: 20 }, () => rest.lookUp()))
  gate.resolve()
  expect(new Set((await answers).map(({ outcome }) => outcome))).toEqual(new Set(["FOUND"]))
  expect(register.seen.requests).toBe(1)
})
