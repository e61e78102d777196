/** What a continuation is bound to: a later request may add, and never change or leave out. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AgentPlanningIntent, PlanningContinuation } from "../../../schemas/agent-mode/planning.ts"
import { decodeBase64url, encodeBase64url } from "../../../src/core/base64url.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signValue } from "../../../src/core/signer.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { without } from "../../../src/core/without.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { intentBody, planningService, START } from "./planning-service.ts"

let service: Awaited<ReturnType<typeof planningService>>
let agentId: string
let open: AgentPlanningIntent
let token: string
let payload: PlanningContinuation

beforeAll(async () => {
  service = await planningService()
  const agent = await service.enrol()
  agentId = agent.agentId
  open = intentBody({
    intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    requesting_agent: { agent_id: agentId },
    authority: { mandate_digest: digestOf("mandate"), delegation_id: "dlg_1" },
    input_digests: { "/amount": digestOf("10.00"), "/buyer_mandate": digestOf({}) },
  })
  const ready = await service.ask("readiness", open)
  token = ready.payload.continuation?.token ?? ""
  payload = JSON.parse(new TextDecoder().decode(decodeBase64url(token.split(".")[0] ?? "") ?? undefined))
})
afterAll(() => service[Symbol.asyncDispose]())

/** Asks for a preflight: it never needs a complete intent. */
const ask = async (changes: Partial<AgentPlanningIntent>, given = token, by = service.made()) => {
  const told = await service.ask("preflight", { ...open, ...changes, continuation: { token: given } }, {}, by)
  return told.code ?? told.payload.outcome
}

test("it names plan, audience, key, and everything that was stated, and ends after fifteen minutes", () => {
  expect(payload).toMatchObject({
    domain: "svc.planning.continuation.v1",
    audience: "http://localhost",
    intent: open.intent,
    agent_id: agentId,
    authority: open.authority,
    input_digests: open.input_digests,
    issued_at: formatInstant(START),
    expires_at: formatInstant(START + 15 * MINUTE),
  })
  expect(payload.continuation_id).toMatch(/^cnt_[A-Za-z0-9_-]{22}$/)
})

test("a request states it as a plan prints it, or as its token alone; only the token is read", async () => {
  type Continuation = { readonly token: string }
  const forms: readonly ((printed: Continuation) => AgentPlanningIntent["continuation"])[] = [
    (printed) => printed,
    ({ token }) => token,
    (printed) => ({ ...printed, expires_at: "2000-01-01T00:00:00Z" }),
  ]
  for (const [at, form] of forms.entries()) {
    // Each continuation is used by one request.
    const stated = { ...open, idempotency_key: `planning-form-${at}` }
    const { payload: ready } = await service.ask("readiness", stated)
    const continuation = form(ready.continuation ?? { token: "" })
    const told = await service.ask("preflight", { ...stated, continuation })
    expect([at, told.status, told.payload?.["continues_plan_id"]]).toEqual([at, 200, ready["plan_id"]])
  }
})

test("its binding digest covers all but its times", async () => {
  const { payload: ready } = await service.ask("readiness", open)
  expect((ready.continuation as { binding_digest?: string } | null)?.binding_digest).toBe(
    digestOf(without(payload, "issued_at", "expires_at")),
  )
})

const MISMATCHES: readonly (readonly [what: string, changes: Partial<AgentPlanningIntent>])[] = [
  ["another intent", { intent: "CHECK_US_COMPANY", input_digests: {} }],
  ["another agent", { requesting_agent: { agent_id: `svc:agent:${"A".repeat(32)}` } }],
  ["no agent", { requesting_agent: null }],
  ["another mandate", { authority: { mandate_digest: digestOf("other"), delegation_id: "dlg_1" } }],
  ["no mandate", { authority: { mandate_digest: null, delegation_id: "dlg_1" } }],
  ["another delegation", { authority: { mandate_digest: digestOf("mandate"), delegation_id: "dlg_2" } }],
  ["another value", { input_digests: { "/amount": digestOf("99.00"), "/buyer_mandate": digestOf({}) } }],
  ["a value left out", { input_digests: { "/amount": digestOf("10.00") } }],
]

test.each(MISMATCHES)("%s is not what it is bound to", async (_what, changes) => {
  expect(await ask(changes)).toBe("CONTINUATION_BINDING_MISMATCH")
})

const signed = (content: object, signer = testKey("svc", 40)) =>
  `${encodeBase64url(canonicalBytes(content))}.${signValue(signer, content).value}`

test("a token that this service did not sign for this address is none", async () => {
  const [encoded, signature] = token.split(".")
  const later = { ...payload, expires_at: formatInstant(START + 60 * MINUTE) }
  const foreign = testKey("svc", 41)
  const tokens = [
    `${encodeBase64url(canonicalBytes(later))}.${signature}`,
    `${encoded}.${"A".repeat(86)}`,
    `${encoded}`,
    signed({ ...payload, key_id: foreign.keyId }, foreign),
    signed(payload, foreign),
    "not a token",
  ]
  for (const given of tokens) expect([given, await ask({}, given)]).toEqual([given, "CONTINUATION_BINDING_MISMATCH"])
  // In this form it looks like a JWT, which no body may carry.
  expect(await ask({}, `${encoded}.${signature}.${signature}`)).toBe("CREDENTIAL_REJECTED")
  expect(await ask({}, token, service.made({ baseUrl: () => "https://other.example" }))).toBe(
    "CONTINUATION_BINDING_MISMATCH",
  )
})

test("a request may add values, pointers and a budget", async () => {
  const more = { ...open.input_digests, "/currency": digestOf("USD") }
  expect(await ask({ input_digests: more, provided_inputs: ["/invoice"], budget: null })).toBe("NEEDS_INPUT")
})
