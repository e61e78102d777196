import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import type { MandatePayload } from "../../../schemas/us/mandate.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { digestFaults, fingerprint, requestDigest, requestSigningBytes } from "../../../src/checks/policy/digests.ts"
import { mandateFault } from "../../../src/checks/us/mandate.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { type AgentMachine, draft, openAgentMachine } from "../../fixtures/agent-machine.ts"
import { AGENT_ID, agentKey, mandateKey } from "../../fixtures/buyers.ts"
import { signRequest as signFixture } from "../../fixtures/decision.ts"

let agentMachine: AgentMachine
beforeEach(() => {
  agentMachine = openAgentMachine()
})
afterEach(() => agentMachine[Symbol.dispose]())

const AT = Date.UTC(2026, 10, 20, 10)
const clockAt = (at: number) => ({ ...realMachine, now: () => at })
const signed = (name = "request.json") => JSON.parse(readFileSync(agentMachine.path(name), "utf8")) as DecisionRequest

test("a draft becomes a complete request: every digest recomputes, both signatures verify, and the mandate covers exactly this request", async () => {
  expect(await agentMachine.sign({}, clockAt(AT))).toMatchObject({ exit: EXIT.DONE, err: "" })
  const request = signed()
  const { payload, signature } = request.buyer_mandate
  expect(digestFaults(request)).toEqual([])
  expect(verifySignature(agentKey.x, requestSigningBytes(request), request.requesting_agent.request_signature)).toBe(
    true,
  )
  expect(verifySignature(mandateKey.x, canonicalBytes(payload), signature.value)).toBe(true)
  const context = { requestDigest: requestDigest(request), at: AT, signerAgentId: null }
  expect(mandateFault(payload, request, { ...context, signerKind: "ORGANIZATION" })).toBeNull()
  expect(request.requesting_agent).toMatchObject({ agent_id: AGENT_ID, key_id: agentKey.keyId })
  expect(request.freshness_requirements.evaluated_at).toBe(formatInstant(AT))
  expect([payload.max_payment_amount, payload.max_decision_fee_atomic]).toEqual([request.amount, "790000"])
  expect(payload.valid_until).toBe(formatInstant(AT + 2 * HOUR))
})

test("each signing creates a new mandate, nonce and key, and never overwrites a request", async () => {
  await agentMachine.sign()
  expect((await agentMachine.sign()).exit).toBe(EXIT.USAGE)
  await agentMachine.sign({ out: agentMachine.path("second.json"), "mandate-valid-minutes": "15" }, clockAt(AT))
  const [first, second] = [signed(), signed("second.json")]
  for (const member of ["mandate_id", "nonce"] as const) {
    expect(first.buyer_mandate.payload[member]).not.toBe(second.buyer_mandate.payload[member])
  }
  expect(first.idempotency_key).not.toBe(second.idempotency_key)
  expect(second.buyer_mandate.payload.valid_until).toBe(formatInstant(AT + 15 * MINUTE))
  expect(statSync(agentMachine.path("request.json")).mode & 0o077).toBe(0)
})

test("a fingerprint of another destination stops the signing, and a correct one is kept", async () => {
  const payee = draft()["payee"] as DecisionRequest["payee"]
  agentMachine.write("draft.json", draft({ payee: { ...payee, fingerprint: digestOf("another") } }))
  expect(await agentMachine.sign()).toMatchObject({
    exit: EXIT.INVALID,
    err: expect.stringContaining("/payee/fingerprint"),
  })
  expect(existsSync(agentMachine.path("request.json"))).toBe(false)
  agentMachine.write("draft.json", draft({ payee: { ...payee, fingerprint: fingerprint(payee) } }))
  expect((await agentMachine.sign()).exit).toBe(EXIT.DONE)
})

const lacking = (member: string) => {
  const { [member]: _, ...rest } = draft()
  return rest
}
test.each([
  ["a missing member", () => lacking("amount"), "/amount"],
  ["an unknown member", () => draft({ note: "pay quickly" }), "/note"],
  ["a wrong form", () => draft({ currency: "usd" }), "/currency"],
  ["a destination without value", () => draft({ payee: { type: "WALLET" } }), "/payee"],
  ["a domain of another signed form", () => draft({ domain: "svc.buyer-delegation.v1" }), "/domain"],
  ["a list", () => [] as unknown, "it is not an object"],
])("the error names %s, and nothing is signed", async (_name, content, named) => {
  agentMachine.write("draft.json", content())
  const { exit, err } = await agentMachine.sign()
  expect([exit, err]).toEqual([EXIT.USAGE, expect.stringContaining(named)])
  expect(existsSync(agentMachine.path("request.json"))).toBe(false)
})

