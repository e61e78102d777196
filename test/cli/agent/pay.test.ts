/** Quote, pay and recover against the real service on a real chain, in this process. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { type AgentMachine, draft, openAgentMachine } from "../../fixtures/agent-machine.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { enterBuyer, type TestServer } from "../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let seller: AnswerTestServer
let server: TestServer
let agentMachine: AgentMachine

beforeAll(async () => {
  seller = await answerTestServer()
  server = seller.server
  await enterBuyer(server)
})
afterAll(() => seller[Symbol.asyncDispose]())
beforeEach(() => {
  agentMachine = openAgentMachine()
})
afterEach(() => agentMachine[Symbol.dispose]())

const send: Send = async (request) =>
  server.post(await request.text(), Object.fromEntries(request.headers), new URL(request.url).pathname)
const never: Send = async () => {
  throw new Error("sent")
}
const transfers = () => seller.transfers()
const read = (name: string) => readFileSync(agentMachine.path(name), "utf8")
const json = (name: string) => JSON.parse(read(name))

async function quoted(): Promise<void> {
  expect((await agentMachine.sign()).exit).toBe(EXIT.DONE)
  expect(await agentMachine.quote(send)).toMatchObject({ exit: EXIT.DONE, err: "" })
}

/** Writes the quote again with one change, as somebody with access to the disk could. */
function editQuote(
  change: (quote: { server: string; payment_required: { accepts: Record<string, unknown>[] } }) => void,
) {
  const quote = json("quote.json")
  change(quote)
  writeFileSync(agentMachine.path("quote.json"), JSON.stringify(quote))
}

test("a quote states that it is not a charge, and moves no money", async () => {
  const before = await transfers()
  expect((await agentMachine.sign()).exit).toBe(EXIT.DONE)
  const { exit, out } = await agentMachine.quote(send)
  expect(exit).toBe(EXIT.DONE)
  expect(out).toContain("not a charge")
  expect(out).toContain("0.790000 USDC on eip155:8453")
  expect(json("quote.json").payment_required.accepts[0].payTo).toBe(DEV_ACCOUNTS.payTo.address)
  expect(await transfers()).toBe(before)
})

