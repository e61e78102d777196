/** The free eligibility check of the answer products: each check before a quote is one line, and all products share one implementation. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { TObject } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { type AnswerCheckId, AnswerEligibilityResponse } from "../../schemas/eligibility.ts"
import type { Problem } from "../../schemas/problem.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { type InvalidBody, invalidBodies, NO_SUCH_DAY } from "../fixtures/invalid-bodies.ts"
import { isScreened, nameMembers, setAt } from "../fixtures/name-members.ts"
import { PRODUCT_ROWS, type ProductRow, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { listedParty } from "../fixtures/test-server.ts"
import { openProductServers, type ProductServers } from "./product-servers.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const ROWS = ANSWER_RULES.map(({ id }) => PRODUCT_ROWS.find((row) => row.id === id) as ProductRow)
const EACH = ROWS.map((row) => [row.id, row] as const)

let servers: ProductServers
beforeAll(async () => {
  servers = await openProductServers()
})
afterAll(() => servers.close())

async function ask(
  { path }: ProductRow,
  body: unknown,
  server = servers.servers[0],
): Promise<AnswerEligibilityResponse> {
  const answer = await server.post(body, {}, `${path}/eligibility`)
  const given = (await answer.json()) as AnswerEligibilityResponse
  expect([answer.status, [...Value.Errors(AnswerEligibilityResponse, given)]]).toEqual([200, []])
  expect([given.charged, given.quote_created, answer.headers.has("payment-required")]).toEqual([false, false, false])
  expect(given.eligible).toBe(given.checks.every(({ state }) => state !== "FAILED"))
  return given
}

const quote = (row: ProductRow, body: object) => {
  const { path, body: text, headers } = purchaseOf(row, body)
  return servers.servers[0].post(text, headers, path)
}
const isOfName = (checkId: AnswerCheckId) => checkId === "LEGAL_NAME" || checkId === "INVOICE_NAME"
const hasNoSuchDay = ({ body }: InvalidBody) => JSON.stringify(body).includes(NO_SUCH_DAY)
const failedOf = ({ checks }: AnswerEligibilityResponse) => checks.filter(({ state }) => state === "FAILED")
const US_END = ["SOURCES", "PAYER_WALLET"] as const

/** The checks of each product before a quote, in its order. */
const LINES: Readonly<Record<string, readonly AnswerCheckId[]>> = {
  "us.company.check.v1": ["COMPANY_IDENTIFIER", "EVALUATION_TIME", "LEGAL_NAME", ...US_END],
  "us.supplier.approve.v1": ["COMPANY_IDENTIFIER", "EVALUATION_TIME", "LEGAL_NAME", ...US_END],
  "us.invoice_payee.verify.v1": [
    "DIGESTS",
    "COMPANY_IDENTIFIER",
    "EVALUATION_TIME",
    "LEGAL_NAME",
    "CONSISTENCY",
    "EVIDENCE_END",
    ...US_END,
  ],
  "us.payment.authorize.v1": [
    "AMOUNT_AND_CURRENCY",
    "COMPANY_IDENTIFIER",
    "EVALUATION_TIME",
    "LEGAL_NAME",
    "EARLIER_AUTHORIZATION",
    "OWN_RECORDS",
    ...US_END,
  ],
  "us.vendor.payment_detail_change.authorize.v1": [
    "AUDIENCE",
    "CHANGE",
    "COMPANY_IDENTIFIER",
    "AGENT_KEY",
    "REQUEST_SIGNATURE",
    "BUYER",
    "DELEGATION",
    "EVALUATION_TIME",
    "LEGAL_NAME",
    "CONSISTENCY",
    "EVIDENCE_END",
    "OWN_RECORDS",
    ...US_END,
  ],
  "us.vendor.authorization.continue.v1": [
    "COMPANY_IDENTIFIER",
    "EVALUATION_TIME",
    "LEGAL_NAME",
    "OWN_RECORDS",
    ...US_END,
  ],
  "gb.business.payment.authorize.v1": [
    "AMOUNT_AND_CURRENCY",
    "CHANGE",
    "INVOICE_NAME",
    "COMPANY_REGISTER",
    "CONSISTENCY",
    "EVIDENCE_END",
    "OWN_RECORDS",
    ...US_END,
  ],
  "gb.vendor.payment_detail_change.authorize.v1": [
    "CHANGE",
    "COMPANY_REGISTER",
    "CONSISTENCY",
    "EVIDENCE_END",
    "OWN_RECORDS",
    ...US_END,
  ],
}
/** Only a payment shows who pays. */
const UNTIL_PAID: readonly AnswerCheckId[] = ["EARLIER_AUTHORIZATION", "OWN_RECORDS", "PAYER_WALLET"]

