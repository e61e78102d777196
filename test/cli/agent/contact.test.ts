/** `agent contact`: what a draft lacks, in words and in the order to gather it, without a service or from one. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { ROUNDS } from "../../../src/agent/contact-draft.ts"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { command, runContact } from "../../../src/cli/agent/contact.ts"
import { requestDocuments } from "../../../src/server/request-documents.ts"
import { type ContactService, contactService } from "../../contact/contact-service.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const documents = requestDocuments(BASE_URL)
const EACH = documents.map(({ product, example }) => [product, example() as object] as const)
const folder = freshDirectory()
let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const none: Send = () => {
  throw new Error("nothing may be sent")
}
const toService: Send = (request) => service.send(request)
const run = (draft: unknown, flags: readonly string[] = [], send: Send = none) => {
  const file = join(folder.path, "draft.json")
  writeFileSync(file, typeof draft === "string" ? draft : JSON.stringify(draft))
  return runCommand({ ...command, run: (input) => runContact(input, send) }, [file, ...flags])
}

/** Each in its own file, so that they run at once. */
async function runOf(draft: object): Promise<string> {
  const file = join(folder.path, `${crypto.randomUUID()}.json`)
  writeFileSync(file, JSON.stringify(draft))
  const { out, err } = await runCommand({ ...command, run: (input) => runContact(input, none) }, [file])
  return out + err
}

describe.each(EACH)("%s", (product, example) => {
  test("a complete request: exit 0", async () => {
    const { exit, out, err } = await run(example, ["--product", product])
    expect([exit, err]).toEqual([EXIT.DONE, ""])
    expect(out).toStartWith(`product ${product}\nstatus  complete`)
  })

  test("without a service and from one, the reports are equal", async () => {
    const [, ...rest] = Object.entries(example)
    const draft = { ...Object.fromEntries(rest), currency: 5, note: "x" }
    const flags = ["--product", product, "--json"]
    const here = await run(draft, flags)
    const there = await run(draft, [...flags, "--server", BASE_URL], toService)
    expect([here.exit, here.err]).toEqual([EXIT.NOT_PERMITTED, ""])
    expect(there).toEqual(here)
    expect(JSON.parse(here.out)).toMatchObject({ version: 1, product, status: "INPUT_REQUIRED" })
  })
})

test("a request is recognised by its members", async () => {
  const outs = await Promise.all(EACH.map(([, example]) => runOf(example)))
  for (const [at, [product]] of EACH.entries()) expect(outs[at]).toStartWith(`product ${product}\n`)
})

test("an empty draft: missing inputs in words, the mandate after its digests, the signature last", async () => {
  const { exit, out } = await run({}, ["--product", PAYMENT_DECISION_PRODUCT])
  expect(exit).toBe(EXIT.NOT_PERMITTED)
  const rounds = [...out.matchAll(/^gather: (.*)$/gm)].map(([, words]) => words)
  expect(rounds).toEqual([ROUNDS.CALLER, ROUNDS.DIGEST, ROUNDS.BUYER_ORGANIZATION, ROUNDS.AGENT_KEY])
  expect(out).toContain('missing /coverage: "FEDERAL_ONLY"\n')
  expect(out).toContain("missing /disclosure/audience_digest: text that matches")
  expect(out).toContain("one of  /supplier/identifiers/cage, ")
  const [last] = out
    .split("\n")
    .filter((line) => line.startsWith("missing "))
    .slice(-1)
  expect(last).toStartWith("missing /requesting_agent/request_signature: ")
  for (const line of out.split("\n").filter((each) => each.startsWith("missing "))) expect(line).toMatch(/: \S/)
})

test("an invalid input is named with its rule and what was expected", async () => {
  const [, example = {}] = EACH[0] ?? []
  const { exit, out } = await run({ ...example, currency: "usd", extra: 1 })
  expect(exit).toBe(EXIT.NOT_PERMITTED)
  expect(out).toContain("invalid /currency (PATTERN): text that matches ^[A-Z]{3}$")
  expect(out).toContain("invalid the request (UNKNOWN_MEMBER): no other member")
})

test.each([
  ["a draft of no product in particular", {}, [], "fits several products"],
  ["an unknown product", {}, ["--product", "us.company.chek.v1"], "did you mean us.company.check.v1?"],
  [
    "a server with a path",
    {},
    ["--product", PAYMENT_DECISION_PRODUCT, "--server", "https://x.example/v1"],
    "without path",
  ],
] as const)("exit 2: %s", async (_, draft, flags, words) => {
  const { exit, err } = await run(draft, flags)
  expect([exit, err]).toEqual([EXIT.USAGE, expect.stringContaining(words)])
})

test("exit 4: a draft that is not strict JSON, and a service that cannot be reached or answers something else", async () => {
  expect(await run("{")).toMatchObject({ exit: EXIT.NOT_CHECKED, err: expect.stringContaining("not strict JSON") })
  const flags = ["--product", PAYMENT_DECISION_PRODUCT, "--server", BASE_URL]
  const replies: Send[] = [
    () => Promise.reject(new TypeError("no route")),
    async () => Response.json({ status: "INPUT_COMPLETE" }),
    async () => new Response("", { status: 200 }),
    async () => Response.json({ code: "RATE_LIMITED" }, { status: 429 }),
  ]
  for (const send of replies) expect((await run({}, flags, send)).exit).toBe(EXIT.NOT_CHECKED)
})

test("exit 3: a coverage that the service does not have, and a reply to another draft", async () => {
  const flags = ["--product", PAYMENT_DECISION_PRODUCT, "--server", BASE_URL]
  const refused = await run({ coverage: "STATE" }, flags, toService)
  expect(refused).toMatchObject({ exit: EXIT.INVALID, err: expect.stringContaining("COVERAGE_UNSUPPORTED") })
  const another = await (
    await service.post("/v1/channels/acp/contact", { intent: "RELEASE_PAYMENT_TO_SUPPLIER" })
  ).json()
  const send: Send = async () => Response.json(another)
  expect(await run({}, flags, send)).toMatchObject({ exit: EXIT.INVALID, err: "the reply is to another draft" })
})

test("exit 4: a service that sells by another schema", async () => {
  const flags = ["--product", PAYMENT_DECISION_PRODUCT, "--server", BASE_URL]
  const send: Send = async (request) => {
    const reply = await (await toService(request)).json()
    return Response.json({ ...reply, input_schema: { ...reply.input_schema, digest: `sha256:${"0".repeat(64)}` } })
  }
  expect(await run({}, flags, send)).toMatchObject({
    exit: EXIT.NOT_CHECKED,
    err: expect.stringContaining("another schema"),
  })
})

test("a name in the draft does not control the terminal", async () => {
  const identifiers = { "\u001b[2J\u202e": 5 }
  const { out } = await run({ supplier: { identifiers } }, ["--product", PAYMENT_DECISION_PRODUCT])
  expect(out).toContain("invalid /supplier/identifiers/\ufffd[2J\ufffd (TYPE)")
})
