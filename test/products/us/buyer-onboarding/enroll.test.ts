import { expect } from "bun:test"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { delegation } from "../../../../db/tables/buyers.ts"
import type { BuyerDelegation } from "../../../../schemas/us/buyer-delegation.ts"
import { digestBytes, digestOf } from "../../../../src/core/digest.ts"
import { verifySignature } from "../../../../src/core/ed25519.ts"
import { signValue } from "../../../../src/core/signer.ts"
import { DAY, formatInstant, SECOND } from "../../../../src/core/time.ts"
import { DELEGATIONS_OF_KEY_MAX } from "../../../../src/products/us/buyer-onboarding/record-delegation.ts"
import { addMandateKey, revokeMandateKey, revokeOrganization } from "../../../../src/store/buyers/buyer-registration.ts"
import { findDelegations } from "../../../../src/store/buyers/delegations.ts"
import {
  AGENT_ID,
  agentKey,
  asMandateKey,
  type DelegationContent,
  delegationContent,
  delegationRevocation,
  enterAgent,
  enterOrganization,
  mandateKey,
  ORGANIZATION_ID,
  signDelegation,
  signedBytes,
  testKey,
} from "../../../fixtures/buyers.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { BASE_URL, openTestServer, START } from "./test-server.ts"

const test = slowTests(import.meta.path)

async function openBusiness() {
  const server = await openTestServer()
  await enterOrganization(server.store, START)
  await enterAgent(server, START)
  return server
}

const content = (changes: Partial<DelegationContent> = {}) => delegationContent(START, BASE_URL, changes)
const nonce = (n: number) => `nonce-${n}-`.padEnd(32, "x")

test("a delegation signed by both sides is recorded and gets a signed record", async () => {
  await using server = await openBusiness()
  const body = signDelegation(content())
  const { status, json } = await server.post("/enroll", body)
  expect(status).toBe(201)
  const { payload, digest, signature } = json
  expect(digest).toBe(digestOf(payload))
  expect(verifySignature(server.service.x, new TextEncoder().encode(canonicalOf(payload)), signature.value)).toBe(true)
  expect(payload.delegation_digest).toBe(digestBytes(signedBytes(body)))
  expect(payload.delegation.scope).toEqual(["SIGN_REQUEST"])
  expect(payload.audience).toBe(BASE_URL)
  const [stored] = await server.store.read(() => findDelegations(ORGANIZATION_ID, AGENT_ID, agentKey.keyId))
  expect(stored).toMatchObject({
    delegationId: payload.delegation_id,
    state: "ACTIVE",
    signerState: "ACTIVE",
    maxPaymentAmount: "1000.00",
    maxTotalAmount: null,
    signedByKeyId: mandateKey.keyId,
  })
})

function canonicalOf(value: unknown): string {
  // An independent implementation of the canonical form, sufficient for these ASCII objects.
  return JSON.stringify(value, (_, member) =>
    member && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

test("the same delegation again gets the same bytes and writes nothing", async () => {
  await using server = await openBusiness()
  const body = signDelegation(content())
  const first = await server.post("/enroll", body)
  server.machine.set(START + 60 * SECOND)
  const again = await server.post("/enroll", body)
  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.text).toBe(first.text)
  expect(await server.count("delegation")).toBe(1)
})

test("fifty equal simultaneous enrolments leave one record and one response", async () => {
  await using server = await openBusiness()
  const body = signDelegation(content())
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.post("/enroll", body)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await server.count("delegation")).toBe(1)
})

test("an unknown organization, an ended verification and a wrong signature get the same response", async () => {
  await using server = await openBusiness()
  const expired = testKey("org:example:expired", 11)
  const revoked = testKey("org:example:revoked", 12)
  const lost = testKey(ORGANIZATION_ID, 13)
  await enterOrganization(server.store, START, { id: expired.issuer, keys: [expired], validUntil: START })
  await enterOrganization(server.store, START, { id: revoked.issuer, keys: [revoked] })
  await server.store.run(() => revokeOrganization(revoked.issuer, "closed", formatInstant(START)))
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
  const stranger = testKey("org:example:unknown", 14)
  const good = signDelegation(content())
  const rows: readonly [what: string, body: BuyerDelegation][] = [
    ["unknown organization", signDelegation(content({ organization_id: stranger.issuer }), stranger)],
    ["verification ended", signDelegation(content({ organization_id: expired.issuer }), expired)],
    ["organization revoked", signDelegation(content({ organization_id: revoked.issuer }), revoked)],
    ["another digest", signDelegation(content({ organization_digest: digestOf("other") }))],
    ["unknown key", signDelegation(content(), testKey(ORGANIZATION_ID, 15))],
    ["revoked key", signDelegation(content(), lost)],
    ["one limit changed after signing", { ...good, max_payment_amount: "1000000.00" }],
    ["another organization's signature", signDelegation(content(), { ...expired, issuer: ORGANIZATION_ID })],
  ]
  const shown = new Set<string>()
  for (const [what, body] of rows) {
    const { status, json } = await server.post("/enroll", body)
    expect([what, status, json.code]).toEqual([what, 403, "DELEGATION_REFUSED"])
    shown.add(JSON.stringify({ ...json, request_id: "", trace_id: "" }))
    // The response must not depend on the agent's half once the organization's half is refused.
    const halved = { ...body, agent_acceptance: { ...body.agent_acceptance, value: body.signature.value } }
    const second = await server.post("/enroll", halved)
    expect([what, second.status]).toEqual([what, 403])
    shown.add(JSON.stringify({ ...second.json, request_id: "", trace_id: "" }))
  }
  expect(shown.size).toBe(1)
  expect(await server.count("delegation")).toBe(0)
})

