/** Every paid product is bought with the agent commands from a JSON file, and verified afterwards from the files alone. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import type { Send } from "../../src/agent/service-call.ts"
import { EXIT } from "../../src/base/exit.ts"
import { command as replay } from "../../src/cli/documents/replay.ts"
import { command as verify } from "../../src/cli/documents/verify.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { answerBundles } from "../../src/products/common/answer-bundles.ts"
import { exportBundle } from "../../src/products/common/export-bundle.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { type AgentMachine, openAgentMachine } from "../fixtures/agent-machine.ts"
import { type AnswerTestServer, answerTestServer } from "../fixtures/answer-test-server.ts"
import { issuerJwks } from "../fixtures/decision.ts"
import { EACH_PRODUCT, type ProductRow, prepareProducts } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { enterBuyer, issuer, openTestServer, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: AnswerTestServer
let agentMachine: AgentMachine
beforeAll(async () => {
  seller = await answerTestServer()
  await enterBuyer(seller.server)
  await prepareProducts(seller.server)
})
afterAll(() => seller[Symbol.asyncDispose]())
beforeEach(() => {
  agentMachine = openAgentMachine()
  writeFileSync(agentMachine.path("jwks.json"), JSON.stringify(issuerJwks(issuer, { nbf: 0, exp: 2 ** 40 })))
})
afterEach(() => agentMachine[Symbol.dispose]())

const sending =
  (server: Pick<TestServer, "post"> = seller.server): Send =>
  async (request) =>
    server.post(await request.text(), Object.fromEntries(request.headers), new URL(request.url).pathname)
const read = (name: string) => readFileSync(agentMachine.path(name), "utf8")
/** The request as a person stores it: other bytes than the sent ones. */
const write = (body: object) => writeFileSync(agentMachine.path("request.json"), JSON.stringify(body, null, 2))
const proven = (file: string, ...flags: string[]) =>
  runCommand(verify, [agentMachine.path(file), "--issuer", agentMachine.path("jwks.json"), ...flags])

const ANSWERS = EACH_PRODUCT.filter(([id]) => ANSWER_RULES.some((rules) => rules.id === id))
const atomic = ({ price }: ProductRow) => String(Math.round(Number(price) * 1_000_000))

describe.each(EACH_PRODUCT)("%s", (id, row) => {
  test("is quoted from the members of its body, paid once, stored byte for byte and verified offline", async () => {
    write(row.body())
    const before = await seller.transfers()
    const quoted = await agentMachine.quote(sending())
    expect(quoted).toMatchObject({ exit: EXIT.DONE, err: "" })
    expect(quoted.out).toContain(`product ${id}\n`)
    expect(quoted.out).toContain(`review  ${row.country === "GB" ? "HUMAN_REVIEW" : "REVIEW_QUOTE"}_BEFORE_PAYMENT`)
    const paid = await agentMachine.pay({ send: sending() }, ["--yes", "--max-atomic", atomic(row)])
    expect(paid).toMatchObject({ exit: EXIT.DONE, err: "" })
    expect(await seller.transfers()).toBe(before + 1)
    const delivered = read("delivery.json")
    expect(delivered).toBe(canonicalize(JSON.parse(delivered)))
    expect(paid.out).toContain(JSON.parse(delivered).decision)
    expect((await proven("delivery.json", "--request", agentMachine.path("request.json"))).exit).toBe(EXIT.DONE)
  })
})

