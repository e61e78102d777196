/** Rulings 29, row by row in its order. A recovery reads, spends a nonce, and does nothing else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { RecoverableRequest } from "../../../../schemas/us/recovery.ts"
import { requestDigest } from "../../../../src/checks/policy/digests.ts"
import { canonicalBytes } from "../../../../src/core/canonical-json.ts"
import { signWith } from "../../../../src/core/ed25519.ts"
import { recoverySigningValue } from "../../../../src/core/forms/recovery-signing.ts"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { without } from "../../../../src/core/without.ts"
import { AGENT_ID, agentKey, enterAgent, mandateKey, testKey } from "../../../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { freshRequest, ORIGIN } from "../../../fixtures/test-server.ts"
import {
  delegatedKey,
  ended,
  identityRevoked,
  key,
  mandateKeyRevoked,
  RECOVER,
  type Signing,
  signingAgent,
  successor,
} from "./recovery-requests.ts"
import { enterDelegation, openSeller, type Seller } from "./seller.ts"

const recoveryKey = testKey(AGENT_ID, 62)
const stranger = testKey("stranger", 63)
let seller: Seller
let bought: { request: DecisionRequest; text: string }
let delegated: { request: DecisionRequest; text: string }
beforeAll(async () => {
  seller = await openSeller()
  await enterAgent(seller.server.database, Date.now() - HOUR, delegatedKey, signingAgent)
  await enterDelegation(seller, delegatedKey, { agent_id: signingAgent, scope: ["SIGN_MANDATE"] })
  bought = await seller.buy(freshRequest({ mandate: { valid_until: formatInstant(Date.now() + 11 * MINUTE) } }))
  delegated = await seller.buy(freshRequest({ mandateSigner: delegatedKey }))
  for (const worker of seller.server.workers) await worker.stop()
})
afterAll(() => seller.close())

let serial = 0
const freshNonce = () => `recovery-${String(++serial).padStart(23, "0")}`

function recovery(request: RecoverableRequest, signing: Signing = {}) {
  const authentication = {
    issued_at: signing.issuedAt ?? formatInstant(Date.now()),
    nonce: signing.nonce ?? freshNonce(),
  }
  const value = recoverySigningValue(requestDigest(request), authentication, signing.audience ?? ORIGIN)
  const signature = signWith((signing.key ?? agentKey).privateKey, canonicalBytes(signing.edit?.(value) ?? value))
  return { request, authentication: { ...authentication, signature } }
}

const nonces = () => seller.count("used_nonce")

/** Sends the request. Only `spent` nonces may be written, and no node may be queried. */
async function send(body: unknown, spent: number, headers: Record<string, string> = {}) {
  const before = { ...(await seller.state()), nonces: await nonces() }
  const calls = seller.rpc.calls.length
  const answer = await seller.server.post(body, headers, RECOVER)
  expect(seller.rpc.calls.length).toBe(calls)
  expect({ ...(await seller.state()), nonces: await nonces() }).toEqual({ ...before, nonces: before.nonces + spent })
  const text = await answer.text()
  const { code } = JSON.parse(text) as { code?: string }
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
  return { status: answer.status, code, text, headers: answer.headers }
}

async function refuses(body: unknown, status: number, code: string, spent = 0, headers: Record<string, string> = {}) {
  const refusal = await send(body, spent, headers)
  expect([refusal.status, refusal.code]).toEqual([status, code])
  expect(JSON.parse(refusal.text).charged).toBe(false)
}

async function gives(body: unknown, text: string) {
  const answer = await send(body, 1)
  expect([answer.status, answer.text]).toEqual([200, text])
  expect(answer.headers.get("cache-control")).toBe("private, no-store")
  expect(answer.headers.get("content-type")).toBe("application/json")
}

describe("a request gets 400 before the agent is looked up", () => {
  test.each([["payment-signature"], ["x-payment"], ["PAYMENT-SIGNATURE"]])(
    "for a %s header, before the body is read",
    async (name) => {
      await refuses("{", 400, "PAYMENT_HEADER_FORBIDDEN", 0, { [name]: "anything" })
      await refuses(recovery(bought.request), 400, "PAYMENT_HEADER_FORBIDDEN", 0, { [name]: "" })
    },
  )

  test("for an unreadable body or one that is not a recovery request", async () => {
    const { request, authentication } = recovery(bought.request)
    await refuses("{", 400, "MALFORMED_JSON")
    for (const body of [
      {},
      { request },
      { request, authentication, extra: 1 },
      { request: { ...request, extra: 1 }, authentication },
      { request, authentication: { ...authentication, nonce: "n".repeat(31) } },
      { request, authentication: { ...authentication, nonce: "n".repeat(97) } },
      { request, authentication: { ...authentication, nonce: `${"n".repeat(31)}!` } },
      { request, authentication: { ...authentication, signature: authentication.signature.slice(1) } },
      { request, authentication: without(authentication, "issued_at") },
      { request, authentication: { ...authentication, issued_at: "2026-02-30T00:00:00Z" } },
      { request: without(request, "amount"), authentication },
    ]) {
      await refuses(body, 400, "SCHEMA_INVALID")
    }
  })

  test.each([
    ["301 s ago", () => formatInstant(Date.now() - 301 * SECOND)],
    ["in 305 s", () => formatInstant(Date.now() + 305 * SECOND)],
  ])("if it was issued %s, also for an unknown agent", async (_, issuedAt) => {
    await refuses(recovery(bought.request, { issuedAt: issuedAt() }), 400, "AUTHENTICATION_INVALID")
    const unknown = freshRequest({ agentId: `svc:agent:${"u".repeat(32)}` })
    await refuses(recovery(unknown, { issuedAt: issuedAt() }), 400, "AUTHENTICATION_INVALID")
  })

  test("but an age of 299 s in either direction is accepted", async () => {
    for (const seconds of [-299, 299]) {
      await gives(recovery(bought.request, { issuedAt: formatInstant(Date.now() + seconds * SECOND) }), bought.text)
    }
  })

  test("for a nonce that was used, by this recovery or another", async () => {
    const first = recovery(bought.request)
    await gives(first, bought.text)
    await refuses(first, 400, "AUTHENTICATION_INVALID")
    await refuses(recovery(delegated.request, { nonce: first.authentication.nonce }), 400, "AUTHENTICATION_INVALID")
  })

  test("for a used nonce before any check of the key", async () => {
    const first = recovery(bought.request)
    await gives(first, bought.text)
    await seller.during([ended("REVOKED")], () => refuses(first, 400, "AUTHENTICATION_INVALID"))
    const { nonce } = first.authentication
    await refuses(recovery(bought.request, { nonce, key: stranger }), 400, "AUTHENTICATION_INVALID")
  })

  test("except one of fifty equal simultaneous recoveries", async () => {
    const body = recovery(bought.request)
    const answers = await Promise.all(Array.from({ length: 50 }, () => seller.server.post(body, {}, RECOVER)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(49).fill(400)])
  })
})