describe.each(EACH)("%s", (id, row) => {
  const members = (row.request as TObject).required ?? []

  test("a body that gets a quote passes every line that does not need a payer, in the order of the list", async () => {
    const body = row.body()
    expect((await quote(row, body)).status).toBe(402)
    const before = await servers.traces()
    const given = await ask(row, body)
    expect(await servers.traces()).toEqual(before)
    const expected = ["REQUEST_COMPLETE", ...(LINES[id] ?? [])].map((check_id) => ({
      check_id,
      state: UNTIL_PAID.includes(check_id as AnswerCheckId) ? "NOT_EVALUATED" : "PASSED",
      code: null,
      pointers: [],
    }))
    expect(given.checks).toEqual(expected as typeof given.checks)
    expect([given.product, given.eligible, given.next_machine_action]).toEqual([id, true, "REQUEST_QUOTE"])
    expect([given.required_information, given.limitations]).toEqual([
      [],
      ["ELIGIBILITY_IS_NOT_A_DECISION", "PAYER_NOT_KNOWN", "STATE_MAY_CHANGE_BEFORE_THE_QUOTE"],
    ])
  })

  test("a body that is never quoted fails a line with the code of the refusal, its pointers and its remediation", async () => {
    for (const [code, body] of Object.values(row.refused)) {
      const requests = body()
      const [refusal, given] = [await quote(row, requests), await ask(row, requests)]
      const problem = (await refusal.json()) as Problem
      if (isScreened(problem)) {
        expect(problem.code).toBe(code)
        expect(
          given.checks.filter(({ check_id, state }) => isOfName(check_id) && state === "NOT_EVALUATED").length,
        ).toBe(1)
        continue
      }
      const [first] = failedOf(given)
      expect([problem.code, first?.code, given.eligible]).toEqual([code, code, false])
      expect(first?.pointers).toEqual(problem.errors.map(({ pointer }) => pointer))
      expect(given.next_machine_action).toBe(problem.next_machine_action)
      expect(new ServiceError(code, "").refusal.next).toBe(given.next_machine_action)
    }
  })

  test("a half-readable name is not judged, so that no caller learns for free whether a list has it", async () => {
    for (const pointer of nameMembers(row.request)) {
      const lines = [listedParty().names[0]?.text ?? "", "Quiet Meadow Tools LLC"].map(async (name) => {
        const body = structuredClone(row.body()) as object
        setAt(body, pointer, `${name} \u0e17`)
        const { checks } = await ask(row, body)
        return checks.filter(({ check_id }) => isOfName(check_id))
      })
      const [listed, unlisted] = await Promise.all(lines)
      expect(listed).toEqual(unlisted as NonNullable<typeof unlisted>)
      expect(listed?.map(({ state }) => state)).toEqual(["NOT_EVALUATED"])
    }
  })

  test.each(row.sourceFaults.map((fault) => [fault.source, fault.code, fault] as const))(
    "%s, %s: the line of the sources has the reason of the uncharged answer",
    async (_source, code, { broken }) => {
      await servers.broken(broken, async () => {
        const body = row.body()
        const answer = (await (await quote(row, body)).json()) as { reason_codes: string[]; machine_action: string }
        const given = await ask(row, body)
        expect(answer.reason_codes[0]).toBe(code)
        expect(failedOf(given)[0]).toMatchObject({ code })
        expect(given.next_machine_action).toBe(answer.machine_action)
      })
    },
  )

  test.each(members.map((member) => [member]))(
    "a body without %s gets a line that names it, and the other lines are judged",
    async (member) => {
      const { [member]: _, ...partial } = row.body() as unknown as Record<string, unknown>
      const given = await ask(row, partial)
      const expected = {
        check_id: "REQUEST_COMPLETE",
        state: "FAILED",
        code: "SCHEMA_INVALID",
        pointers: [`/${member}`],
      }
      expect(failedOf(given)).toEqual([expected as (typeof given.checks)[0]])
      expect([given.required_information, given.next_machine_action]).toEqual([[`/${member}`], "CORRECT_REQUEST"])
    },
  )

  test("an empty body gets a line that names everything that is required", async () => {
    const given = await ask(row, {})
    expect(given.required_information).toEqual(members.map((member) => `/${member}`))
    expect(failedOf(given).map(({ check_id }) => check_id)).toEqual(["REQUEST_COMPLETE"])
  })

  test("a date that does not exist is rejected with its pointer, by eligibility as by the quote", async () => {
    const bodies = [row.body(), ...Object.values(row.refused).map(([, make]) => make())]
    const dated = bodies.flatMap((body) => [...invalidBodies(row.request, body)].filter(hasNoSuchDay))
    expect(dated.length > 0).toBe(bodies.some((body) => /T\d\d:\d\d:\d\d/.test(JSON.stringify(body))))
    for (const { pointer, body } of dated) {
      const answers = [
        await quote(row, body as object),
        await servers.servers[0].post(body, {}, `${row.path}/eligibility`),
      ]
      for (const answer of answers) {
        const { code, errors } = (await answer.json()) as Problem
        expect([answer.status, code, errors.map((fault) => [fault.pointer, fault.code])]).toEqual([
          422,
          "SCHEMA_INVALID",
          [[pointer, "DATE_TIME"]],
        ])
      }
    }
  })

  test.each([
    ["an unknown member", { extra: 1 }, 422],
    ["a duplicate member", '{"idempotency_key":"a","idempotency_key":"b"}', 400],
    ["no object", "[]", 422],
  ])("%s is rejected", async (_, body, status) => {
    expect((await servers.servers[0].post(body, {}, `${row.path}/eligibility`)).status).toBe(status)
  })

  test("nothing is signed, stored or sent to a node", async () => {
    const { counting } = servers
    const before = { counts: servers.counts(), traces: await servers.traces() }
    await ask(row, row.body(), counting)
    const { signatures, rpc } = servers.counts()
    expect({ signatures, rpc }).toEqual({ signatures: before.counts.signatures, rpc: before.counts.rpc })
    expect(await servers.traces()).toEqual(before.traces)
  })
})
