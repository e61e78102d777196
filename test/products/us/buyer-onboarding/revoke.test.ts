import { expect, test } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, SECOND } from "../../../../src/core/time.ts"
import { addMandateKey, revokeMandateKey, revokeOrganization } from "../../../../src/store/buyers/buyer-registration.ts"
import { findRevocation } from "../../../../src/store/buyers/buyer-revocations.ts"
import { findDelegations } from "../../../../src/store/buyers/delegations.ts"
import { isMandateRevoked } from "../../../../src/store/buyers/mandates.ts"
import {
  AGENT_ID,
  agentKey,
  asMandateKey,
  delegationContent,
  delegationRevocation,
  enterAgent,
  enterOrganization,
  mandateKey,
  mandateRevocation,
  ORGANIZATION_ID,
  signDelegation,
  testKey,
} from "../../../fixtures/buyers.ts"
import { BASE_URL, openTestServer, START } from "./test-server.ts"

const MANDATES = "/mandates/revoke"
const MANDATE_ID = "mandate:2026-0001"
const nonce = (n: number) => `nonce-${n}-`.padEnd(32, "x")

async function openBusiness() {
  const server = await openTestServer()
  await enterOrganization(server.store, START)
  await enterAgent(server, START)
  const { json } = await server.post("/enroll", signDelegation(delegationContent(START, BASE_URL)))
  const delegationId: string = json.payload.delegation_id
  const state = async () => {
    const [found] = await server.store.read(() => findDelegations(ORGANIZATION_ID, AGENT_ID, agentKey.keyId))
    return found?.state
  }
  const mandate = (id = MANDATE_ID) => server.store.read(() => findRevocation(ORGANIZATION_ID, "MANDATE", id))
  return Object.assign(server, { delegationId, state, mandate })
}

test("a delegation is revoked before the response is sent, and the response is signed", async () => {
  await using server = await openBusiness()
  const body = delegationRevocation(START, BASE_URL, server.delegationId)
  const { status, json } = await server.post(`/delegations/${server.delegationId}/revoke`, body)
  expect(status).toBe(200)
  expect(json.digest).toBe(digestOf(json.payload))
  expect(json.payload).toMatchObject({
    kind: "DELEGATION",
    subject_id: server.delegationId,
    mandate_digest: null,
    state: "REVOKED",
  })
  expect(await server.state()).toBe("REVOKED")
})

test("a mandate that the service never saw can be revoked, for its organization only", async () => {
  await using server = await openBusiness()
  const { status, json } = await server.post(MANDATES, mandateRevocation(START, BASE_URL, MANDATE_ID))
  expect([status, json.payload.subject_id]).toEqual([200, MANDATE_ID])
  expect(json.payload.mandate_digest).toBe(digestOf({ mandate_id: MANDATE_ID }))
  expect(await server.mandate()).toMatchObject({ revokedAt: formatInstant(START) })
  const isRevoked = (organization: string, id: string) =>
    server.store.read(() => isMandateRevoked(organization, id, formatInstant(START)))
  expect(await isRevoked(ORGANIZATION_ID, MANDATE_ID)).toBe(true)
  expect(await isRevoked(ORGANIZATION_ID, "mandate:other")).toBe(false)
  expect(await isRevoked("org:example:other", MANDATE_ID)).toBe(false)
})

test("identical bodies get the first response, also simultaneously and after their window", async () => {
  await using server = await openBusiness()
  const body = mandateRevocation(START, BASE_URL, MANDATE_ID)
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.post(MANDATES, body)))
  server.machine.set(START + DAY)
  answers.push(await server.post(MANDATES, body))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
  expect(await server.count("buyer_revocation")).toBe(1)
})

test("a second revocation of the same subject keeps the first one unchanged", async () => {
  await using server = await openBusiness()
  const first = await server.post(MANDATES, mandateRevocation(START, BASE_URL, MANDATE_ID))
  server.machine.set(START + 10 * SECOND)
  const later = mandateRevocation(START + 10 * SECOND, BASE_URL, MANDATE_ID, { nonce: nonce(2), reason: "again" })
  const second = await server.post(MANDATES, later)
  expect([second.status, second.text]).toEqual([200, first.text])
  expect(await server.count("buyer_revocation")).toBe(1)
})

test("a nonce revokes one subject", async () => {
  await using server = await openBusiness()
  await server.post(MANDATES, mandateRevocation(START, BASE_URL, MANDATE_ID))
  const { status, json } = await server.post(MANDATES, mandateRevocation(START, BASE_URL, "mandate:other"))
  expect([status, json.code]).toEqual([409, "REVOCATION_REPLAYED"])
  expect(await server.mandate("mandate:other")).toBeNull()
})