test("one confirmation gives one signature and one transfer; the delivery has the stored bytes, and recover returns them again", async () => {
  await quoted()
  const before = await transfers()
  const requests: string[] = []
  const ask = async (question: string) => {
    requests.push(question)
    return "yes"
  }
  const paid = await agentMachine.pay({ send, ask }, ["--json"])
  expect(paid).toMatchObject({ exit: EXIT.DONE, err: "" })
  expect(requests).toHaveLength(1)
  expect(requests[0]).toContain("0.790000 USDC")
  expect(await transfers()).toBe(before + 1)
  const told = JSON.parse(paid.out)
  expect(told.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  const body = read("delivery.json")
  expect(body).toBe(canonicalize(JSON.parse(body)))
  expect(told.response_digest).toBe(JSON.parse(body).delivery.response_digest)
  for (const name of ["delivery.json", "quote.json.payment"])
    expect(statSync(agentMachine.path(name)).mode & 0o077).toBe(0)

  expect(await agentMachine.recover(send)).toMatchObject({ exit: EXIT.DONE })
  expect(read("recovered.json")).toBe(body)
  expect(await transfers()).toBe(before + 1)
})

test("after a lost response the same payment is sent again: one transfer, no second signature", async () => {
  await quoted()
  const before = await transfers()
  const headers: (string | null)[] = []
  const watch: Send = async (request) => {
    headers.push(request.headers.get("payment-signature"))
    return send(request)
  }
  const cut: Send = async (request) => {
    await watch(request)
    throw new TypeError("connection reset")
  }
  const lost = await agentMachine.pay({ send: cut })
  expect([lost.exit, lost.err]).toEqual([EXIT.NOT_CHECKED, expect.stringContaining("run the same command again")])
  expect(existsSync(agentMachine.path("delivery.json"))).toBe(false)
  expect(await agentMachine.pay({ send: watch })).toMatchObject({ exit: EXIT.DONE })
  expect(headers).toHaveLength(2)
  expect(headers[1]).toBe(headers[0] ?? "missing")
  expect(await transfers()).toBe(before + 1)
})

test("after 202 the same header is sent again after Retry-After, and the command stops at its time limit", async () => {
  await quoted()
  const pauses: number[] = []
  const headers = new Set<string | null>()
  let passed = 0
  const machine = { ...realMachine, monotonic: () => passed }
  const sleep = async (ms: number) => {
    pauses.push(ms)
    passed += ms
  }
  const pending: Send = async (request) => {
    headers.add(request.headers.get("payment-signature"))
    return Response.json({ state: "PENDING" }, { status: 202, headers: { "retry-after": "7" } })
  }
  const gaveUp = await agentMachine.pay({ send: pending, sleep, machine }, [
    "--yes",
    "--max-atomic",
    "790000",
    "--wait-seconds",
    "20",
  ])
  expect(gaveUp.exit).toBe(EXIT.NOT_CHECKED)
  expect(pauses).toEqual([7000, 7000])
  expect(headers.size).toBe(1)
})

test("a second 402 is never paid: the command prints the reason and signs nothing new", async () => {
  await quoted()
  let calls = 0
  const refusing: Send = async () => {
    calls++
    const required = { ...json("quote.json").payment_required, error: "insufficient_funds" }
    const header = Buffer.from(JSON.stringify(required)).toString("base64")
    return Response.json(required, { status: 402, headers: { "payment-required": header } })
  }
  const { exit, err } = await agentMachine.pay({ send: refusing })
  expect([exit, err]).toEqual([EXIT.INVALID, expect.stringContaining("insufficient_funds")])
  expect(calls).toBe(1)
})

test.each([
  ["no answer but yes", ["no"], "the answer was not yes"],
  ["no terminal", [null], "not a terminal"],
])("%s: the command signs and sends nothing", async (_name, [typed], said) => {
  await quoted()
  const { exit, err } = await agentMachine.pay({ send: never, ask: async () => typed ?? null }, [])
  expect([exit, err]).toEqual([EXIT.USAGE, expect.stringContaining(said)])
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test.each([
  ["--yes without a limit", ["--yes"], EXIT.USAGE],
  ["a price above the limit", ["--yes", "--max-atomic", "789999"], EXIT.INVALID],
  [
    "another payee than the one expected",
    ["--yes", "--max-atomic", "790000", "--pay-to", `0x${"1".repeat(40)}`],
    EXIT.INVALID,
  ],
] as const)("%s is rejected before anything is signed", async (_name, more, exit) => {
  await quoted()
  expect((await agentMachine.pay({ send: never }, more)).exit).toBe(exit)
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test.each([
  ["whose folder does not exist", "nowhere/delivery.json", "its folder does not exist; make the folder first"],
  ["that exists", "quote.json", "exists and is not overwritten"],
])("a delivery path %s is rejected before anything is signed", async (_name, out, why) => {
  await quoted()
  const { exit, err } = await agentMachine.pay({ send: never }, [], out)
  expect([exit, err]).toEqual([EXIT.USAGE, `${agentMachine.path(out)}: ${why}; nothing was paid`])
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test("a wallet that is not the request's fee payer does not sign", async () => {
  await quoted()
  agentMachine.write("wallet.key", DEV_KEYS[4])
  expect((await agentMachine.pay({ send: never })).exit).toBe(EXIT.INVALID)
  agentMachine.write("wallet.key", `0x${"0".repeat(64)}`)
  const { exit, err } = await agentMachine.pay({ send: never })
  expect([exit, err.includes("0".repeat(64))]).toEqual([EXIT.INVALID, false])
})

const offer =
  (change: Record<string, unknown>) => (quote: { payment_required: { accepts: Record<string, unknown>[] } }) => {
    Object.assign(quote.payment_required.accepts[0] ?? {}, change)
  }
test.each([
  ["another asset", offer({ asset: `0x${"2".repeat(40)}` }), EXIT.INVALID],
  ["another network", offer({ network: "eip155:1" }), EXIT.INVALID],
  ["a fee above the mandate", offer({ amount: "790001" }), EXIT.INVALID],
  ["another scheme", offer({ scheme: "upto" }), EXIT.INVALID],
  ["another body", offer({ extra: {} }), EXIT.INVALID],
  [
    "another server than its resource",
    (quote: object) => void Object.assign(quote, { server: "http://other.example" }),
    EXIT.INVALID,
  ],
])("a quote file edited to %s is not paid", async (_name, change, exit) => {
  await quoted()
  editQuote(change)
  expect((await agentMachine.pay({ send: never })).exit).toBe(exit)
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test("a quote edited after the payment was signed is paid neither with the old signature nor with a new one", async () => {
  await quoted()
  const cut: Send = async () => {
    throw new TypeError("connection refused")
  }
  expect((await agentMachine.pay({ send: cut })).exit).toBe(EXIT.NOT_CHECKED)
  const signed = read("quote.json.payment")
  editQuote(offer({ payTo: `0x${"3".repeat(40)}` }))
  expect((await agentMachine.pay({ send: never })).exit).toBe(EXIT.INVALID)
  expect(read("quote.json.payment")).toBe(signed)
})

test("an unreadable payment file stops the command, and nothing new is signed", async () => {
  await quoted()
  agentMachine.write("quote.json.payment", "{}")
  expect((await agentMachine.pay({ send: never })).exit).toBe(EXIT.NOT_CHECKED)
  expect(read("quote.json.payment")).toBe("{}")
})

test("a paid answer that is no decision and names no request is kept, and the command exits with 3", async () => {
  await quoted()
  const unreadable: Send = async () => Response.json({ decision: "ALLOW" })
  expect((await agentMachine.pay({ send: unreadable })).exit).toBe(EXIT.INVALID)
  expect(json("delivery.json")).toEqual({ decision: "ALLOW" })
})

test("a decision for another request is not written, by pay or recover, and the same payment gets the own one after it", async () => {
  await quoted()
  const foreign = (change: Record<string, unknown>): Send => {
    return async (request) => {
      const answer = await send(request)
      return Response.json({ ...((await answer.json()) as object), ...change }, { headers: answer.headers })
    }
  }
  const digest = `sha256:${"0".repeat(64)}`
  const none = expect.stringContaining("the answer belongs to another request, so no file was written; ")
  for (const change of [{ request_digest: digest }, { request_digest: digest, more: 1 }, { product: "other" }]) {
    const refused = { exit: EXIT.INVALID, out: "", err: none }
    expect(await agentMachine.pay({ send: foreign(change) })).toMatchObject(refused)
    expect(await agentMachine.recover(foreign(change))).toMatchObject(refused)
    for (const name of ["delivery.json", "recovered.json"]) expect(existsSync(agentMachine.path(name))).toBe(false)
  }
  expect(await agentMachine.pay({ send })).toMatchObject({ exit: EXIT.DONE })
  expect(await agentMachine.recover(send)).toMatchObject({ exit: EXIT.DONE })
})

test("an expired quote is not signed", async () => {
  await quoted()
  const machine = { ...realMachine, now: () => Date.now() + 2 * 3_600_000 }
  const { exit, err } = await agentMachine.pay({ send: never, machine })
  expect([exit, err]).toEqual([EXIT.INVALID, expect.stringContaining("expired")])
})

test("a delivery that already exists is not paid again", async () => {
  await quoted()
  agentMachine.write("delivery.json", "{}")
  expect((await agentMachine.pay({ send: never })).exit).toBe(EXIT.USAGE)
})

test("recover distinguishes never acquired, pending, unavailable and refused", async () => {
  await agentMachine.sign()
  expect((await agentMachine.recover(send)).exit).toBe(EXIT.NOT_FOUND)
  const answering =
    (status: number, body: unknown): Send =>
    async () =>
      Response.json(body, { status })
  expect((await agentMachine.recover(answering(202, { state: "PENDING" }))).exit).toBe(EXIT.NOT_CHECKED)
  expect((await agentMachine.recover(answering(503, { code: "RECOVERY_UNAVAILABLE" }))).exit).toBe(EXIT.NOT_CHECKED)
  const refusal = await agentMachine.recover(answering(422, { code: "RECOVERY_KEY_NOT_ACTIVE" }))
  expect([refusal.exit, refusal.err]).toEqual([EXIT.INVALID, expect.stringContaining("RECOVERY_KEY_NOT_ACTIVE")])
  expect(existsSync(agentMachine.path("recovered.json"))).toBe(false)
})

test("a quote that the service refuses shows the service's code", async () => {
  agentMachine.write(
    "draft.json",
    draft({ supplier: { entity_id: "s:1", legal_name: "Harbor Light", identifiers: { ein: "12-3456789" } } }),
  )
  await agentMachine.sign()
  const { exit, err } = await agentMachine.quote(send)
  expect([exit, err]).toEqual([EXIT.INVALID, expect.stringContaining("IDENTIFIER_UNSUPPORTED")])
  expect(existsSync(agentMachine.path("quote.json"))).toBe(false)
})