test("an organization learns that the agent did not accept, and a stranger does not", async () => {
  await using server = await openBusiness()
  const unaccepted = { ...signDelegation(content()), agent_acceptance: signValue(testKey(AGENT_ID, 21), { other: 1 }) }
  unaccepted.agent_acceptance.key_id = agentKey.keyId
  const told = await server.post("/enroll", unaccepted)
  expect([told.status, told.json.reason_codes]).toEqual([403, ["AGENT_ACCEPTANCE_INVALID"]])
  const stranger = await server.post("/enroll", {
    ...unaccepted,
    signature: signValue(testKey(ORGANIZATION_ID, 22), content()),
  })
  expect([stranger.status, stranger.json.reason_codes]).toEqual([403, []])
  expect(await server.count("delegation")).toBe(0)
})

test("only an ACTIVE operational key of an ACTIVE identity can get a delegation", async () => {
  for (const change of [
    "UPDATE agent_key SET status = 'ROTATED'",
    "UPDATE agent_key SET status = 'REVOKED'",
    "UPDATE agent_key SET role = 'RECOVERY'",
    "UPDATE agent SET identity_status = 'REVOKED'",
  ]) {
    await using server = await openBusiness()
    await server.write(change)
    const { status, json } = await server.post("/enroll", signDelegation(content()))
    expect([change, status, json.reason_codes]).toEqual([change, 403, ["AGENT_KEY_NOT_ACTIVE"]])
    expect(await server.count("delegation")).toBe(0)
  }
})

test("another document under a used nonce or idempotency key is a replay", async () => {
  await using server = await openBusiness()
  await server.post("/enroll", signDelegation(content()))
  await server.post("/enroll", signDelegation(content({ nonce: nonce(2), idempotency_key: "delegation-2" })))
  const rows: Partial<DelegationContent>[] = [
    { max_payment_amount: "2000.00" },
    { nonce: nonce(3) },
    { idempotency_key: "delegation-3" },
    { idempotency_key: "delegation-2" },
  ]
  for (const changes of rows) {
    const { status, json } = await server.post("/enroll", signDelegation(content(changes)))
    expect([changes, status, json.code]).toEqual([changes, 409, "DELEGATION_REPLAYED"])
  }
  expect(await server.count("delegation")).toBe(2)
})

test("resending a revoked delegation's signed bytes does not restore it", async () => {
  await using server = await openBusiness()
  const body = signDelegation(content())
  const { json } = await server.post("/enroll", body)
  const id = json.payload.delegation_id
  await server.post(`/delegations/${id}/revoke`, delegationRevocation(START, BASE_URL, id))
  const again = await server.post("/enroll", body)
  expect([again.status, again.json.code, again.json.reason_codes]).toEqual([
    409,
    "DELEGATION_REPLAYED",
    ["DELEGATION_REVOKED"],
  ])
  const [stored] = await server.store.read(() => findDelegations(ORGANIZATION_ID, AGENT_ID, agentKey.keyId))
  expect(stored?.state).toBe("REVOKED")
})

test("a delegation ends with the mandate key that signed it, also when another key signs the same content", async () => {
  await using server = await openBusiness()
  const second = testKey(ORGANIZATION_ID, 31)
  await server.store.run(() => addMandateKey(ORGANIZATION_ID, asMandateKey(second), formatInstant(START)))
  await server.post("/enroll", signDelegation(content()))
  await server.store.run(() =>
    revokeMandateKey({
      organizationId: ORGANIZATION_ID,
      keyId: mandateKey.keyId,
      since: formatInstant(START),
      reason: "lost",
      at: formatInstant(START),
    }),
  )
  const [dead] = await server.store.read(() => findDelegations(ORGANIZATION_ID, AGENT_ID, agentKey.keyId))
  expect(dead).toMatchObject({ state: "ACTIVE", signerState: "REVOKED" })
  const same = await server.post("/enroll", signDelegation(content(), second))
  expect([same.status, same.json.reason_codes]).toEqual([409, ["DELEGATION_REVOKED"]])
  const fresh = content({ nonce: nonce(2), idempotency_key: "delegation-2" })
  expect((await server.post("/enroll", signDelegation(fresh, second))).status).toBe(201)
})

