import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { requestDigest } from "../../../src/checks/policy/digests.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { type AgentMachine, openAgentMachine } from "../../fixtures/agent-machine.ts"
import { sampleTerms } from "../../fixtures/authorizations.ts"
import { PATH } from "../../fixtures/test-server.ts"

let agentMachine: AgentMachine
beforeEach(async () => {
  agentMachine = openAgentMachine()
  expect((await agentMachine.sign()).exit).toBe(EXIT.DONE)
})
afterEach(() => agentMachine[Symbol.dispose]())

/** The response of an honest service, before a row changes it. */
function honest() {
  const request = JSON.parse(readFileSync(agentMachine.path("request.json"), "utf8"))
  const terms = sampleTerms()
  const digests = { request_digest: requestDigest(request), body_digest: digestOf(request) }
  const extra = { ...terms.extra, assetTransferMethod: "eip3009", bodyDigest: digests.body_digest }
  const header = {
    x402Version: 2,
    resource: { url: `http://localhost${PATH}` },
    accepts: [{ ...terms, extra: extra as Record<string, unknown> }],
  }
  const svc = {
    ...digests,
    price: { amount: "0.79", amount_atomic: "790000", asset: "USDC", network: "eip155:8453" },
    not_a_charge: true,
    review_duty: "REVIEW_QUOTE_BEFORE_PAYMENT",
    recover: null,
  }
  return { status: 402, header: header as typeof header | null, body: { ...structuredClone(header), svc } }
}

type Quote = ReturnType<typeof honest>

const answering =
  (spoil: (quote: Quote) => unknown): Send =>
  async () => {
    const quote = honest()
    spoil(quote)
    const headers = quote.header
      ? { "payment-required": Buffer.from(JSON.stringify(quote.header)).toString("base64") }
      : undefined
    return Response.json(quote.body, { status: quote.status, ...(headers && { headers }) })
  }

test("an honest quote is saved (control for the rows below)", async () => {
  expect(await agentMachine.quote(answering(() => {}))).toMatchObject({ exit: EXIT.DONE, err: "" })
})

const set = Object.assign
const inBoth = (change: (part: Quote["body"] | NonNullable<Quote["header"]>) => unknown) => (quote: Quote) => {
  for (const part of [quote.header, quote.body]) if (part) change(part)
}
const inOffer = (change: (offer: Quote["body"]["accepts"][number]) => unknown) =>
  inBoth(({ accepts }) => accepts.map(change))

test.each<[string, (quote: Quote) => unknown, string]>([
  ["no header", (q) => set(q, { header: null }), "header is missing"],
  ["a body that shows another price", (q) => set(q.body.accepts[0] ?? {}, { amount: "1" }), "differ"],
  ["another request digest", (q) => set(q.body.svc, { request_digest: digestOf("x") }), "another request"],
  ["another body digest", (q) => set(q.body.svc, { body_digest: digestOf("x") }), "another request"],
  ["a printed price that is not the offer's", (q) => set(q.body.svc.price, { amount_atomic: "1" }), "price and offer"],
  ["an offer bound to another body", inOffer(({ extra }) => set(extra, { bodyDigest: digestOf("x") })), "bodyDigest"],
  ["an unknown asset", inOffer((o) => set(o, { asset: `0x${"4".repeat(40)}` })), "another asset"],
  ["a misnamed asset", inOffer(({ extra }) => set(extra, { name: "USDC" })), "name or version of the asset"],
  ["two offers", inBoth(({ accepts }) => accepts.push(...accepts)), "exactly one offer"],
  ["another resource", inBoth(({ resource }) => set(resource, { url: "http://localhost/other" })), "another URL"],
])("a quote with %s is rejected and not saved", async (_name, spoil, said) => {
  const { exit, err } = await agentMachine.quote(answering(spoil))
  expect([exit, err]).toEqual([EXIT.INVALID, expect.stringContaining(said)])
  expect(existsSync(agentMachine.path("quote.json"))).toBe(false)
})

test.each<[number, unknown, number, string]>([
  [202, { state: "PENDING" }, EXIT.NOT_CHECKED, "under way"],
  [409, { code: "ALREADY_ACQUIRED" }, EXIT.INVALID, "ALREADY_ACQUIRED"],
  [429, { code: "RATE_LIMITED" }, EXIT.NOT_CHECKED, "RATE_LIMITED"],
  [503, { code: "SOURCE_STALE" }, EXIT.NOT_CHECKED, "SOURCE_STALE"],
  [200, {}, EXIT.INVALID, "HTTP 200"],
])("status %i has its own exit code and saves no quote", async (status, body, exit, said) => {
  const ran = await agentMachine.quote(async () => Response.json(body, { status }))
  expect([ran.exit, ran.err]).toEqual([exit as typeof ran.exit, expect.stringContaining(said)])
  expect(existsSync(agentMachine.path("quote.json"))).toBe(false)
})

test("a file that is not a signed request is not sent", async () => {
  const never: Send = async () => {
    throw new Error("sent")
  }
  expect((await agentMachine.quote(never, { request: agentMachine.path("draft.json") })).exit).toBe(EXIT.USAGE)
  expect((await agentMachine.quote(never, { server: "http://localhost/v1" })).exit).toBe(EXIT.USAGE)
})
