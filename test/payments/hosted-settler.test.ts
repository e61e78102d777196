import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { checkAuthorization } from "../../src/payments/authorization.ts"
import { openHostedSettler } from "../../src/payments/hosted-settler.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const NOW = 1_795_000_000
const terms = sampleTerms()
const payment = await signPayment(DEV_ACCOUNTS.payer, terms, NOW)
const checked = checkAuthorization(payment, terms, null)
if (!checked.ok) throw new Error(checked.reason)
const { authorization } = checked

let answer: () => Response | Promise<Response> = () => Response.json({})
let received: { path: string; headers: Headers; body: unknown }[] = []
const facilitator = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    received.push({ path: new URL(request.url).pathname, headers: request.headers, body: await request.json() })
    return answer()
  },
})
const url = `http://127.0.0.1:${facilitator.port}/x402/`
const settler = openHostedSettler({ url, timeoutMs: 5_000, bearerToken: "token" })
const settle = () => settler.settle(authorization, terms)
beforeEach(() => {
  received = []
})
afterAll(() => facilitator.stop(true))

const TX = `0x${"Ab".repeat(32)}`
const settled = { success: true, transaction: TX, network: "eip155:8453", payer: DEV_ACCOUNTS.payer.address }

describe("openHostedSettler", () => {
  test("posts the official x402 objects once", async () => {
    answer = () => Response.json(settled)
    expect(await settle()).toEqual({ kind: "claims_settled", txHash: `0x${"ab".repeat(32)}` })
    expect(received).toHaveLength(1)
    expect(received[0]?.path).toBe("/x402/settle")
    expect(received[0]?.headers.get("authorization")).toBe("Bearer token")
    expect(received[0]?.body).toEqual({ x402Version: 2, paymentPayload: payment, paymentRequirements: terms })
  })

  test("treats a claimed failure as a hint with the hash it contains", async () => {
    answer = () => Response.json({ ...settled, success: false, errorReason: "settlement_pending" }, { status: 402 })
    expect(await settle()).toEqual({
      kind: "claims_failed",
      txHash: `0x${"ab".repeat(32)}`,
      reason: "settlement_pending",
    })
  })

  test.each([
    [429, "30", { retryAfterMs: 30_000 }],
    [503, "0", { retryAfterMs: 0 }],
    [503, null, {}],
    [429, "Wed, 21 Oct 2026 07:28:00 GMT", {}],
    [429, "-5", {}],
  ])("treats %i with Retry-After %s as no answer, whatever its body says", async (status, header, told) => {
    answer = () => Response.json(settled, { status, headers: header === null ? {} : { "retry-after": header } })
    expect(await settle()).toEqual({ kind: "no_answer", reason: "busy", ...told })
  })

  test("does not pass on an invalid hash or a reason that is not a token", async () => {
    answer = () =>
      Response.json({ success: false, transaction: "<b>", network: "eip155:8453", errorReason: "call +1 555 <script>" })
    expect(await settle()).toEqual({ kind: "claims_failed", txHash: null, reason: "other" })
    answer = () => Response.json({ success: true, transaction: "", network: "eip155:8453" })
    expect(await settle()).toEqual({ kind: "claims_settled", txHash: null })
  })

  test.each<[name: string, answer: () => Response | Promise<Response>, reason: string]>([
    ["no JSON", () => new Response("<html>bad gateway", { status: 502 }), "unreadable"],
    ["another shape", () => Response.json({ success: "yes" }), "unreadable"],
    ["an endless body", () => new Response("x".repeat(70_000)), "too_large"],
    ["a redirect, also to itself,", () => Response.redirect(`${url}settle`, 307), "unreachable"],
  ])("treats %s as no answer", async (_, given, reason) => {
    answer = given
    expect(await settle()).toEqual({ kind: "no_answer", reason } as never)
    expect(received).toHaveLength(1)
  })

  test("treats a facilitator that accepts the request and does not respond as no answer", async () => {
    const silence = Promise.withResolvers<Response>()
    answer = () => silence.promise
    const impatient = openHostedSettler({ url, timeoutMs: 100 })
    expect(await impatient.settle(authorization, terms)).toEqual({ kind: "no_answer", reason: "unreachable" })
    silence.resolve(Response.json(settled))
  })

  test("treats an unreachable facilitator as no answer", async () => {
    const closed = openHostedSettler({ url: "http://127.0.0.1:1", timeoutMs: 200 })
    expect(await closed.settle(authorization, terms)).toEqual({ kind: "no_answer", reason: "unreachable" })
  })

  test("never sends an authorization over an unencrypted connection that leaves the machine", () => {
    expect(() => openHostedSettler({ url: "http://facilitator.example", timeoutMs: 1 })).toThrow(TypeError)
  })
})
