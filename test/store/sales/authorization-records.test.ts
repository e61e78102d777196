import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  type AuthorizationRecord,
  allowedOfSupplier,
  keepRecord,
  latestAuthorization,
  RECORDS_MAX,
  recordOfResponse,
  recordsOfDocument,
  recordsOfInstruction,
  recordsOfObligation,
  recordsOfRequests,
} from "../../../src/store/sales/authorization-records.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { newRequest } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
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
  supplierId: "sup-1",
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
      yield* recordsOfObligation("org", ["sup-1"], "inv"),
      yield* recordsOfDocument("org", "document"),
      yield* recordsOfInstruction("org", "instruction"),
      yield* allowedOfSupplier("org", "sup-1"),
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

test("the records of some requests are read in the order of the requests", async () => {
  for (const id of ["a", "b", "c"]) await kept(id)
  const found = await store.run(() => recordsOfRequests(new Set(["c", "unknown", "a"])))
  expect(found).toEqual([record("c"), record("a")])
  expect(await store.run(() => recordsOfRequests(new Set()))).toEqual([])
})

test("the newest authorization counts as the prior one, and only ALLOW proves a destination", async () => {
  await kept("allowed", { decidedAt: "2026-11-01T00:00:00.000Z" })
  await kept("conditional", { decision: "ALLOW_WITH_CONDITIONS", decidedAt: "2026-11-02T00:00:00.000Z" })
  await kept("held", { decision: "HOLD", decidedAt: "2026-11-03T00:00:00.000Z" })
  expect(await store.run(() => latestAuthorization("org", ["sup-1"]))).toMatchObject({ requestId: "conditional" })
  expect(await store.run(() => allowedOfSupplier("org", "sup-1"))).toMatchObject([{ requestId: "allowed" }])
})

test("records of several suppliers are read together, newest first", async () => {
  await kept("one", { decidedAt: "2026-11-01T00:00:00.000Z" })
  await kept("two", { decidedAt: "2026-11-02T00:00:00.000Z", supplierId: "sup-2" })
  await kept("three", { decidedAt: "2026-11-03T00:00:00.000Z", supplierId: "sup-3" })
  const both = ["sup-1", "sup-2"]
  const found = await store.run(() => recordsOfObligation("org", both, "inv"))
  expect(found.map(({ requestId }) => requestId)).toEqual(["two", "one"])
  expect(await store.run(() => latestAuthorization("org", both))).toMatchObject({ requestId: "two" })
})

test("two hundred bought HOLDs do not hide an authorization of the same obligation, document or instruction", async () => {
  await kept("allowed", { decidedAt: "2026-01-01T00:00:00.000Z" })
  for (let i = 0; i < RECORDS_MAX + 1; i++) {
    await kept(`held-${i}`, { decision: "HOLD", decidedAt: new Date(Date.UTC(2026, 1, 1) + i * 1000).toISOString() })
  }
  const found = await store.run(function* () {
    return [
      yield* recordsOfObligation("org", ["sup-1"], "inv"),
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
  const records = await store.run(() => allowedOfSupplier("org", "sup-1"))
  expect(records).toHaveLength(RECORDS_MAX)
  expect([records[0]?.requestId, records.at(-1)?.requestId]).toEqual([`r${RECORDS_MAX + 1}`, "r2"])
})
