/** Recovery of a delivery: unknown outcomes, a lost answer, and the original bytes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { RecoverableRequest } from "../../../../schemas/us/recovery.ts"
import { requestDigest } from "../../../../src/checks/policy/digests.ts"
import { canonicalBytes } from "../../../../src/core/canonical-json.ts"
import { signWith } from "../../../../src/core/ed25519.ts"
import { recoverySigningValue } from "../../../../src/core/forms/recovery-signing.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { agentKey, enterAgent, mandateKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { freshRequest, ORIGIN, staticBoard } from "../../../fixtures/test-server.ts"
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
import { enterDelegation, healthyBoard, LISTED, openSeller, type RowChange, type Seller } from "./seller.ts"

const secondMandateKey = testKey(ORGANIZATION_ID, 64)
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

/** How far a test has moved the clock, in milliseconds. */
let moved = 0
/** A recovery also removes nonces that have expired. */
const nonces = () => seller.count("used_nonce", "expires_at >= ?1", formatInstant(Date.now() + moved))

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

test("while the outcome is unknown, a recovery gets 202 with Retry-After and no statement about a charge", async () => {
  const pending: RowChange = [
    `UPDATE decision_request SET state = 'COMPUTED' WHERE idempotency_key = '${bought.request.idempotency_key}'`,
    "UPDATE decision_request SET state = 'DELIVERED'",
  ]
  await seller.during([pending], async () => {
    const answer = await send(recovery(bought.request), 1)
    expect([answer.status, JSON.parse(answer.text).state, JSON.parse(answer.text).charged]).toEqual([
      202,
      "PENDING",
      "UNKNOWN",
    ])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(answer.headers.get("cache-control")).toBe("private, no-store")
    expect(answer.headers.has("payment-required")).toBe(false)
  })
})

test("when the stored answer is missing, a recovery gets 503 that allows only the recovery to be repeated", async () => {
  const { decision_id: id } = JSON.parse(bought.text)
  expect(await seller.sql("UPDATE delivery SET body = NULL WHERE decision_id = ?1", id)).toBe(1)
  await refuses(recovery(bought.request), 503, "RECOVERY_UNAVAILABLE", 1)
  await seller.sql("UPDATE delivery SET body = ?2 WHERE decision_id = ?1", id, bought.text)
  await gives(recovery(bought.request), bought.text)
})

describe("a request gets 200 with the original bytes", () => {
  test("for the key that signed it, also without the fee wallet", async () => {
    await gives(recovery(bought.request), bought.text)
    const { decision_fee_payer: _, ...request } = bought.request
    await gives(recovery(request), bought.text)
    await refuses(recovery({ ...request, amount: "1.00" }), 404, "RECOVERY_NO_MATCH", 1)
  })

  test("for the successor of a key that was rotated or revoked", async () => {
    for (const status of ["ROTATED", "REVOKED"] as const) {
      await seller.during([ended(status), key(successor, "OPERATIONAL", "ACTIVE")], () =>
        gives(recovery(bought.request, { key: successor }), bought.text),
      )
    }
  })

  test("for any active mandate key of the organization after the identity is revoked, whichever key signed the mandate", async () => {
    const added: RowChange = [
      `INSERT INTO mandate_key (organization_id, key_id, x, key_owner, state, added_at)
         VALUES ('${ORGANIZATION_ID}', '${secondMandateKey.keyId}', '${secondMandateKey.x}', '${secondMandateKey.keyOwner}', 'ACTIVE', 't')`,
      `DELETE FROM mandate_key WHERE key_id = '${secondMandateKey.keyId}'`,
    ]
    await seller.during([identityRevoked, added], async () => {
      await refuses(recovery(bought.request), 422, "RECOVERY_SIGNATURE_INVALID")
      await gives(recovery(bought.request, { key: mandateKey }), bought.text)
      await gives(recovery(delegated.request, { key: mandateKey }), delegated.text)
      await seller.during([mandateKeyRevoked], async () => {
        await refuses(recovery(bought.request, { key: mandateKey }), 422, "RECOVERY_SIGNATURE_INVALID")
        await gives(recovery(bought.request, { key: secondMandateKey }), bought.text)
      })
    })
  })

  test("in any later state of delegation, organization, mandate and sources", async () => {
    const { mandate_id } = bought.request.buyer_mandate.payload
    seller.useBoard(staticBoard(LISTED, (state) => ({ ...state, health: "UNAVAILABLE" })))
    const changes: RowChange[] = [
      [
        "UPDATE delegation SET state = 'REVOKED', revoked_at = 't'",
        "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
      ],
      [
        "UPDATE organization SET state = 'REVOKED', revoked_at = 't', revocation_reason = 'r'",
        "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
      ],
      [
        `INSERT INTO buyer_revocation VALUES ('${ORGANIZATION_ID}', 'MANDATE', '${mandate_id}', 'd', '{}', '{}', '${mandateKey.keyId}', 't')`,
        "DELETE FROM buyer_revocation",
      ],
    ]
    await seller.during(changes, () => gives(recovery(bought.request), bought.text))
    seller.useBoard(healthyBoard)
  })

  test("after the mandate and the decision itself have expired", async () => {
    const later = 90 * MINUTE
    seller.advance(later)
    moved = later
    await gives(recovery(bought.request, { issuedAt: formatInstant(Date.now() + later) }), bought.text)
    seller.advance(-later)
    moved = 0
  })
})
