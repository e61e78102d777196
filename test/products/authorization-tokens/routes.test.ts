import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import * as operations from "../../../schemas/authorization-token.ts"
import { RedemptionAnswer, TokenRevocationAnswer, TokenStatusAnswer } from "../../../schemas/authorization-token.ts"
import { dropHolds, takeHolds } from "../../../src/store/sales/holds.ts"
import type { TokenCountry, TokenKind } from "../../../src/store/tokens/authorization-tokens.ts"
import { type HeldToken, redeemBody, revokeBody, tokenPath } from "../../fixtures/held-tokens.ts"
import { expectProblem } from "../../fixtures/problems.ts"
import { END, openTestServer, START } from "./test-server.ts"

let server: Awaited<ReturnType<typeof openTestServer>>
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const ALL: readonly (readonly [TokenCountry, TokenKind])[] = [
  ["GB", "PAYMENT"],
  ["GB", "VENDOR_CHANGE"],
  ["US", "PAYMENT"],
  ["US", "VENDOR_CHANGE"],
]
let issuedSoFar = 0
const issue = (country: TokenCountry = "GB", kind: TokenKind = "PAYMENT") =>
  server.issue(`t${issuedSoFar++}`, { country, kind })

/** The response's bytes and value, after checking that it is complete, private and of its closed schema. */
async function told(answer: Response, schema: TSchema): Promise<{ text: string; value: Record<string, unknown> }> {
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, expect.any(String)])
  expect(answer.headers.get("cache-control")).toBe("private, no-store")
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
  const value = JSON.parse(text)
  expect([...Value.Errors(schema, value)]).toEqual([])
  return { text, value }
}

