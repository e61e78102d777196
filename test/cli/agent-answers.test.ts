/** What `agent quote` and `agent pay` do only for the answers of the answer products, not for a decision. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Send } from "../../src/agent/service-call.ts"
import { EXIT } from "../../src/base/exit.ts"
import { command as verify } from "../../src/cli/documents/verify.ts"
import { type AgentMachine, openAgentMachine } from "../fixtures/agent-machine.ts"
import { type AnswerTestServer, answerTestServer } from "../fixtures/answer-test-server.ts"
import { usBody } from "../fixtures/answers.ts"
import { DEV_KEYS } from "../fixtures/chain.ts"
import { issuerJwks } from "../fixtures/decision.ts"
import { gbPaymentBody } from "../fixtures/gb.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { issuer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: AnswerTestServer
let agentMachine: AgentMachine
beforeAll(async () => {
  seller = await answerTestServer()
})
afterAll(() => seller[Symbol.asyncDispose]())
beforeEach(() => {
  agentMachine = openAgentMachine()
  agentMachine.write("jwks.json", issuerJwks(issuer, { nbf: 0, exp: 2 ** 40 }))
})
afterEach(() => agentMachine[Symbol.dispose]())

const send: Send = async (request) =>
  seller.server.post(await request.text(), Object.fromEntries(request.headers), new URL(request.url).pathname)
const never: Send = async () => {
  throw new Error("sent")
}
const read = (name: string) => readFileSync(agentMachine.path(name), "utf8")
const YES = ["--yes", "--max-atomic", "150000"]

async function quoted(body: object): Promise<void> {
  agentMachine.write("request.json", body)
  expect(await agentMachine.quote(send)).toMatchObject({ exit: EXIT.DONE, err: "" })
}

test("a token is only in the answer file; the copy by execution id verifies with the same capsule and has no token", async () => {
  await quoted(gbPaymentBody())
  const paid = await agentMachine.pay({ send }, YES)
  const answer = JSON.parse(read("delivery.json"))
  const { authorization_token: token } = answer.result
  expect(token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
  expect(paid.out).toContain(`token        in ${agentMachine.path("delivery.json")}`)
  for (const text of [paid.out, paid.err, read("delivery.json.capsule"), read("quote.json")]) {
    expect(text).not.toContain(token)
  }
  const fetched = await (await seller.server.get(`/v1/gb/executions/${answer.execution_id}`)).text()
  expect(fetched).not.toContain(token)
  writeFileSync(agentMachine.path("fetched.json"), fetched)
  const capsule = ["--capsule", agentMachine.path("delivery.json.capsule")]
  const ran = await runCommand(verify, [
    agentMachine.path("fetched.json"),
    "--issuer",
    agentMachine.path("jwks.json"),
    ...capsule,
  ])
  expect(ran.exit).toBe(EXIT.DONE)
})

test('before a UK payment the prompt says that a person must have reviewed the quote, and "no" stops the payment', async () => {
  await quoted(gbPaymentBody())
  const requests: string[] = []
  const ask = async (question: string) => {
    requests.push(question)
    return "no"
  }
  expect((await agentMachine.pay({ send: never, ask }, [])).exit).toBe(EXIT.USAGE)
  expect(requests[0]).toContain("0.150000 USDC")
  expect(requests[0]).toContain("HUMAN_REVIEW_BEFORE_PAYMENT: a person reviews this quote before it is paid")
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test("the sent body has exactly the bytes of the digest header, however the file is formatted", async () => {
  const body = gbPaymentBody()
  writeFileSync(agentMachine.path("request.json"), JSON.stringify(body, null, 4))
  const sent: { text: string; digest: string | null; key: string | null }[] = []
  const watching: Send = async (request) => {
    const { headers } = request
    const copy = await request.clone().text()
    sent.push({ text: copy, digest: headers.get("x-cdo-request-body-digest"), key: headers.get("idempotency-key") })
    return send(request)
  }
  expect((await agentMachine.quote(watching)).exit).toBe(EXIT.DONE)
  expect((await agentMachine.pay({ send: watching }, YES)).exit).toBe(EXIT.DONE)
  expect(sent).toHaveLength(2)
  for (const { text, digest, key } of sent) {
    expect(JSON.parse(text)).toEqual(body)
    expect(digest).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`)
    expect(key).toBe(body.idempotency_key)
  }
})

test("any wallet may pay for an answer, because the request names no wallet", async () => {
  await quoted(usBody())
  agentMachine.write("wallet.key", DEV_KEYS[4])
  const before = await seller.transfers()
  expect((await agentMachine.pay({ send }, YES)).exit).toBe(EXIT.DONE)
  expect(await seller.transfers()).toBe(before + 1)
})

test("a quote is paid only for its own product and body", async () => {
  await quoted(usBody())
  agentMachine.write("request.json", usBody())
  expect((await agentMachine.pay({ send: never }, YES)).exit).toBe(EXIT.INVALID)
  agentMachine.write("request.json", gbPaymentBody())
  expect((await agentMachine.pay({ send: never }, YES)).exit).toBe(EXIT.USAGE)
  const quote = JSON.parse(read("quote.json"))
  agentMachine.write("quote.json", { ...quote, path: "/v1/us/suppliers/approve" })
  agentMachine.write("request.json", usBody())
  expect((await agentMachine.pay({ send: never }, YES)).exit).toBe(EXIT.INVALID)
  agentMachine.write("quote.json", { ...quote, product: "us.unknown.v1" })
  expect((await agentMachine.pay({ send: never }, YES)).exit).toBe(EXIT.USAGE)
  expect(existsSync(agentMachine.path("quote.json.payment"))).toBe(false)
})

test("a --product that does not fit the body is rejected before anything is sent", async () => {
  agentMachine.write("request.json", usBody())
  const ran = await agentMachine.quote(never, { product: "us.supplier.approve.v1" })
  expect([ran.exit, ran.err]).toEqual([EXIT.USAGE, expect.stringContaining("not a request for us.supplier.approve.v1")])
  expect((await agentMachine.quote(never, { product: "us.company" })).err).toContain(
    "did you mean us.company.check.v1?",
  )
})

test("nothing is paid while an answer or capsule file already exists at the output path", async () => {
  await quoted(usBody())
  agentMachine.write("delivery.json.capsule", "{}")
  const ran = await agentMachine.pay({ send: never }, YES)
  expect([ran.exit, ran.err]).toEqual([EXIT.USAGE, expect.stringContaining("nothing was paid")])
})

type Spoil = (answer: Response) => Promise<Response>
const withHeaders = (change: (headers: Headers) => void): Spoil => {
  return async (answer) => {
    const headers = new Headers(answer.headers)
    change(headers)
    return new Response(await answer.text(), { status: answer.status, headers })
  }
}
const other = async () => {
  const text = (await runOnce()).capsule
  return withHeaders((headers) => headers.set("svc-proof-capsule", text))
}

/** Another answer, bought in addition to the one of the test. */
async function runOnce(): Promise<{ answer: string; capsule: string }> {
  using elsewhere = openAgentMachine()
  elsewhere.write("request.json", usBody())
  await elsewhere.quote(send)
  expect((await elsewhere.pay({ send }, YES)).exit).toBe(EXIT.DONE)
  const answer = readFileSync(elsewhere.path("delivery.json"), "utf8")
  return { answer, capsule: Buffer.from(readFileSync(elsewhere.path("delivery.json.capsule"))).toString("base64url") }
}

