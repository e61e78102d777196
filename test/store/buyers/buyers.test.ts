import { expect, test } from "bun:test"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { addMandateKey, renewVerification, revokeMandateKey } from "../../../src/store/buyers/buyer-registration.ts"
import {
  findMandateKey,
  findOrganization,
  listMandateKeys,
  mandateKeyHolder,
} from "../../../src/store/buyers/buyers.ts"
import { findCompromisedKeys } from "../../../src/store/buyers/compromised-keys.ts"
import { findDelegations, scopesHeld } from "../../../src/store/buyers/delegations.ts"
import {
  AGENT_ID,
  agentKey,
  asMandateKey,
  delegationContent,
  enterAgent,
  enterOrganization,
  mandateKey,
  ORGANIZATION_ID,
  signDelegation,
  testKey,
} from "../../fixtures/buyers.ts"
import { BASE_URL, openTestServer, START } from "../../products/us/buyer-onboarding/test-server.ts"

const now = formatInstant(START)

test("an organization and its keys are stored as entered", async () => {
  await using testStore = await openTestServer()
  expect(await enterOrganization(testStore.store, START)).toBe("ADDED")
  expect(await testStore.store.read(() => findOrganization(ORGANIZATION_ID))).toMatchObject({
    tolerance: "MEDIUM",
    state: "ACTIVE",
    verification: { method: "IN_PERSON", verifiedBy: "operator-1" },
  })
  expect(await testStore.store.read(() => findMandateKey(ORGANIZATION_ID, mandateKey.keyId))).toEqual({
    organizationId: ORGANIZATION_ID,
    keyId: mandateKey.keyId,
    x: mandateKey.x,
    state: "ACTIVE",
    revokedSince: null,
  })
  expect(await testStore.store.read(() => findMandateKey("org:example:other", mandateKey.keyId))).toBeNull()
  expect(await testStore.store.read(() => findOrganization("org:example:other"))).toBeNull()
})

test("a refused entry writes neither the organization nor any of its keys", async () => {
  await using testStore = await openTestServer()
  await enterOrganization(testStore.store, START)
  const fresh = testKey("org:example:other", 3)
  const rows = [
    [{ id: "org:example:other", keys: [fresh, mandateKey] }, "KEY_TAKEN"],
    [{ id: "org:example:other", keys: [fresh, fresh] }, "KEY_TAKEN"],
    [{ keys: [fresh] }, "ORGANIZATION_EXISTS"],
  ] as const
  for (const [given, outcome] of rows) expect(await enterOrganization(testStore.store, START, given)).toBe(outcome)
  expect(await testStore.store.read(() => findOrganization("org:example:other"))).toBeNull()
  expect(await testStore.store.read(() => mandateKeyHolder(fresh.keyOwner))).toBeNull()
  expect(await testStore.store.read(() => listMandateKeys(ORGANIZATION_ID))).toHaveLength(1)
})

test("an agent's key never becomes a mandate key", async () => {
  await using testStore = await openTestServer()
  await enterOrganization(testStore.store, START)
  await enterAgent(testStore, START)
  await testStore.post("/enroll", signDelegation(delegationContent(START, BASE_URL)))
  const added = await testStore.store.run(() => addMandateKey(ORGANIZATION_ID, asMandateKey(agentKey), now))
  expect(added).toBe("KEY_TAKEN")
  expect(await testStore.store.read(() => listMandateKeys(ORGANIZATION_ID))).toHaveLength(1)
})

test("scopes belong to the owner of the key alone, and only within their window", async () => {
  await using testStore = await openTestServer()
  await enterOrganization(testStore.store, START)
  await enterAgent(testStore, START)
  await testStore.post("/enroll", signDelegation(delegationContent(START, BASE_URL)))
  const window = { validFrom: now, validUntil: formatInstant(START + DAY) }
  const later = { validFrom: formatInstant(START + 30 * DAY), validUntil: formatInstant(START + 31 * DAY) }
  const held = (owner: string, during: typeof window) =>
    testStore.store.read(() => scopesHeld(ORGANIZATION_ID, owner, during))
  expect(await held(agentKey.keyOwner, window)).toEqual(["SIGN_REQUEST"])
  expect(await held(agentKey.keyOwner, later)).toEqual([])
  expect(await held(testKey(AGENT_ID, 4).keyOwner, window)).toEqual([])
})

test("a lost mandate key compromises itself and only the mandate signers it made after it was lost", async () => {
  await using testStore = await openTestServer()
  const second = testKey(ORGANIZATION_ID, 5)
  await enterOrganization(testStore.store, START, { keys: [mandateKey, second] })
  const signers = [6, 7, 8].map((byte) => testKey(`svc:agent:${String(byte).repeat(32)}`, byte))
  for (const [n, signer] of signers.entries()) {
    await enterAgent(testStore, START, signer, signer.issuer)
    testStore.machine.set(START + n * DAY)
    const content = delegationContent(START, BASE_URL, {
      agent_id: signer.issuer,
      key_id: signer.keyId,
      scope: [n === 2 ? "SIGN_REQUEST" : "SIGN_MANDATE"],
      nonce: `nonce-${n}-`.padEnd(32, "x"),
      idempotency_key: `delegation-${n}`,
    })
    expect((await testStore.post("/enroll", signDelegation(content, mandateKey, signer))).status).toBe(201)
  }
  const requests = [mandateKey.keyId, ...signers.map(({ keyId }) => keyId)]
  expect(await testStore.store.read(() => findCompromisedKeys(ORGANIZATION_ID, requests))).toEqual([])
  const since = formatInstant(START + DAY)
  await testStore.store.run(() =>
    revokeMandateKey({ organizationId: ORGANIZATION_ID, keyId: mandateKey.keyId, since, reason: "lost", at: now }),
  )
  expect(await testStore.store.read(() => findCompromisedKeys(ORGANIZATION_ID, requests))).toEqual([
    { keyId: mandateKey.keyId, since },
    { keyId: signers[1]?.keyId ?? "", since },
  ])
  expect(await testStore.store.read(() => findCompromisedKeys(ORGANIZATION_ID, [second.keyId, null]))).toEqual([])
  for (const { issuer, keyId } of signers) {
    const [found] = await testStore.store.read(() => findDelegations(ORGANIZATION_ID, issuer, keyId))
    expect(found?.signerState).toBe("REVOKED")
  }
})

test("a verification is renewed in place, except for a revoked organization", async () => {
  await using testStore = await openTestServer()
  await enterOrganization(testStore.store, START, { validUntil: START })
  const verification = {
    method: "REGISTER_EXTRACT",
    reference: "case-2",
    verifiedAt: now,
    validUntil: formatInstant(START + DAY),
    verifiedBy: "operator-2",
  }
  expect(await testStore.store.run(() => renewVerification(ORGANIZATION_ID, verification))).toBe(true)
  expect((await testStore.store.read(() => findOrganization(ORGANIZATION_ID)))?.verification).toEqual(verification)
  expect(await testStore.store.run(() => renewVerification("org:example:other", verification))).toBe(false)
  await testStore.write("UPDATE organization SET state = 'REVOKED', revoked_at = '2026-01-01T00:00:00.000Z'")
  const again = { ...verification, reference: "case-3" }
  expect(await testStore.store.run(() => renewVerification(ORGANIZATION_ID, again))).toBe(false)
  expect((await testStore.store.read(() => findOrganization(ORGANIZATION_ID)))?.verification).toEqual(verification)
})