describe("a request gets 422, because the owner is not proven, and spends no nonce", () => {
  test("with an unknown agent, or a key of another agent", async () => {
    const unknown = freshRequest({ agentId: `svc:agent:${"u".repeat(32)}` })
    await refuses(recovery(unknown), 422, "RECOVERY_AGENT_UNKNOWN")
    await refuses(recovery(freshRequest({ agent: stranger }), { key: stranger }), 422, "RECOVERY_AGENT_UNKNOWN")
  })

  test("with a rotated or revoked key, whether or not its successor is active", async () => {
    for (const status of ["ROTATED", "REVOKED"] as const) {
      await seller.during([ended(status)], () => refuses(recovery(bought.request), 422, "RECOVERY_KEY_NOT_ACTIVE"))
      await seller.during([ended(status), key(successor, "OPERATIONAL", "ACTIVE")], () =>
        refuses(recovery(bought.request), 422, "RECOVERY_SIGNATURE_INVALID"),
      )
    }
  })

  test("with a recovery key, which does not own requests", async () => {
    const request = {
      ...bought.request,
      requesting_agent: { ...bought.request.requesting_agent, key_id: recoveryKey.keyId },
    }
    await seller.during([key(recoveryKey, "RECOVERY", "ACTIVE")], () =>
      refuses(recovery(request, { key: recoveryKey }), 422, "RECOVERY_KEY_NOT_ACTIVE"),
    )
  })

  test.each([
    ["of a stranger", { key: stranger }],
    ["of the organization, while the identity lives", { key: mandateKey }],
    ["for another service", { audience: "https://other.example" }],
    ["in another domain", { edit: (value: object) => ({ ...value, domain: "svc.other.v1" }) }],
    ["over another request", { edit: (value: object) => ({ ...value, request_digest: `sha256:${"0".repeat(64)}` }) }],
    ["over another nonce", { edit: (value: object) => ({ ...value, nonce: "x".repeat(32) }) }],
    ["over another time", { edit: (value: object) => ({ ...value, issued_at: "2026-01-01T00:00:00Z" }) }],
  ] satisfies [string, Signing][])("with a signature %s", async (_, signing) => {
    await refuses(recovery(bought.request, signing), 422, "RECOVERY_SIGNATURE_INVALID")
  })

  test("with the request signature in place of the recovery's", async () => {
    const { request, authentication } = recovery(bought.request)
    const signature = bought.request.requesting_agent.request_signature
    await refuses({ request, authentication: { ...authentication, signature } }, 422, "RECOVERY_SIGNATURE_INVALID")
  })

  test("for a revoked identity whose organization has no active mandate key", async () => {
    await seller.during([identityRevoked, mandateKeyRevoked], () =>
      refuses(recovery(bought.request, { key: mandateKey }), 422, "RECOVERY_KEY_NOT_ACTIVE"),
    )
  })
})

describe("a request gets 404, which authorizes no payment,", () => {
  test("if it was never sent, or only quoted", async () => {
    const request = freshRequest()
    await refuses(recovery(request), 404, "RECOVERY_NO_MATCH", 1)
    expect((await seller.server.post(request)).status).toBe(402)
    await refuses(recovery(request), 404, "RECOVERY_NO_MATCH", 1)
  })

  test.each([
    ["another amount", { amount: "1.00" }],
    ["another purpose", { economic_purpose: "something else" }],
    ["another fee wallet", { decision_fee_payer: DEV_ACCOUNTS.secondPayer.address }],
    ["another spelling of the fee wallet", { decision_fee_payer: DEV_ACCOUNTS.payer.address.toLowerCase() }],
    ["another key", { idempotency_key: "another-key-0001" }],
    ["another trace", { correlation: { correlation_id: "corr-1", trace_id: "trace-2" } }],
    [
      "another request signature",
      { requesting_agent: { agent_id: AGENT_ID, key_id: agentKey.keyId, request_signature: "x" } },
    ],
  ] satisfies [string, Partial<DecisionRequest>][])("if it is the same request with %s", async (_, change) => {
    await refuses(recovery({ ...bought.request, ...change }), 404, "RECOVERY_NO_MATCH", 1)
  })

  test("if it is the same request with another organization's name", async () => {
    const request = { ...bought.request, buyer: { ...bought.request.buyer, organization_id: "org:example:other" } }
    await refuses(recovery(request), 404, "RECOVERY_NO_MATCH", 1)
  })
})
