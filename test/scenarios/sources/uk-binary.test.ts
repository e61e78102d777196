/**
 * The UK products in the shipped program: commands import both publications, the agent's commands buy a payment and a change of payee on a
 * chain, tokens are spent and revoked, and answers are verified from files.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { type Running, run } from "../../fixtures/binary.ts"
import { bulkFiles, companyNumber } from "../../fixtures/companies-house-file.ts"
import { binding, challenge, GB_OTHER_PAYEE, GB_PAYEE, gbChangeBody, gbPaymentBody } from "../../fixtures/gb.ts"
import { priceOf } from "../../fixtures/prices.ts"
import { openTestOperator, SCENARIO_MS, type TestOperator } from "../../fixtures/test-operator.ts"
import { ukSanctionsFile } from "../../fixtures/uk-sanctions-list.ts"

const PRICE = priceOf("gb.business.payment.authorize.v1")

setDefaultTimeout(SCENARIO_MS)

const NAME = "AMBER QUARRY JOINERY LIMITED"
const ACTIVE = companyNumber(1)
const DISSOLVED = companyNumber(2)
const FAIR = { CompanyName: NAME, CompanyStatus: "Active", IncorporationDate: "04/03/2015" }

let operator: TestOperator
let server: Running
let serial = 0
let paid: Bought

beforeAll(async () => {
  operator = await openTestOperator()
  const now = Date.now()
  const changes = { 1: FAIR, 2: { ...FAIR, CompanyStatus: "Dissolved", DissolutionDate: "01/02/2026" } }
  await bring("UK_COMPANIES_HOUSE", bulkFiles("zip", 40, { day: formatInstant(now).slice(0, 10), changes }))
  await bring("UK_SANCTIONS_LIST", [ukSanctionsFile({ publishedAt: now })])
  server = await operator.serve()
})
afterAll(() => operator[Symbol.asyncDispose]())

async function bring(id: string, files: readonly { name: string; bytes: Uint8Array }[]): Promise<void> {
  mkdirSync(operator.path(id))
  for (const { name, bytes } of files) writeFileSync(`${operator.path(id)}/${name}`, bytes)
  await done(["sources", "import", id, operator.path(id), "--data", operator.data])
}

async function done(args: readonly string[]): Promise<string> {
  const ran = await run(args)
  if (ran.exit !== 0) throw new Error(`${args.join(" ")}: ${ran.exit}\n${ran.out}${ran.err}`)
  return ran.out
}

interface Bought {
  readonly file: string
  readonly answer: BusinessAnswer<Record<string, unknown>>
}

async function buy(body: object): Promise<Bought> {
  const at = (what: string) => operator.path(`${what}-${serial}.json`)
  serial++
  writeFileSync(at("request"), JSON.stringify(body, null, 2))
  await done(["agent", "quote", "--server", server.origin, "--request", at("request"), "--out", at("quote")])
  await done([
    ...[
      "agent",
      "pay",
      "--quote",
      at("quote"),
      "--request",
      at("request"),
      "--wallet-key",
      operator.path("wallet.key"),
    ],
    ...["--yes", "--max-atomic", "150000", "--out", at("answer")],
  ])
  return { file: at("answer"), answer: JSON.parse(readFileSync(at("answer"), "utf8")) }
}

const payment = (number: string) =>
  gbPaymentBody({
    company_number: number,
    invoice: { company_number: number, invoice_company_name: "Amber Quarry Joinery Ltd" },
    payee: { company_number: number, payee_fingerprint: GB_PAYEE, binding_evidence: binding() },
  })

async function token(verb: "redeem" | "revoke" | "status", body: object): Promise<[number, Record<string, unknown>]> {
  const answer = await fetch(`${server.origin}/v1/gb/authorization-tokens/${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ schema_version: "1.0.0", ...body }),
  })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

describe("a payment", () => {
  test("to an active company is authorized, verified offline, and its token is redeemed once", async () => {
    const before = (await operator.transfers()).length
    paid = await buy(payment(ACTIVE))
    const { answer, file } = paid
    expect(answer).toMatchObject({ decision: "APPROVE", payment: { charged_price_usd: PRICE.usd } })
    expect(answer.limitations).toContain("REGISTER_IS_MONTHLY_FILE")
    const transfers = await operator.transfers()
    expect([transfers.length, transfers.at(-1)?.value]).toEqual([before + 1, PRICE.atomic])
    expect((await operator.verify(file, ["--require", "CONTINUE", "--environment", "test"])).exit).toBe(0)

    const binding = {
      company_number: ACTIVE,
      payee_fingerprint: GB_PAYEE,
      amount: "1250.00",
      currency: "GBP",
      wallet: transfers.at(-1)?.from,
    }
    const held = String(answer.result["authorization_token"])
    const spend = (key: string, bound: object = binding) =>
      token("redeem", { token: held, binding: bound, idempotency_key: key })
    expect((await spend("redeem-000", { ...binding, amount: "1250.01" }))[0]).toBe(409)
    const [status, spent] = await spend("redeem-001")
    expect([status, spent["token_state"]]).toEqual([200, "SPENT"])
    expect((await spend("redeem-001"))[0]).toBe(200)
    expect((await spend("redeem-002"))[0]).toBe(409)
  })

  test("to a dissolved company is denied, and the denial is delivered too", async () => {
    const { answer, file } = await buy(payment(DISSOLVED))
    expect(answer).toMatchObject({
      decision: "BLOCK",
      machine_action: "STOP",
      reason_codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
    })
    expect(answer.result["authorization_token"]).toBe("")
    expect((await operator.verify(file, ["--require", "CONTINUE", "--environment", "test"])).exit).toBe(9)
  })

  test("is returned by its execution id without its token, and is replayed and screened again from its bundle", async () => {
    const id = paid.answer.execution_id
    const again = (await (await fetch(`${server.origin}/v1/gb/executions/${id}`)).json()) as Bought["answer"]
    expect(again).toMatchObject({ replayed: true, decision: "APPROVE", result: { authorization_token: "" } })
    await done(["export", id, "--data", operator.data, "--out", operator.path("bundle.json")])
    const replayed = await done(["replay", operator.path("bundle.json"), "--rescreen", "--data", operator.data])
    expect(replayed).toContain("same decision")
    expect(replayed).toContain("screening of REGISTERED_NAME")
  })
})

test("a change of the paid payee is authorized, and its revoked token counts for nothing", async () => {
  const { answer } = await buy(
    gbChangeBody({
      company_number: ACTIVE,
      prior_authorization_reference: paid.answer.execution_id,
      challenge: challenge({ verified_at: formatInstant(Date.now()) }),
    }),
  )
  expect(answer).toMatchObject({ decision: "APPROVE", result: { change_state: "AUTHORIZED", revocable: true } })
  const held = { token: String(answer.result["authorization_token"]) }
  const [revoked] = await token("revoke", { ...held, reason: "FRAUD_SUSPECTED", idempotency_key: "revoke-001" })
  const [, told] = await token("status", held)
  expect([revoked, told["token_state"]]).toEqual([200, "REVOKED"])
  const next = buy(
    gbChangeBody({
      company_number: ACTIVE,
      current_payee_fingerprint: GB_OTHER_PAYEE,
      proposed_payee_fingerprint: GB_PAYEE,
      prior_authorization_reference: answer.execution_id,
      challenge: challenge({ verified_at: formatInstant(Date.now()) }),
    }),
  )
  await expect(next).rejects.toThrow("the service refused the quote: REFERENCE_NOT_USABLE")
})

test("with the list disabled nothing is quoted or charged, and the command reports it", async () => {
  const off = await operator.serve(["--sources-disabled", "UK_SANCTIONS_LIST"])
  writeFileSync(operator.path("off.json"), JSON.stringify(payment(ACTIVE)))
  const before = (await operator.transfers()).length
  const files = ["--request", operator.path("off.json"), "--out", operator.path("off-quote.json")]
  const requests = await run(["agent", "quote", "--server", off.origin, ...files])
  expect(requests.exit).toBe(3)
  expect(requests.out + requests.err).toContain("SOURCE_DISABLED")
  expect((await operator.transfers()).length).toBe(before)
})