test("contradictory input gets its own error code", async () => {
  await using server = await openBusiness()
  const rows: readonly [changes: Record<string, unknown>, status: number, code: string, pointer: string | null][] = [
    [{ audience: "https://other.example" }, 422, "SCHEMA_INVALID", "/audience"],
    [{ scope: [] }, 422, "SCHEMA_INVALID", "/scope"],
    [{ scope: ["SIGN_REQUEST", "SIGN_REQUEST"] }, 422, "SCHEMA_INVALID", "/scope"],
    [{ scope: ["SIGN_EVERYTHING"] }, 422, "SCHEMA_INVALID", "/scope/0"],
    [{ scope: ["SIGN_REQUEST", "SIGN_MANDATE"] }, 422, "SCHEMA_INVALID", "/scope"],
    [{ permitted_intents: ["ANY"] }, 422, "INTENT_UNSUPPORTED", "/permitted_intents/0"],
    [{ max_payment_amount: "0.00" }, 422, "AMOUNT_ZERO", null],
    [{ max_payment_amount: "-1" }, 422, "SCHEMA_INVALID", "/max_payment_amount"],
    [{ max_requests_per_day: 0 }, 422, "SCHEMA_INVALID", "/max_requests_per_day"],
    [{ valid_from: "2026-02-30T00:00:00Z" }, 422, "SCHEMA_INVALID", "/valid_from"],
    [{ valid_until: formatInstant(START) }, 422, "SCHEMA_INVALID", "/valid_until"],
    [{ valid_until: formatInstant(START + 401 * DAY) }, 422, "SCHEMA_INVALID", "/valid_until"],
    [{ nonce: "short" }, 422, "SCHEMA_INVALID", "/nonce"],
    [{ extra: 1 }, 422, "SCHEMA_INVALID", "/extra"],
  ]
  for (const [changes, status, code, pointer] of rows) {
    const body = signDelegation({ ...content(), ...changes } as DelegationContent)
    const { json, ...answer } = await server.post("/enroll", body)
    expect([changes, answer.status, json.code]).toEqual([changes, status, code])
    if (pointer) expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  }
  const good = signDelegation(content())
  for (const [body, pointer] of [
    [{ ...good, signature: { ...good.signature, issuer: "org:other" } }, "/signature/issuer"],
    [{ ...good, agent_acceptance: { ...good.agent_acceptance, issuer: "org:other" } }, "/agent_acceptance/issuer"],
    [{ ...good, agent_acceptance: { ...good.agent_acceptance, key_id: "other" } }, "/agent_acceptance/key_id"],
  ] as const) {
    const { status, json } = await server.post("/enroll", body)
    expect([status, json.errors[0].pointer]).toEqual([422, pointer])
  }
  expect(await server.count("delegation")).toBe(0)
})

test("a key has a limited number of delegations", async () => {
  await using server = await openBusiness()
  await server.post("/enroll", signDelegation(content()))
  const columns = getTableConfig(delegation)
    .columns.map(({ name }) => name)
    .map((name) => (["delegation_id", "nonce", "idempotency_key"].includes(name) ? `${name} || ?1` : name))
  const copy = `INSERT INTO delegation SELECT ${columns.join(", ")} FROM delegation LIMIT 1`
  for (let n = 1; n < DELEGATIONS_OF_KEY_MAX; n++) await server.write(copy, `-${n}`)
  const more = content({ nonce: nonce(2), idempotency_key: "delegation-2" })
  const { status, json } = await server.post("/enroll", signDelegation(more))
  expect([status, json.code]).toEqual([409, "DELEGATION_LIMIT_REACHED"])
  expect(await server.count("delegation")).toBe(DELEGATIONS_OF_KEY_MAX)
})

test("no log line contains a name, an organization, a key or a signature of the request", async () => {
  await using server = await openBusiness()
  const body = signDelegation(content())
  await server.post("/enroll", body)
  await server.post("/enroll", { ...body, max_payment_amount: "7777.00" })
  const lines = server.logged.join("")
  for (const secret of [ORGANIZATION_ID, "7777", body.signature.value, body.key_id, body.nonce]) {
    expect(lines).not.toContain(secret)
  }
  expect(server.logged.length).toBeGreaterThanOrEqual(2)
})