test.each<[string, () => Spoil | Promise<Spoil>, string]>([
  ["without its capsule", () => withHeaders((headers) => headers.delete("svc-proof-capsule")), "without its signed"],
  ["with an invalid capsule", () => withHeaders((headers) => headers.set("svc-proof-capsule", "e30")), "without"],
  [
    "with a member of a later version",
    () => async (answer) => {
      const later = { ...((await answer.json()) as object), later: true }
      return Response.json(later, { headers: answer.headers })
    },
    "is not an answer of the requested product",
  ],
])("a paid answer %s is kept, and the command exits with 3", async (_what, spoiling, said) => {
  await quoted(usBody())
  const spoil = await spoiling()
  const spoiled: Send = async (request) => spoil(await send(request))
  const ran = await agentMachine.pay({ send: spoiled }, YES)
  expect([ran.exit, ran.err, ran.out]).toEqual([EXIT.INVALID, expect.stringContaining(said), ""])
  expect(JSON.parse(read("delivery.json")).economic_activity.charged).toBe(true)
})

const ofAnother = async () => {
  const { answer, capsule } = await runOnce()
  return async (own: Response) => {
    const headers = new Headers(own.headers)
    headers.set("svc-proof-capsule", capsule)
    return new Response(answer, { status: own.status, headers })
  }
}
const withOwnCapsule = async () => {
  const { answer } = await runOnce()
  return async (own: Response) => new Response(answer, { status: own.status, headers: own.headers })
}

test.each<[string, () => Spoil | Promise<Spoil>]>([
  ["another answer with its own capsule", ofAnother],
  ["another answer with the capsule of this request", withOwnCapsule],
  ["the capsule of another answer", other],
  [
    "an answer of another product",
    () => async (answer) => {
      const text = (await answer.text()).replace("us.company.check.v1", "us.company.check.v2")
      return new Response(text, { headers: answer.headers })
    },
  ],
])("of %s no file is written, and the same payment gets the own answer after it", async (_what, spoiling) => {
  await quoted(usBody())
  const spoil = await spoiling()
  const spoiled: Send = async (request) => spoil(await send(request))
  const ran = await agentMachine.pay({ send: spoiled }, YES)
  expect([ran.exit, ran.out]).toEqual([EXIT.INVALID, ""])
  expect(ran.err).toContain("the answer belongs to another request, so no file was written; run the same command again")
  for (const file of ["delivery.json", "delivery.json.capsule"]) expect(existsSync(agentMachine.path(file))).toBe(false)
  expect((await agentMachine.pay({ send }, YES)).exit).toBe(EXIT.DONE)
})
