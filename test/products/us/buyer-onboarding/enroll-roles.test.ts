/** One key has one role, whatever is enrolled or revoked at the same time. */
import { expect, test } from "bun:test"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { revokeMandateKey, revokeOrganization } from "../../../../src/store/buyers/buyer-registration.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import {
  AGENT_ID,
  type DelegationContent,
  delegationContent,
  enterAgent,
  enterOrganization,
  mandateKey,
  ORGANIZATION_ID,
  signDelegation,
  testKey,
} from "../../../fixtures/buyers.ts"
import { BASE_URL, openTestServer, START } from "./test-server.ts"

async function openBusiness() {
  const server = await openTestServer()
  await enterOrganization(server.store, START)
  await enterAgent(server, START)
  return server
}

const content = (changes: Partial<DelegationContent> = {}) => delegationContent(START, BASE_URL, changes)
const nonce = (n: number) => `nonce-${n}-`.padEnd(32, "x")

test("one key never signs both requests and mandates, not even through two delegations", async () => {
  await using server = await openBusiness()
  expect((await server.post("/enroll", signDelegation(content()))).status).toBe(201)
  const mandates = content({ scope: ["SIGN_MANDATE"], nonce: nonce(2), idempotency_key: "delegation-2" })
  const conflict = await server.post("/enroll", signDelegation(mandates))
  expect([conflict.status, conflict.json.code]).toEqual([409, "KEY_ROLES_CONFLICT"])
  expect(await server.count("delegation")).toBe(1)

  const other = testKey(AGENT_ID, 41)
  await server.write("UPDATE agent_key SET status = 'ROTATED'")
  await enterAgent(server, START, other)
  const apart = { ...mandates, key_id: other.keyId }
  expect((await server.post("/enroll", signDelegation(apart, mandateKey, other))).status).toBe(201)
})

test("of two simultaneous conflicting delegations one is recorded and the other refused", async () => {
  await using server = await openBusiness()
  const mandates = content({ scope: ["SIGN_MANDATE"], nonce: nonce(2), idempotency_key: "delegation-2" })
  const both = await Promise.all([content(), mandates].map((each) => server.post("/enroll", signDelegation(each))))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(await server.count("delegation")).toBe(1)
})

test("a revocation between the check and the write gives the same refusal as an earlier one", async () => {
  const rows: readonly (() => Unit<unknown>)[] = [
    () => revokeOrganization(ORGANIZATION_ID, "closed", formatInstant(START)),
    () =>
      revokeMandateKey({
        organizationId: ORGANIZATION_ID,
        keyId: mandateKey.keyId,
        since: formatInstant(START),
        reason: "lost",
        at: formatInstant(START),
      }),
  ]
  for (const revocation of rows) {
    await using server = await openBusiness()
    server.meanwhile(() => server.store.run(revocation))
    const { status, json } = await server.post("/enroll", signDelegation(content()))
    expect([status, json.code, json.reason_codes]).toEqual([403, "DELEGATION_REFUSED", []])
    expect(await server.count("delegation")).toBe(0)
  }
})

test("scopes may follow one another when their windows do not overlap", async () => {
  await using server = await openBusiness()
  await server.post("/enroll", signDelegation(content()))
  const later = content({
    scope: ["SIGN_MANDATE"],
    nonce: nonce(2),
    idempotency_key: "delegation-2",
    valid_from: formatInstant(START + 30 * DAY),
    valid_until: formatInstant(START + 60 * DAY),
  })
  expect((await server.post("/enroll", signDelegation(later))).status).toBe(201)
})

test("a mandate key is never an agent's delegated key", async () => {
  await using server = await openBusiness()
  const both = testKey(AGENT_ID, 1)
  expect(both.x).toBe(mandateKey.x)
  await server.write("UPDATE agent_key SET status = 'ROTATED'")
  await enterAgent(server, START, both)
  const { status, json } = await server.post(
    "/enroll",
    signDelegation(content({ key_id: both.keyId }), mandateKey, both),
  )
  expect([status, json.code]).toEqual([409, "KEY_ROLES_CONFLICT"])
  expect(await server.count("delegation")).toBe(0)
})