describe.each(ALL)("a %s token of kind %s", (country, kind) => {
  test("is redeemed once, and the same request gets the same bytes marked as a repeat, also after the token's end", async () => {
    const held = await issue(country, kind)
    const first = await told(await server.redeem(held), RedemptionAnswer)
    expect(first.value).toMatchObject({
      token_state: "SPENT",
      kind,
      product: held.product,
      redeemed_at: "2026-11-21T10:00:00.000Z",
      expires_at: held.expiresAt,
      replayed: false,
    })
    server.machine.set(END + 1)
    const again = await told(await server.redeem(held), RedemptionAnswer)
    server.machine.set(START)
    expect(again.text).toBe(first.text.replace('"replayed":false', '"replayed":true'))
    await expectProblem(await server.redeem(held, { idempotency_key: "redeem-0002" }), 409, "TOKEN_SPENT")
  })

  test("is refused for every bound value that differs, which the refusal names, and stays unspent", async () => {
    const held = await issue(country, kind)
    for (const [name, value] of Object.entries(held.binding)) {
      const binding = { ...held.binding, [name]: other(name, value) }
      const { errors } = await expectProblem(await server.redeem(held, { binding }), 409, "TOKEN_BINDING_MISMATCH")
      expect(errors).toEqual([{ pointer: `/binding/${name}`, code: "DIFFERS", expected: expect.any(String) }])
    }
    expect((await told(await server.status(held), TokenStatusAnswer)).value).toMatchObject({ token_state: "ISSUED" })
    expect((await server.redeem(held)).status).toBe(200)
  })

  test("stays unspent if the key has U+0000, which no engine stores", async () => {
    const held = await issue(country, kind)
    const { detail } = await expectProblem(
      await server.redeem(held, { idempotency_key: "redeem-\u0000" }),
      422,
      "SCHEMA_INVALID",
    )
    expect(detail).toContain("U+0000")
    expect((await server.redeem(held)).status).toBe(200)
  })

  test("is refused as the other kind, and the refusal names every value that one of them lacks", async () => {
    const [held, one] = [
      await issue(country, kind),
      await issue(country, kind === "PAYMENT" ? "VENDOR_CHANGE" : "PAYMENT"),
    ]
    const { errors } = await expectProblem(
      await server.redeem(held, { binding: one.binding }),
      409,
      "TOKEN_BINDING_MISMATCH",
    )
    const names = ["amount", "currency", "current_payee_fingerprint", "payee_fingerprint", "proposed_payee_fingerprint"]
    expect(errors.map(({ pointer }) => pointer)).toEqual(names.map((name) => `/binding/${name}`))
  })

  test("is unknown in the other country", async () => {
    const held = await issue(country, kind)
    const there = await issue(country === "GB" ? "US" : "GB", kind)
    const abroad: HeldToken = { ...held, country: there.country, binding: there.binding }
    for (const answer of [await server.redeem(abroad), await server.revoke(abroad), await server.status(abroad)]) {
      await expectProblem(answer, 404, "TOKEN_UNKNOWN")
    }
    expect((await server.redeem(held)).status).toBe(200)
  })

  test(
    kind === "PAYMENT" ? "cannot be revoked" : "is revoked once, and a repeated request gets the same response",
    async () => {
      const held = await issue(country, kind)
      if (kind === "PAYMENT") {
        await expectProblem(await server.revoke(held), 409, "TOKEN_NOT_REVOCABLE")
        return
      }
      const first = await told(await server.revoke(held), TokenRevocationAnswer)
      expect(first.value).toMatchObject({ token_state: "REVOKED", reason: "CHANGE_WITHDRAWN", replayed: false })
      for (const changes of [{}, { idempotency_key: "revoke-0002", reason: "FRAUD_SUSPECTED" }]) {
        const again = await told(await server.revoke(held, changes), TokenRevocationAnswer)
        expect(again.text).toBe(first.text.replace('"replayed":false', '"replayed":true'))
      }
      await expectProblem(await server.revoke(held, { reason: "UNSPECIFIED" }), 409, "IDEMPOTENCY_KEY_REUSED")
      await expectProblem(await server.redeem(held), 409, "TOKEN_REVOKED")
    },
  )

  test("ends at its instant, and stays ended when the clock is set back", async () => {
    const held = await issue(country, kind)
    server.machine.set(END)
    await expectProblem(await server.redeem(held), 409, "TOKEN_EXPIRED")
    server.machine.set(END - 1)
    await expectProblem(await server.redeem(held), 409, "TOKEN_EXPIRED")
    expect((await told(await server.status(held), TokenStatusAnswer)).value).toMatchObject({ token_state: "EXPIRED" })
    const last = await issue(country, kind)
    expect((await told(await server.redeem(last), RedemptionAnswer)).value["redeemed_at"]).toBe(
      "2026-11-21T10:59:59.999Z",
    )
    server.machine.set(START)
  })

  test("reports its state at any time", async () => {
    const held = await issue(country, kind)
    const state = async () => (await told(await server.status(held), TokenStatusAnswer)).value
    const end = { single_use: true, revocable: kind === "VENDOR_CHANGE", in_use: false, revoked_at: null }
    expect(await state()).toMatchObject({
      ...end,
      token_state: "ISSUED",
      issued_at: held.issuedAt,
      spent_at: null,
      valid_as_of: "2026-11-21T10:00:00.000Z",
      next_machine_action: "REDEEM_BEFORE_EXPIRY",
    })
    await server.redeem(held)
    expect(await state()).toMatchObject({
      ...end,
      token_state: "SPENT",
      spent_at: "2026-11-21T10:00:00.000Z",
      next_machine_action: "STOP_USING",
    })
  })
})

/** Another value of the same shape. */
function other(name: string, value: string | null): string {
  const others: Readonly<Record<string, string>> = {
    company_number: "SC234567",
    supplier_key: "uei:ABCDEFGHJKL1",
    amount: "1250.000001",
    currency: "USD",
    wallet: `0x${"f".repeat(40)}`,
  }
  return others[name] ?? (value ?? "").replace(/.$/, (last) => (last === "0" ? "1" : "0"))
}

test("the first destination of a supplier is bound as null, and matches null only", async () => {
  const held = await server.issue("first", {
    country: "US",
    kind: "VENDOR_CHANGE",
    binding: { current_payee_fingerprint: null },
  })
  const named = { ...held.binding, current_payee_fingerprint: held.binding["proposed_payee_fingerprint"] }
  const { current_payee_fingerprint: _, ...silent } = held.binding
  for (const binding of [named, silent]) {
    await expectProblem(await server.redeem(held, { binding }), 409, "TOKEN_BINDING_MISMATCH")
  }
  expect((await server.redeem(held)).status).toBe(200)
})

