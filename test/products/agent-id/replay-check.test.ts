import { afterEach, beforeEach, expect } from "bun:test"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { Crowd } from "../../../src/products/agent-id/crowd.ts"
import { evaluateSignature } from "../../../src/products/agent-id/evaluate-signature.ts"
import { KeptSigners } from "../../../src/products/agent-id/kept-signers.ts"
import { subjectOf } from "../../../src/products/agent-id/signature-subject.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { changedCaps, freeWriter } from "../../fixtures/free-writes.ts"
import { freshNonce, signedStatement } from "../../fixtures/signed-statement.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { newAgent, openWithAgent, type Service, verificationOf } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let agent: TestAgent
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent())
})
afterEach(() => service.close())

const signed = (given: Parameters<typeof signedStatement>[2] = {}) => signedStatement(agent, service.clock.at, given)
const recorded = () => service.count("signature_nonce")

async function replayOf(body: object, requests: object = {}) {
  const response = await service.post("/v1/agent-signatures/verify", { ...body, ...requests })
  const result = await verificationOf(response)
  return { ...result.outcomes.replay, next: result.next_machine_action }
}
const RECORD = { replay_check: "RECORD" }

test("OBSERVE reads and stores nothing, however often", async () => {
  const body = signed()
  for (let i = 0; i < 3; i++) expect(await replayOf(body)).toMatchObject({ outcome: "NOT_SEEN", nonce_consumed: false })
  expect(await recorded()).toBe(0)
})

test("RECORD consumes a nonce once, and the next verifier and OBSERVE see it", async () => {
  const body = signed()
  const verifier_nonce = freshNonce()
  expect(await replayOf(body, { ...RECORD, verifier_nonce })).toEqual({
    outcome: "NOT_SEEN",
    scope: "AGENT_KEY_AUDIENCE_NONCE",
    mode: "RECORD",
    nonce_consumed: true,
    record_id: digestOf({ statement_digest: digestOf(body.statement), verifier_nonce }),
    reason_codes: [],
    next: "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
  })
  for (const requests of [{}, RECORD, { ...RECORD, verifier_nonce: freshNonce() }]) {
    expect(await replayOf(body, requests)).toMatchObject({
      outcome: "SEEN",
      nonce_consumed: false,
      next: "REJECT_REPLAY",
    })
  }
  expect(await recorded()).toBe(1)
})

test("a verifier that lost the response repeats the call with its own nonce and gets NOT_SEEN again", async () => {
  const body = signed()
  const own = { ...RECORD, verifier_nonce: freshNonce() }
  const first = await replayOf(body, own)
  expect(await replayOf(body, own)).toEqual(first)
  expect(await replayOf(body, { verifier_nonce: own.verifier_nonce })).toMatchObject({ outcome: "NOT_SEEN" })
  expect(await recorded()).toBe(1)
})

test("one nonce serves one statement: another statement with it is SEEN, even by the same verifier", async () => {
  const nonce = freshNonce()
  const own = { ...RECORD, verifier_nonce: freshNonce() }
  await replayOf(signed({ nonce }), own)
  expect(await replayOf(signed({ nonce, action_type: "OTHER" }), own)).toMatchObject({ outcome: "SEEN" })
  expect(await replayOf(signed({ nonce, audience: "https://b.example" }), own)).toMatchObject({ outcome: "NOT_SEEN" })
})

test("without a verifier nonce every repeat is SEEN", async () => {
  const body = signed()
  expect(await replayOf(body, RECORD)).toMatchObject({ outcome: "NOT_SEEN", nonce_consumed: true })
  expect(await replayOf(body, RECORD)).toMatchObject({ outcome: "SEEN" })
})

test("of fifty simultaneous verifiers one consumes the nonce", async () => {
  const body = signed()
  const requests = Array.from({ length: 50 }, () => ({ ...RECORD, verifier_nonce: freshNonce() }))
  const answers = await Promise.all(requests.map((one) => replayOf(body, one)))
  expect(answers.filter(({ outcome, nonce_consumed }) => outcome === "NOT_SEEN" && nonce_consumed)).toHaveLength(1)
  expect(answers.filter(({ outcome }) => outcome === "SEEN")).toHaveLength(49)
})