test("an unknown organization, an unknown or revoked key and a wrong signature get the same refusal, and nothing is written", async () => {
  await using server = await openBusiness()
  const lost = testKey(ORGANIZATION_ID, 51)
  await server.store.run(() => addMandateKey(ORGANIZATION_ID, asMandateKey(lost), formatInstant(START)))
  await server.store.run(() =>
    revokeMandateKey({
      organizationId: ORGANIZATION_ID,
      keyId: lost.keyId,
      since: formatInstant(START),
      reason: "lost",
      at: formatInstant(START),
    }),
  )
  const stranger = testKey("org:example:unknown", 52)
  const good = mandateRevocation(START, BASE_URL, MANDATE_ID)
  const bodies = [
    mandateRevocation(START, BASE_URL, MANDATE_ID, { organization_id: stranger.issuer }, stranger),
    mandateRevocation(START, BASE_URL, MANDATE_ID, {}, testKey(ORGANIZATION_ID, 53)),
    mandateRevocation(START, BASE_URL, MANDATE_ID, {}, lost),
    mandateRevocation(START, BASE_URL, MANDATE_ID, {}, { ...agentKey, issuer: ORGANIZATION_ID }),
    { ...good, mandate_id: "mandate:other" },
  ]
  const shown = new Set<string>()
  for (const body of bodies) {
    const { status, json } = await server.post(MANDATES, body)
    expect([status, json.code]).toEqual([403, "REVOCATION_REFUSED"])
    shown.add(JSON.stringify({ ...json, request_id: "", trace_id: "" }))
  }
  expect(shown.size).toBe(1)
  expect([await server.count("buyer_revocation"), await server.count("used_nonce")]).toEqual([0, 0])
})

test("issued_at may differ by 300 seconds in either direction and not one millisecond more", async () => {
  await using server = await openBusiness()
  const rows: readonly [offset: number, status: number][] = [
    [300 * SECOND, 200],
    [-300 * SECOND, 200],
    [300 * SECOND + 1, 403],
    [-300 * SECOND - 1, 403],
  ]
  for (const [n, [offset, expected]] of rows.entries()) {
    const id = `mandate:${n}`
    const body = mandateRevocation(START + offset, BASE_URL, id, { nonce: nonce(n) })
    const { status, json } = await server.post(MANDATES, body)
    expect([offset, status]).toEqual([offset, expected])
    if (expected === 403) expect(json.reason_codes).toEqual(["ISSUED_AT_OUT_OF_WINDOW"])
    expect((await server.mandate(id)) !== null).toBe(expected === 200)
  }
})

test("path, audience and issuer of a revocation must match the request", async () => {
  await using server = await openBusiness()
  const path = `/delegations/${server.delegationId}/revoke`
  const good = delegationRevocation(START, BASE_URL, server.delegationId)
  const other = `dgn_${"A".repeat(22)}`
  const rows = [
    [path, delegationRevocation(START, BASE_URL, other), "/delegation_id"],
    [path, delegationRevocation(START, "https://other.example", server.delegationId), "/audience"],
    [path, { ...good, signature: { ...good.signature, issuer: "org:other" } }, "/signature/issuer"],
    [path, mandateRevocation(START, BASE_URL, MANDATE_ID), "/delegation_id"],
    [MANDATES, good, "/mandate_id"],
  ] as const
  for (const [where, body, pointer] of rows) {
    const { status, json } = await server.post(where, body)
    expect(status).toBe(422)
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  }
  expect(await server.state()).toBe("ACTIVE")
})

test("another organization's delegation looks like a missing one, and stays active", async () => {
  await using server = await openBusiness()
  const other = testKey("org:example:other", 61)
  await enterOrganization(server.store, START, { id: other.issuer, keys: [other] })
  for (const [n, id] of [server.delegationId, `dgn_${"A".repeat(22)}`].entries()) {
    const changes = { organization_id: other.issuer, nonce: nonce(n) }
    const body = delegationRevocation(START, BASE_URL, id, changes, other)
    const { status, json } = await server.post(`/delegations/${id}/revoke`, body)
    expect([status, json.code]).toEqual([404, "DELEGATION_NOT_FOUND"])
  }
  expect(await server.state()).toBe("ACTIVE")
  expect(await server.count("used_nonce")).toBe(0)
})

test("a key revoked between the check and the write revokes nothing", async () => {
  await using server = await openBusiness()
  const at = formatInstant(START)
  server.meanwhile(() =>
    server.store.run(() =>
      revokeMandateKey({ organizationId: ORGANIZATION_ID, keyId: mandateKey.keyId, since: at, reason: "lost", at }),
    ),
  )
  const { status, json } = await server.post(MANDATES, mandateRevocation(START, BASE_URL, MANDATE_ID))
  expect([status, json.code]).toEqual([403, "REVOCATION_REFUSED"])
  expect([await server.count("buyer_revocation"), await server.count("used_nonce")]).toEqual([0, 0])
})

test("a revoked organization may still revoke what it issued", async () => {
  await using server = await openBusiness()
  await server.store.run(() => revokeOrganization(ORGANIZATION_ID, "closed", formatInstant(START)))
  const body = delegationRevocation(START, BASE_URL, server.delegationId)
  expect((await server.post(`/delegations/${server.delegationId}/revoke`, body)).status).toBe(200)
  expect(await server.state()).toBe("REVOKED")
})

test("a revocation concurrent with repeats of its enrolment wins: nothing is active afterwards", async () => {
  await using server = await openBusiness()
  const enrolment = signDelegation(delegationContent(START, BASE_URL))
  const revocation = delegationRevocation(START, BASE_URL, server.delegationId)
  const path = `/delegations/${server.delegationId}/revoke`
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 4 === 1 ? server.post(path, revocation) : server.post("/enroll", enrolment),
    ),
  )
  expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
  expect(await server.state()).toBe("REVOKED")
  expect([await server.count("delegation"), await server.count("buyer_revocation")]).toEqual([1, 1])
})
