import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  type AuthorizationRecord,
  allowedOfSupplier,
  keepRecord,
  knownByAnotherIdentifier,
  knownByAnotherName,
  latestAuthorization,
  RECORDS_MAX,
  recordOfResponse,
  recordsOfDocument,
  recordsOfInstruction,
  recordsOfObligation,
} from "../../../src/store/sales/authorization-records.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { moneyStore, newRequest } from "../money-rows.ts"

let store: ReturnType<typeof moneyStore>
beforeEach(() => {
  store = moneyStore()
})
afterEach(() => store.close())

const record = (requestId: string, changes: Partial<AuthorizationRecord> = {}): AuthorizationRecord => ({
  requestId,
  organizationId: "org",
  supplierKey: "lei:1",
  supplierEntityId: "entity",
  supplierNameKey: "name",
  obligationKey: "inv",
  documentDigest: "document",
  instructionDigest: "instruction",
  payeeFingerprint: "payee",
  destinationFingerprint: "destination",
  mandateKeyId: "key",
  decision: "ALLOW",
  decisionId: `dec-${requestId}`,
  responseDigest: `response-${requestId}`,
  decidedAt: "2026-11-21T10:00:00.000Z",
  validUntil: "2026-11-21T11:00:00.000Z",
  ...changes,
})

async function kept(id: string, changes: Partial<AuthorizationRecord> = {}): Promise<void> {
  await store.run(function* () {
    yield* claimRequest(newRequest(id))
    yield* keepRecord(record(id, changes))
  })
}

test("authorizations are found by obligation, document, instruction and response, only within their organization", async () => {
  await kept("a")
  await kept("b", { organizationId: "another" })
  const found = await store.run(function* () {
    return [
      yield* recordsOfObligation("org", "lei:1", "inv"),
      yield* recordsOfDocument("org", "document"),
      yield* recordsOfInstruction("org", "instruction"),
      yield* allowedOfSupplier("org", "lei:1"),
    ]
  })
  expect(found.map((records) => records.map(({ requestId }) => requestId))).toEqual([["a"], ["a"], ["a"], ["a"]])
  expect(await store.run(() => recordOfResponse("org", "response-a"))).toMatchObject({ requestId: "a" })
  expect(await store.run(() => recordOfResponse("org", "response-b"))).toBeNull()
})

test("a request leaves one record, which is never overwritten", async () => {
  await kept("a")
  await store.run(() => keepRecord(record("a", { decision: "BLOCK" })))
  expect(await store.run(() => recordOfResponse("org", "response-a"))).toMatchObject({ decision: "ALLOW" })
})

test("another name of an identifier and another identifier of an entity are found; an omitted name is not", async () => {
  await kept("a")
  await kept("nameless", { supplierNameKey: "", supplierKey: "lei:2", supplierEntityId: "entity-2" })
  const requests = await store.run(function* () {
    return {
      sameName: yield* knownByAnotherName("org", "lei:1", "name"),
      otherName: yield* knownByAnotherName("org", "lei:1", "another"),
      nameless: yield* knownByAnotherName("org", "lei:2", "another"),
      sameIdentifier: yield* knownByAnotherIdentifier("org", "entity", "lei:1"),
      otherIdentifier: yield* knownByAnotherIdentifier("org", "entity", "lei:9"),
      otherOrganization: yield* knownByAnotherIdentifier("elsewhere", "entity", "lei:9"),
    }
  })
  expect(requests).toEqual({
    sameName: false,
    otherName: true,
    nameless: false,
    sameIdentifier: false,
    otherIdentifier: true,
    otherOrganization: false,
  })
})

test("another name or identifier is found whether it sorts before or after the given one", async () => {
  await kept("a", { supplierNameKey: "m", supplierKey: "lei:5" })
  const requests = (name: string, identifier: string) =>
    store.run(function* () {
      return [
        yield* knownByAnotherName("org", "lei:5", name),
        yield* knownByAnotherIdentifier("org", "entity", identifier),
      ]
    })
  expect(await requests("m", "lei:5")).toEqual([false, false])
  expect(await requests("a", "lei:1")).toEqual([true, true])
  expect(await requests("z", "lei:9")).toEqual([true, true])
  expect(await requests("", "")).toEqual([true, true])
})

test("the newest authorization counts as the prior one, and only ALLOW proves a destination", async () => {
  await kept("allowed", { decidedAt: "2026-11-01T00:00:00.000Z" })
  await kept("conditional", { decision: "ALLOW_WITH_CONDITIONS", decidedAt: "2026-11-02T00:00:00.000Z" })
  await kept("held", { decision: "HOLD", decidedAt: "2026-11-03T00:00:00.000Z" })
  expect(await store.run(() => latestAuthorization("org", "lei:1"))).toMatchObject({ requestId: "conditional" })
  expect(await store.run(() => allowedOfSupplier("org", "lei:1"))).toMatchObject([{ requestId: "allowed" }])
})

test("two hundred bought HOLDs do not hide an authorization of the same obligation, document or instruction", async () => {
  await kept("allowed", { decidedAt: "2026-01-01T00:00:00.000Z" })
  for (let i = 0; i < RECORDS_MAX + 1; i++) {
    await kept(`held-${i}`, { decision: "HOLD", decidedAt: new Date(Date.UTC(2026, 1, 1) + i * 1000).toISOString() })
  }
  const found = await store.run(function* () {
    return [
      yield* recordsOfObligation("org", "lei:1", "inv"),
      yield* recordsOfDocument("org", "document"),
      yield* recordsOfInstruction("org", "instruction"),
    ]
  })
  expect(found.map((records) => records.map(({ requestId }) => requestId))).toEqual([
    ["allowed"],
    ["allowed"],
    ["allowed"],
  ])
})

test("at most the newest two hundred records are read, newest first", async () => {
  for (let i = 0; i < RECORDS_MAX + 2; i++) {
    await kept(`r${i}`, { decidedAt: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString() })
  }
  const records = await store.run(() => allowedOfSupplier("org", "lei:1"))
  expect(records).toHaveLength(RECORDS_MAX)
  expect([records[0]?.requestId, records.at(-1)?.requestId]).toEqual([`r${RECORDS_MAX + 1}`, "r2"])
})
