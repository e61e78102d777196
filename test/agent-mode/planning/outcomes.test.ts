import { expect } from "bun:test"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import type { PlanningDeps } from "../../../src/agent-mode/planning/planning-deps.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { intentBody, type PlanningName, planningService, START, source } from "./planning-service.ts"

const test = slowTests(import.meta.path)

const NAMES = Object.keys(planningOperations) as PlanningName[]

test("every outcome is reached, with its codes and its next action", async () => {
  const rows: readonly [string, object, Partial<PlanningDeps>, string[], string][] = [
    ["NOT_IMPLEMENTED", { intent: "CHECK_BR_COMPANY" }, {}, ["NOT_IMPLEMENTED"], "STOP_AND_SEEK_ALTERNATIVE"],
    ["UNSUPPORTED", { product_id: "another" }, {}, ["PRODUCT_DIFFERS"], "STOP_AND_SEEK_ALTERNATIVE"],
    ["UNSUPPORTED", { jurisdiction: "GB" }, {}, ["COVERAGE_UNSUPPORTED"], "STOP_AND_SEEK_ALTERNATIVE"],
    [
      "SOURCE_UNAVAILABLE",
      { budget: { max_amount_atomic: "0", asset: "USDC", network: "eip155:8453" } },
      { sourcesOf: () => [source({ health: "SCHEMA_BREAK" })], paymentsMode: "off" },
      ["US_OFAC_SDN_SOURCE_UNAVAILABLE", "PAYMENTS_OFF", "BUDGET_BELOW_PRICE"],
      "RETRY_LATER_WITHOUT_PAYMENT",
    ],
    [
      "SOURCE_STALE",
      {},
      { sourcesOf: () => [source({ staleAt: START + 9 * MINUTE })] },
      ["US_OFAC_SDN_SOURCE_STALE"],
      "RETRY_LATER_WITHOUT_PAYMENT",
    ],
    ["NOT_SOLD_NOW", {}, { paymentsMode: "off" }, ["PAYMENTS_OFF"], "STOP_AND_SEEK_ALTERNATIVE"],
    [
      "INSUFFICIENT_AUTHORITY",
      { intent: "RELEASE_PAYMENT_TO_SUPPLIER" },
      {},
      ["AGENT_ID_REQUIRED", "MANDATE_REQUIRED"],
      "OBTAIN_AUTHORITY",
    ],
    [
      "INSUFFICIENT_BUDGET",
      { budget: { max_amount_atomic: "1", asset: "USDC", network: "eip155:8453" } },
      {},
      ["BUDGET_BELOW_PRICE"],
      "STOP_OR_RAISE_BUDGET",
    ],
    ["NEEDS_INPUT", { input_digests: {} }, {}, ["INPUT_MISSING"], "PROVIDE_MISSING_INPUTS"],
    ["SUPPORTED", {}, {}, [], "REQUEST_QUOTE"],
    ["SUPPORTED", { intent: "READ_US_SOURCE_HEALTH" }, {}, [], "CALL_OPERATION"],
  ]
  await using service = await planningService()
  for (const [outcome, changes, deps, codes, next] of rows) {
    const { payload, status } = await service.ask("preflight", intentBody(changes), {}, service.made(deps))
    expect([status, payload.outcome, payload.reason_codes, payload.next_machine_action]).toEqual([
      200,
      outcome,
      codes,
      next,
    ])
  }
})

test("each route answers its own members and no effects", async () => {
  await using service = await planningService()
  const { payload: ready } = await service.ask("readiness", intentBody())
  expect([ready["readiness"], ready.continuation]).toEqual(["READY", null])
  const { payload: quoted } = await service.ask("quote", intentBody())
  expect(quoted["quote"]).toMatchObject({ asset: "USDC", scheme: "exact", reservation: false, not_a_charge: true })
  const { payload: routed } = await service.ask("routes", intentBody())
  expect(routed["selected_route"]).toMatchObject({ kind: "X402_HTTP" })
  expect((routed["ranked_routes"] as { kind: string }[]).map(({ kind }) => kind)).toEqual(["X402_HTTP", "X402_MCP"])
  const reference = { digest: digestOf("no artifact"), wallet_entry_id: null, authorized_by_caller: true }
  const references = [reference, { ...reference, authorized_by_caller: false }]
  const { payload: reuse } = await service.ask("reuse", intentBody({ evidence_references: references }))
  expect(reuse["rejected"]).toEqual([
    { digest: reference.digest, reason_code: "REFERENCE_NOT_FOUND" },
    { digest: reference.digest, reason_code: "NOT_AUTHORIZED_BY_CALLER" },
  ])
  for (const answer of [ready, quoted, routed, reuse]) {
    expect(answer["effects"]).toEqual({
      external_source_calls: 0,
      charged: false,
      decision_created: false,
      delivery_created: false,
      reservation_created: false,
    })
  }
})

