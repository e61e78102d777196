import { afterEach, beforeEach, expect, test } from "bun:test"
import { type AnswerRecord, keepAnswerRecord } from "../../../src/store/sales/answer-records.ts"
import { type AuthorizationRecord, keepRecord } from "../../../src/store/sales/authorization-records.ts"
import { currentAnswers, currentDecisions } from "../../../src/store/sales/current-authorizations.ts"
import { grantRedelivery, useRedelivery } from "../../../src/store/sales/redeliveries.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { issueToken } from "../../../src/store/tokens/authorization-tokens.ts"
import { newRequest } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const NOW = "2026-11-21T10:30:00.000Z"
const LATER = "2026-11-21T11:00:00.000Z"

async function kept(id: string, changes: Partial<AuthorizationRecord> = {}): Promise<void> {
  await store.run(function* () {
    yield* claimRequest(newRequest(id, { requestJson: `{"of":"${id}"}` }))
    yield* keepRecord({
      requestId: id,
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
      decisionId: `dec-${id}`,
      responseDigest: `response-${id}`,
      decidedAt: "2026-11-21T10:00:00.000Z",
      validUntil: LATER,
      supplierId: "sup",
      ...changes,
    })
  })
}

/** Replaces a product's comparison of identifiers: every request has the same supplier, except those named otherwise. */
const isSame = ({ requestJson }: { readonly requestJson: string }) => !requestJson.includes("other supplier")

const decisionIds = async (now = NOW) =>
  (await store.run(() => currentDecisions("org", "inv", now, isSame))).map(({ decisionId }) => decisionId)

test("current decisions have the same organization, supplier and obligation, authorize the payment and have not ended", async () => {
  await kept("allowed")
  await kept("conditional", { decision: "ALLOW_WITH_CONDITIONS", validUntil: "2026-11-21T11:00:00.001Z" })
  for (const decision of ["HOLD", "BLOCK", "UNDETERMINED"]) await kept(decision, { decision })
  await kept("other organization", { organizationId: "another" })
  await kept("other supplier")
  await kept("other obligation", { obligationKey: "inv2" })
  await kept("ended", { validUntil: NOW })
  expect(await decisionIds()).toEqual(["dec-conditional", "dec-allowed"])
  expect(await decisionIds(LATER)).toEqual(["dec-conditional"])
  expect(await decisionIds("2026-11-21T11:00:00.001Z")).toEqual([])
})

test("a current decision includes its request and the end of the replacement that its owner may have", async () => {
  await kept("late")
  const only = async (now = NOW) => (await store.run(() => currentDecisions("org", "inv", now, isSame)))[0]
  expect(await only()).toEqual({
    requestId: "late",
    scope: newRequest("late").scope,
    supplierId: "sup",
    requestJson: '{"of":"late"}',
    decisionId: "dec-late",
    responseDigest: "response-late",
    payeeFingerprint: "payee",
    destinationFingerprint: "destination",
    instructionDigest: "instruction",
    validUntil: LATER,
    replaceableUntil: null,
  })
  const until = "2026-11-21T10:45:00.000Z"
  await store.run(() => grantRedelivery({ requestId: "late", scope: "scope", subject: "subject", until }))
  expect((await only())?.replaceableUntil).toBe(until)
  expect((await only(until))?.replaceableUntil).toBeNull()
  await store.run(() => useRedelivery("late", "late"))
  expect((await only())?.replaceableUntil).toBeNull()
})

async function answered(id: string, changes: Partial<AnswerRecord> = {}): Promise<void> {
  await store.run(function* () {
    yield* claimRequest(newRequest(id, { requestJson: `{"of":"${id}"}` }))
    yield* keepAnswerRecord({
      requestId: id,
      product: "product",
      owner: "payer",
      organizationId: null,
      keyId: null,
      executionId: `exe-${id}`,
      coreDigest: `core-${id}`,
      subject: "uei:1",
      nameKey: "name",
      obligationKey: "inv",
      documentDigest: "document",
      payeeFingerprint: "payee",
      destinationFingerprint: null,
      decision: "APPROVE",
      decidedAt: "2026-11-21T10:00:00.000Z",
      validUntil: LATER,
      supplierId: "sup",
      organizationSupplierId: null,
      ...changes,
    })
  })
}

test("current answers belong to one product, payer and obligation, and include the state of their token", async () => {
  await answered("approved")
  await answered("conditional", { decision: "CONDITIONAL", validUntil: "2026-11-21T10:59:00.000Z" })
  for (const decision of ["REVIEW", "BLOCK"]) await answered(decision, { decision })
  await answered("other payer", { owner: "another" })
  await answered("other product", { product: "another" })
  await answered("other supplier")
  await answered("other obligation", { obligationKey: "inv2" })
  await answered("ended", { validUntil: NOW })
  await store.run(() =>
    issueToken({
      tokenHash: "a".repeat(64),
      requestId: "approved",
      executionId: "exe-approved",
      product: "product",
      country: "US",
      kind: "PAYMENT",
      bindingJson: "{}",
      wallet: "payer",
      evidenceReference: "core-approved",
      issuedAt: NOW,
      expiresAt: LATER,
    }),
  )
  const found = await store.run(() =>
    currentAnswers({ owner: "payer", product: "product", obligationKey: "inv" }, NOW, isSame),
  )
  expect(found.map(({ executionId, coreDigest, tokenState }) => [executionId, coreDigest, tokenState])).toEqual([
    ["exe-approved", "core-approved", "ISSUED"],
    ["exe-conditional", "core-conditional", null],
  ])
})

test("a current answer is found although many other suppliers of the owner use the same obligation id", async () => {
  const others = 70
  for (let n = 0; n < others; n++) {
    await kept(`other supplier ${n}`, { validUntil: `2026-11-21T12:00:00.${String(n % 7).padStart(3, "0")}Z` })
    await answered(`answered other supplier ${n}`, {
      validUntil: `2026-11-21T12:00:00.${String(n % 7).padStart(3, "0")}Z`,
    })
  }
  await kept("the one")
  await answered("the answer")
  expect(await decisionIds()).toEqual(["dec-the one"])
  const found = await store.run(() =>
    currentAnswers({ owner: "payer", product: "product", obligationKey: "inv" }, NOW, isSame),
  )
  expect(found.map(({ executionId }) => executionId)).toEqual(["exe-the answer"])
})