test("a draft for another agent is not signed with this agent's key", async () => {
  agentMachine.write("draft.json", draft({ requesting_agent: { agent_id: `svc:agent:${"b".repeat(32)}` } }))
  expect((await agentMachine.sign()).exit).toBe(EXIT.INVALID)
})

test("a key file that is not enrolled, a missing draft and conflicting mandate flags get different errors", async () => {
  const {
    agent_id: _a,
    key_id: _k,
    server: _s,
    ...plain
  } = JSON.parse(readFileSync(agentMachine.path("agent.json"), "utf8"))
  expect((await agentMachine.sign({ mandate: agentMachine.path("m.json") })).exit).toBe(EXIT.USAGE)
  expect((await agentMachine.sign({ "mandate-key": "" })).exit).toBe(EXIT.USAGE)
  expect((await agentMachine.sign({ "mandate-valid-minutes": "14" })).exit).toBe(EXIT.USAGE)
  expect((await agentMachine.sign({ request: agentMachine.path("nothing.json") })).exit).toBe(EXIT.NOT_CHECKED)
  agentMachine.write("agent.json", plain)
  expect((await agentMachine.sign()).exit).toBe(EXIT.USAGE)
})

/** A draft with fixed time and key, and a mandate for it that was signed on another machine. */
function signedElsewhere(changes: Partial<MandatePayload> = {}) {
  const whole = draft({
    idempotency_key: "order-elsewhere-1",
    freshness_requirements: { max_age_seconds: 172_800, evaluated_at: formatInstant(AT) },
  })
  agentMachine.write("draft.json", whole)
  const form = {
    schema_version: "1.0.0",
    intent: "RELEASE_PAYMENT_TO_SUPPLIER",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    coverage_requirements: { jurisdiction: "US", coverage: "FEDERAL_ONLY" },
    disclosure: { profile: "MINIMAL", audience_digest: null },
    evidence_references: [],
    ...whole,
    requesting_agent: { agent_id: AGENT_ID, key_id: agentKey.keyId, request_signature: "unsigned" },
  } as unknown as Omit<DecisionRequest, "buyer_mandate">
  for (const name of ["payee", "payment_destination"] as const) {
    form[name] = { ...form[name], fingerprint: fingerprint(form[name]) }
  }
  return signFixture(form, { at: AT, mandate: changes }).buyer_mandate
}

test("a mandate signed elsewhere is used unchanged, and the draft keeps the time and key it covers", async () => {
  const mandate = signedElsewhere()
  const flags = { "mandate-key": "", mandate: agentMachine.write("m.json", mandate) }
  expect(await agentMachine.sign(flags, clockAt(AT + MINUTE))).toMatchObject({ exit: EXIT.DONE })
  expect(signed().buyer_mandate).toEqual(mandate)
  expect(digestFaults(signed())).toEqual([])
})

test.each([
  ["another request", { request_digest: digestOf("another") }, 0, "MANDATE_NOT_BOUND"],
  ["a smaller payment", { max_payment_amount: "12499.99" }, 0, "MANDATE_LIMIT_EXCEEDED"],
  ["a time in the past", {}, 3 * HOUR, "MANDATE_NOT_CURRENT"],
])("a mandate for %s is rejected before the agent signs", async (_name, changes, later, code) => {
  const flags = { "mandate-key": "", mandate: agentMachine.write("m.json", signedElsewhere(changes)) }
  const { exit, err } = await agentMachine.sign(flags, clockAt(AT + later))
  expect([exit, err]).toEqual([EXIT.INVALID, expect.stringContaining(code)])
  expect(existsSync(agentMachine.path("request.json"))).toBe(false)
})

test("a mandate with an edited payload fails its own digest", async () => {
  const mandate = signedElsewhere()
  const edited = { ...mandate, payload: { ...mandate.payload, max_payment_amount: "99999" } }
  const ran = await agentMachine.sign({ "mandate-key": "", mandate: agentMachine.write("m.json", edited) }, clockAt(AT))
  expect([ran.exit, ran.err]).toEqual([EXIT.INVALID, expect.stringContaining("mandate_digest")])
})