test("every refusal has its code, status and headers", async () => {
  await using service = await planningService()
  const late = { max_age_seconds: 60, evaluated_at: formatInstant(START - 301_000) }
  const rows: readonly [PlanningName, object, Record<string, string>, number, string][] = [
    ["preflight", intentBody({ intent: "NO_SUCH_NEED" }), {}, 422, "INTENT_UNSUPPORTED"],
    ["quote", intentBody({ product_id: "another" }), {}, 422, "INTENT_UNSUPPORTED"],
    ["preflight", intentBody({ freshness_requirements: late }), {}, 422, "EVALUATED_AT_OUT_OF_WINDOW"],
    ["readiness", intentBody({ jurisdiction: "GB" }), {}, 422, "COVERAGE_UNSUPPORTED"],
    ["preflight", intentBody({ provided_inputs: ["/no_such_member"] }), {}, 422, "INPUT_POINTER_UNKNOWN"],
    [
      "preflight",
      intentBody({
        intent: "RELEASE_PAYMENT_TO_SUPPLIER",
        input_digests: { "/buyer_mandate/payload": digestOf(1) },
        authority: { mandate_digest: digestOf(2), delegation_id: null },
      }),
      {},
      422,
      "DIGEST_MISMATCH",
    ],
    ["quote", intentBody({ input_digests: {} }), {}, 422, "INTENT_INCOMPLETE"],
    ["preflight", intentBody(), { "x-payment": "e30=" }, 422, "PAYMENT_HEADER_FORBIDDEN"],
    ["preflight", intentBody(), { "payment-signature": "e30=" }, 422, "PAYMENT_HEADER_FORBIDDEN"],
    ["preflight", { ...intentBody(), key: { kty: "OKP", d: "secret" } }, {}, 422, "PRIVATE_KEY_MATERIAL_REJECTED"],
    ["preflight", { ...intentBody(), more: 1 }, {}, 422, "SCHEMA_INVALID"],
    ["preflight", intentBody(), { "content-type": "text/plain" }, 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["quote", intentBody({ continuation: { token: "a.b" } }), {}, 409, "CONTINUATION_BINDING_MISMATCH"],
  ]
  for (const [name, body, headers, status, code] of rows) {
    const told = await service.ask(name, body, headers)
    expect([told.status, told.code as string]).toEqual([status, code])
    expect(told.headers.get("x-contract-version")).toBe("1.0.0")
    expect(told.headers.get("x-agent-mode-lifecycle")).toBe("IMPLEMENTED_FLAG_OFF")
    expect(told.headers.get("x-agent-mode-enabled")).toBe("true")
  }
})

test("what no operation supports is refused with what is supported", async () => {
  await using service = await planningService()
  const rows: readonly (readonly [object, object])[] = [
    [{ intent: "CHECK_US_COMPANI" }, { pointer: "/intent", expected: "CHECK_US_COMPANY" }],
    [{ product_id: "another" }, { pointer: "/product_id", expected: "us.company.check.v1, null" }],
    [{ jurisdiction: "GB" }, { pointer: "/jurisdiction", expected: "US, null" }],
    [{ coverage: "ALL_STATES" }, { pointer: "/coverage", expected: "FEDERAL_ONLY, null" }],
  ]
  for (const [changes, error] of rows) {
    const { status, errors } = await service.ask("readiness", intentBody(changes))
    expect([status, errors?.length]).toEqual([422, 1])
    expect(errors?.[0]).toMatchObject(error)
  }
})

test("a payment header is named in the refusal", async () => {
  await using service = await planningService()
  const { errors } = await service.ask("preflight", intentBody(), { "x-payment": "e30=" })
  expect(errors?.map(({ pointer }) => pointer)).toEqual(["header:X-Payment"])
})

test("inputs whose names make a continuation too long get none", async () => {
  await using service = await planningService()
  const { agentId } = await service.enrol()
  const named = (characters: number) =>
    intentBody({
      intent: "RELEASE_PAYMENT_TO_SUPPLIER",
      requesting_agent: { agent_id: agentId },
      input_digests: Object.fromEntries(
        Array.from({ length: 64 }, (_, i) => [
          `/supplier/identifiers/${i}${"\u{20000}".repeat(characters)}`,
          digestOf(i),
        ]),
      ),
    })
  expect((await service.ask("readiness", named(10))).payload.continuation?.token).toBeString()
  expect((await service.ask("readiness", named(100))).payload.continuation).toBeNull()
})

test("with the setting off, every route names the flag and says when to come again", async () => {
  await using service = await planningService()
  for (const name of NAMES) {
    const told = await service.ask(name, intentBody(), { "x-payment": "e30=" }, service.made({ isOn: false }))
    expect([told.status, told.code as string]).toEqual([503, "AGENT_MODE_PLANNING_DISABLED"])
    expect(told.headers.get("x-agent-mode-lifecycle")).toBe("IMPLEMENTED_FLAG_OFF")
    expect(told.headers.get("x-agent-mode-enabled")).toBe("false")
    expect(told.headers.get("retry-after")).toBe("3600")
    expect(told.text).toContain("agent_mode_planning")
  }
})

test("authority is told from what is stated and public", async () => {
  await using service = await planningService()
  const { agentId } = await service.enrol()
  const codes = async (changes: object) =>
    (await service.ask("preflight", intentBody({ intent: "RELEASE_PAYMENT_TO_SUPPLIER", ...changes }))).payload
      .reason_codes
  const mandate = { mandate_digest: digestOf("mandate"), delegation_id: null }
  expect(await codes({ requesting_agent: { agent_id: agentId }, authority: mandate })).toEqual([])
  expect(await codes({ requesting_agent: { agent_id: `svc:agent:${"A".repeat(32)}` } })).toEqual([
    "AGENT_UNKNOWN",
    "MANDATE_REQUIRED",
  ])
  const stated = { requesting_agent: { agent_id: agentId }, authority: mandate }
  const { payload } = await service.ask(
    "preflight",
    intentBody({ intent: "RELEASE_PAYMENT_TO_SUPPLIER", ...stated, input_digests: {} }),
  )
  expect(payload.reason_codes).toEqual(["MANDATE_REQUIRED", "INPUT_MISSING"])
  const suppliers = new Map(payload.missing_inputs.map(({ pointer, supplied_by }) => [pointer, supplied_by]))
  expect(suppliers.get("/buyer_mandate/payload/mandate_id")).toBe("BUYER_ORGANIZATION")
  expect(suppliers.get("/requesting_agent/request_signature")).toBe("AGENT_KEY")
  expect(suppliers.get("/amount")).toBe("CALLER")
  expect(suppliers.has("/schema_version")).toBe(false)
})

test("a continuation is bound, used by one request and ends", async () => {
  await using service = await planningService()
  const open = intentBody({ input_digests: { "/company/identifiers": digestOf({ lei: "1" }) } })
  const { payload } = await service.ask("readiness", open)
  expect(payload["readiness"]).toBe("NEEDS_INPUT")
  const token = payload.continuation?.token ?? ""
  const continued = { ...open, continuation: { token } }
  const whole = { ...continued, input_digests: { ...open.input_digests, "": digestOf("whole") } }
  const other = { ...continued, input_digests: { "/company/identifiers": digestOf({ lei: "2" }) } }
  expect((await service.ask("quote", other)).code as string).toBe("CONTINUATION_BINDING_MISMATCH")
  // An incomplete request does not use the continuation.
  expect((await service.ask("quote", continued)).code as string).toBe("INTENT_INCOMPLETE")
  const both = await Promise.all([service.ask("quote", whole), service.ask("routes", whole)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const name = both[0].status === 200 ? "quote" : "routes"
  const again = await service.ask(name, whole)
  expect(again.text).toBe(both[name === "quote" ? 0 : 1].text)
  expect(again.payload["continues_plan_id"]).toBe(payload["plan_id"] as string)
  service.clock.set(START + 15 * MINUTE)
  const late = {
    ...whole,
    freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(START + 15 * MINUTE) },
  }
  expect((await service.ask(name, late)).code as string).toBe("CONTINUATION_EXPIRED")
})
