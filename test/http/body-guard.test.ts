/**
 * "Any IBAN, sort code with account number or card number planted in any string of any body is refused": asked of every operation
 * there is, on the real socket, with bodies that its own schema makes.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { checkPaymentDecisionEligibility, releasePaymentDecision } from "../../schemas/us/operations.ts"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { sensitiveMembers } from "../../src/core/sensitive/sensitive-members.ts"
import type { Listener } from "../../src/http/listen.ts"
import { serve } from "../../src/http/serve.ts"
import { usBody } from "../fixtures/answers.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { runs } from "../fixtures/long.ts"
import { isAmount, operations, places, planted, refusing, withRoom } from "../fixtures/planted-bodies.ts"
import { listening, testShell } from "../fixtures/shell.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

test("every operation with a body refuses bank data, except where an agent shows its identity and its signatures", () => {
  // The arguments of a tool are checked by the operation that is called.
  const others = operations.filter((each) => !refusing.includes(each) && !["agent_a2a", "agent_mcp"].includes(each.id))
  expect(
    others.filter(({ path }) => !/^\/v1\/agent-(identities|signatures|id)\b/.test(path)).map(({ id }) => id),
    // A signed document is imported, and a draft is rehearsed, as it is; the routes look at the rest of the body, and have their own tests.
  ).toEqual(["run_synthetic_journey", "import_proof_wallet_artifact"])
  expect(others.filter(({ authentication, price }) => authentication === "X402" || Number(price?.amount) > 0)).toEqual(
    [],
  )
  expect(refusing.length).toBeGreaterThan(6)
})

const { shell, logged } = testShell()
let handled = 0
let server: Listener & AsyncDisposable
beforeAll(() => {
  server = listening(
    shell,
    refusing.map((operation) =>
      serve(shell, operation, () => {
        handled++
        return { status: 200, body: "{}" }
      }),
    ),
  )
})
afterAll(() => server.stop(0))

describe.each(withRoom.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const status = operation.schemaFaultStatus ?? 422
  const path = operation.path.replace(/\{[A-Za-z]+\}/g, "unknown")

  test("refuses bank data in any member that would accept it, points at the member and repeats no value", async () => {
    const before = { handled, logged: logged.length }
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(planted(operation), async ({ place, text, spoiled, taken }) => {
        fc.pre(taken)
        const answer = await fetch(server.origin + path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(spoiled),
        })
        const told = await answer.text()
        const problem = JSON.parse(told)
        expect([answer.status, problem.code]).toEqual([status, "RAW_BANK_DATA_REJECTED"])
        expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(place?.pointer ?? "")
        expect(told + JSON.stringify([...answer.headers])).not.toContain(text)
        found.add((place?.pointer ?? "").replace(/\d+/g, "N"))
      }),
      { numRuns: runs(60), maxSkipsPerRun: 500 },
    )
    expect(found.size).toBeGreaterThan(0)
    expect(handled).toBe(before.handled)
    const written = logged.slice(before.logged)
    expect(new Set(written.map(({ event, code }) => `${event} ${code}`))).toEqual(
      new Set(["request RAW_BANK_DATA_REJECTED"]),
    )
    for (const line of written) {
      expect(Object.keys(line).toSorted()).toEqual([
        "code",
        "event",
        "level",
        "ms",
        "operation",
        "request_id",
        "status",
        "time",
      ])
    }
  })
})

test.each([
  [releasePaymentDecision, signedRequest()],
  [checkPaymentDecisionEligibility, signedRequest()],
  [checkCompany, usBody()],
] as const)("a body without bank data reaches its handler", async ({ path }, body) => {
  const before = handled
  const headers = { "content-type": "application/json" }
  const answer = await fetch(server.origin + path, { method: "POST", headers, body: JSON.stringify(body) })
  expect([answer.status, handled]).toEqual([200, before + 1])
})

test("every text of a complete Payment Decision request is checked, and the error points only at the bad one", () => {
  const faultsOf = sensitiveMembers(DecisionRequest, { bankData: true })
  const all = places(DecisionRequest, signedRequest())
  let found = 0
  for (const text of ["GB29NWBK60161331926819", "4111-1111-1111-1111", "20-00-00:55779911"]) {
    for (const { pointer, schema, put } of all) {
      const body = put(text)
      const taken = Value.Check(DecisionRequest, body)
      const faults = faultsOf(body).map((fault) => fault.pointer)
      if (taken && !isAmount(schema)) found++
      if (taken) expect([pointer, faults]).toEqual([pointer, isAmount(schema) ? [] : [pointer]])
    }
  }
  expect(found).toBeGreaterThan(85)
})

test("a card number in one piece is a fault in prose and where an account is named, and may be an id anywhere else", () => {
  const faultsOf = sensitiveMembers(DecisionRequest, { bankData: true })
  const found = places(DecisionRequest, signedRequest()).flatMap(({ put }) => {
    const body = put("4111111111111111")
    return Value.Check(DecisionRequest, body) ? faultsOf(body).map(({ pointer }) => pointer) : []
  })
  expect(found.toSorted()).toEqual([
    "/economic_purpose",
    "/exposure_valuation_basis",
    "/payee/value",
    "/payment_destination/value",
    // A name of a map is no id.
    "/supplier/identifiers",
    "/supplier/legal_name",
  ])
  const identifiers = { uei: "ZQGGHJH74DW7", card_on_file: "4111111111111111" }
  expect(faultsOf({ ...signedRequest(), supplier: { entity_id: "supplier:1", identifiers } })).toEqual([
    { pointer: "/supplier/identifiers/card_on_file", kind: "CARD_NUMBER" },
  ])
})

test("bank data as a member name, or in a body of the wrong type, is not repeated either", async () => {
  const path = refusing.find(({ authentication }) => authentication === "X402")?.path ?? ""
  const card = "4111-1111-1111-1111"
  const unfit = [
    `{"${card}":1}`,
    `{"supplier":{"entity_id":"a","identifiers":{"${card}":1}}}`,
    `{"DE89/3704-0044-0532-0130-00":1,"${card}":{"a":1}}`,
    `{"a":"${card}","a":"${card}"}`,
    `{"a":"${card}"`,
    `"${card}"`,
  ]
  for (const body of unfit) {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(server.origin + path, { method: "POST", headers, body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await answer.text()) + JSON.stringify(logged.at(-1))).not.toMatch(/4111|DE89/)
  }
})