test.each<[string, () => object]>([
  ["forged", () => ({ ...signed(), signature: signed().signature })],
  ["of another payload", () => ({ ...signed(), payload: { other: true } })],
  ["expired", () => signedStatement(agent, service.clock.at - 330_000)],
  ["not yet valid", () => signedStatement(agent, service.clock.at + 31_000)],
  ["too long", () => signed({ expires_at: "2026-03-01T13:00:00Z" })],
  ["older than the key", () => signed({ issued_at: "2026-03-01T11:59:37.249Z", expires_at: "2026-03-01T12:00:08Z" })],
])("a statement that is %s does not consume a nonce", async (_, body) => {
  expect(await replayOf(body(), RECORD)).toMatchObject({
    outcome: "NOT_SEEN",
    nonce_consumed: false,
    record_id: null,
    reason_codes: ["NONCE_NOT_RECORDED"],
  })
  expect(await recorded()).toBe(0)
})

test.each(["REVOKED", "ROTATED"])(
  "a key that is %s now has its nonce consumed only when it is ROTATED",
  async (status) => {
    const body = signed()
    const until = new Date(service.clock.at + 1).toISOString()
    await service.write("UPDATE agent_key SET status = ?, until = ? WHERE role = 'OPERATIONAL'", status, until)
    service.clock.at += 1000
    expect(await replayOf(body, RECORD)).toMatchObject({ nonce_consumed: status === "ROTATED" })
  },
)

test("a record counts until the window and the skew are over, and the loop deletes it", async () => {
  const body = signed()
  await replayOf(body, RECORD)
  service.clock.at += 329_999
  expect(await replayOf(body)).toMatchObject({ outcome: "SEEN" })
  service.clock.at += 1
  expect(await replayOf(body)).toMatchObject({ outcome: "NOT_SEEN" })
  await replayOf(signed(), RECORD)
  expect(await recorded()).toBe(2)
  await purgeExpired({ store: service.store, now: () => service.clock.at })
  expect(await recorded()).toBe(1)
})

const evaluate = ({ perAgent = 3, inAll = 1000, client = "192.0.2.1", store = service.store as Store } = {}) =>
  evaluateSignature(
    { store, signers: new KeptSigners(store), crowd: new Crowd(1) },
    subjectOf(signed()),
    { mode: "RECORD", verifierNonce: null },
    {
      at: service.clock.at,
      writer: () => {
        const caps = changedCaps({ NONCES: { ofAgent: perAgent, max: inAll } })
        return freeWriter(service.clock.at, { caps, client })
      },
    },
  )

test("an agent has a limit of recorded nonces, and the refusal states when there is room again", async () => {
  for (let i = 0; i < 3; i++) expect((await evaluate()).replay.nonce_consumed).toBe(true)
  await expect(evaluate()).rejects.toMatchObject({
    code: "RATE_LIMITED",
    context: { reasonCodes: ["NONCES_OF_AGENT"], retryAfterSeconds: 593 },
  })
  agent = await newAgent(service)
  expect((await evaluate()).replay.nonce_consumed).toBe(true)
})

test("all agents together have a limit, of which a tenth is kept for new addresses", async () => {
  for (const client of ["192.0.2.1", "192.0.2.2"]) await evaluate({ inAll: 3, client })
  await expect(evaluate({ inAll: 3 })).rejects.toMatchObject({
    code: "RATE_LIMITED",
    context: { reasonCodes: ["NONCES_OF_ALL"], retryAfterSeconds: 593 },
  })
  expect((await evaluate({ inAll: 3, client: "198.51.100.1" })).replay.nonce_consumed).toBe(true)
  expect(await recorded()).toBe(3)
  service.clock.at += 593_000
  expect((await evaluate({ inAll: 3 })).replay.nonce_consumed).toBe(true)
})

test("an unreadable database leaves its outcomes unevaluated, and the time is still judged", async () => {
  const store = { readTogether: () => Promise.reject(new StoreUnavailable("BUSY")) } as unknown as Store
  expect(await evaluate({ store })).toMatchObject({
    cryptographic: { outcome: "NOT_EVALUATED", reason_codes: ["KEY_UNAVAILABLE"] },
    lifecycle: { outcome: "NOT_EVALUATED", reason_codes: ["STATE_UNAVAILABLE"] },
    replay: { outcome: "NOT_EVALUATED", reason_codes: ["STATE_UNAVAILABLE"] },
    temporal: { outcome: "WITHIN_WINDOW" },
    distribution: { outcome: "TRACKING_UNAVAILABLE", reason_codes: ["STATE_UNAVAILABLE"] },
  })
})

test("a nonce that cannot be recorded gets an error instead of a verdict", async () => {
  const store = {
    readTogether: service.store.readTogether.bind(service.store),
    run: () => Promise.reject(new StoreUnavailable("FULL")),
  } as unknown as Store
  await expect(evaluate({ store })).rejects.toBeInstanceOf(StoreUnavailable)
})