describe.each(ANSWERS)("%s", (_id, row) => {
  async function bought(send = sending()) {
    write(row.body())
    expect((await agentMachine.quote(send)).exit).toBe(EXIT.DONE)
    const paid = await agentMachine.pay({ send }, ["--yes", "--max-atomic", atomic(row), "--json"])
    expect(paid.exit).toBe(EXIT.DONE)
    return { told: JSON.parse(paid.out), said: paid.out + paid.err, answer: JSON.parse(read("delivery.json")) }
  }

  test("has its capsule in its own file and its token only in the answer file, and its reference is the signed digest", async () => {
    const { told, said, answer } = await bought()
    const capsule = JSON.parse(read("delivery.json.capsule"))
    expect(read("delivery.json.capsule")).toBe(canonicalize(capsule))
    expect(told.reference).toBe(capsule.payload.core_digest)
    expect([told.decision, told.machine_action]).toEqual([answer.decision, answer.machine_action])
    for (const file of ["delivery.json", "delivery.json.capsule", "quote.json.payment"]) {
      expect(statSync(agentMachine.path(file)).mode & 0o077).toBe(0)
    }
    expect(told.authorization_token_in_file).toBe(Boolean(answer.result.authorization_token))
    expect(said).not.toContain("svc_at_")
  })

  test("its bundle verifies and replays, and a bundle with one changed fact does not", async () => {
    const { answer } = await bought()
    const bundle = await exportBundle(seller.server.store, answer.execution_id, [answerBundles(ANSWER_RULES)])
    writeFileSync(agentMachine.path("bundle.json"), bundle ?? "")
    const flags = ["--issuer", agentMachine.path("jwks.json")]
    expect((await proven("bundle.json", "--request", agentMachine.path("request.json"))).exit).toBe(EXIT.DONE)
    expect((await runCommand(replay, [agentMachine.path("bundle.json"), ...flags])).exit).toBe(EXIT.DONE)
    writeFileSync(
      agentMachine.path("changed.json"),
      read("bundle.json").replace('"environment":"test"', '"environment":"live"'),
    )
    for (const command of [replay, verify]) {
      expect((await runCommand(command, [agentMachine.path("changed.json"), ...flags])).exit).toBe(EXIT.INVALID)
    }
  })

  test("presenting the same payment again returns a lost answer with one transfer and the same core", async () => {
    write(row.body())
    expect((await agentMachine.quote(sending())).exit).toBe(EXIT.DONE)
    const before = await seller.transfers()
    const cut: Send = async (request) => {
      await sending()(request)
      throw new TypeError("connection reset")
    }
    const more = ["--yes", "--max-atomic", atomic(row)]
    expect((await agentMachine.pay({ send: cut }, more)).exit).toBe(EXIT.NOT_CHECKED)
    const again = await agentMachine.pay({ send: sending() }, more)
    expect([again.exit, again.err]).toEqual([EXIT.DONE, expect.stringContaining("nothing new is signed")])
    expect(JSON.parse(read("delivery.json")).replayed).toBe(true)
    expect(await seller.transfers()).toBe(before + 1)
    expect((await proven("delivery.json")).exit).toBe(EXIT.DONE)
  })

  test("RETRY exits with 4 and NO_DECISION with 3, before and after a quote, without a charge or a file", async () => {
    write(row.body())
    expect((await agentMachine.quote(sending(), { out: agentMachine.path("good.json") })).exit).toBe(EXIT.DONE)
    const before = await seller.transfers()
    for (const [code, decision, exit] of [
      ["SOURCE_STALE", "RETRY", EXIT.NOT_CHECKED],
      ["SOURCE_DISABLED", "NO_DECISION", EXIT.INVALID],
    ] as const) {
      const broken = row.sourceFaults.find((fault) => fault.code === code)?.broken ?? {}
      const server = await openTestServer(seller.database, seller.chain, broken)
      try {
        const quoted = await agentMachine.quote(sending(server))
        expect([quoted.exit, quoted.out]).toEqual([
          exit,
          expect.stringContaining(`${decision}: the service decides nothing`),
        ])
        expect(quoted.out).toContain(code)
        writeFileSync(agentMachine.path("quote.json"), read("good.json"))
        const paid = await agentMachine.pay({ send: sending(server) }, ["--yes", "--max-atomic", atomic(row), "--json"])
        expect([paid.exit, JSON.parse(paid.out)]).toEqual([
          exit,
          expect.objectContaining({ charged: false, decision, reason_codes: [code] }),
        ])
        expect(
          ["delivery.json", "delivery.json.capsule"].filter((name) => existsSync(agentMachine.path(name))),
        ).toEqual([])
      } finally {
        await server.close()
      }
      expect(await seller.transfers()).toBe(before)
      await Bun.file(agentMachine.path("quote.json")).delete()
    }
  })
})