test("a token is in use while a Payment Decision counts on its change: redeem and revoke must be retried later", async () => {
  const held = await issue("US", "VENDOR_CHANGE")
  const hold = { kind: "CHANGE_AUTHORIZATION", value: held.evidenceReference } as const
  await server.store.run(() => takeHolds("org", held.requestId, [hold]))
  for (const answer of [await server.redeem(held), await server.revoke(held)]) {
    expect(answer.headers.get("retry-after")).toBe("5")
    expect(await expectProblem(answer, 409, "DECISION_IN_PROGRESS")).toMatchObject({ retryable: true })
  }
  expect((await told(await server.status(held), TokenStatusAnswer)).value).toMatchObject({
    token_state: "ISSUED",
    in_use: true,
    next_machine_action: "RETRY_LATER",
  })
  await server.store.run(() => dropHolds(held.requestId))
  expect((await server.redeem(held)).status).toBe(200)
})

test("an amount is compared as a number and a wallet as an address, in any spelling", async () => {
  const held = await server.issue("written", { binding: { amount: "1250.50" } })
  const binding = { ...held.binding, amount: "1250.500000", wallet: String(held.binding["wallet"]).replace("aa", "AA") }
  expect((await server.redeem(held, { binding })).status).toBe(200)
  // A repeat means the same body, not the same meaning.
  await expectProblem(await server.redeem(held), 409, "IDEMPOTENCY_KEY_REUSED")
})

test("an idempotency key that was used for another token is rejected", async () => {
  const [one, two] = [await issue(), await issue()]
  expect((await server.redeem(one)).status).toBe(200)
  expect(((await (await server.redeem(two)).json()) as { replayed: boolean }).replayed).toBe(false)
})

test.each([
  ["an invalid token", { token: "svc_at_short" }, "/token"],
  ["a key of seven characters", { idempotency_key: "1234567" }, "/idempotency_key"],
  ["a key of 121 characters", { idempotency_key: "k".repeat(121) }, "/idempotency_key"],
  ["no binding", { binding: undefined }, "/binding"],
  ["a binding with an unknown member", { binding: { iban: "x" } }, "/binding/iban"],
  ["a binding without its wallet", { binding: { company_number: "01234567" } }, "/binding/wallet"],
  ["an invalid amount", { binding: { company_number: "01234567", amount: "1,5" } }, "/binding/amount"],
  ["an unknown member", { purpose: "x" }, "/purpose"],
])("%s fails the schema", async (_name, changes, pointer) => {
  const held = await issue()
  const { errors } = await expectProblem(await server.redeem(held, changes), 422, "SCHEMA_INVALID")
  expect(errors.map((error) => error.pointer)).toContain(pointer)
})

test("a reason other than the five fails the schema", async () => {
  const held = await issue("GB", "VENDOR_CHANGE")
  await expectProblem(await server.revoke(held, { reason: "account 12345678" }), 422, "SCHEMA_INVALID")
})

test("all six routes together answer sixty requests a minute", async () => {
  await using limited = await openTestServer("limited")
  const held = await limited.issue("limited")
  const bodies = [
    [tokenPath(held, "redeem"), redeemBody(held)],
    [tokenPath({ ...held, country: "US" }, "revoke"), revokeBody(held)],
    [tokenPath(held, "status"), {}],
  ] as const
  const statuses: number[] = []
  for (let i = 0; i < 61; i++) {
    const [path, body] = bodies[i % 3] ?? bodies[0]
    statuses.push((await limited.post(path, body)).status)
  }
  expect(statuses.slice(0, 60)).not.toContain(429)
  expect(statuses[60]).toBe(429)
})

test("the routes of both countries have the same descriptions and limits", () => {
  const rows = Object.values<unknown>(operations).filter(
    (row): row is typeof operations.redeemGbToken => typeof row === "object" && row !== null && "rateLimit" in row,
  )
  expect(rows.length).toBe(6)
  const text = (country: string) =>
    rows.filter(({ path }) => path.includes(`/${country}/`)).map(({ id, path, summary }) => [id, path, summary])
  expect(JSON.stringify(text("us"))).toBe(
    JSON.stringify(text("gb")).replaceAll("/gb/", "/us/").replaceAll("_gb_", "_us_"),
  )
  for (const { rateLimit, cors, price } of rows) {
    expect([rateLimit, cors, price]).toEqual([{ group: "redeem", perMinute: 60 }, "NONE", null])
  }
})
