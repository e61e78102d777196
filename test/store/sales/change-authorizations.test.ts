import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { HOUR, instant } from "../../../src/core/time.ts"
import { findChangeAuthorization, spendChangeAuthorization } from "../../../src/store/sales/change-authorizations.ts"
import { dropHolds, spendHolds, takeHolds } from "../../../src/store/sales/holds.ts"
import { findToken, type NewToken } from "../../../src/store/tokens/authorization-tokens.ts"
import { redeemToken, revokeToken } from "../../../src/store/tokens/token-moves.ts"
import { AT } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"
import { CHANGE_BINDING, changeToken, issued, paymentToken } from "../token-rows.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
let change: NewToken
beforeEach(async () => {
  store = await moneyStore()
  change = await store.run(() => issued(changeToken("b")))
  await store.run(() => issued(paymentToken("a")))
})
afterEach(() => store.close())

const NOW = instant(AT)
const END = NOW + HOUR

const find = (reference = change.evidenceReference, at = NOW) => store.run(() => findChangeAuthorization(reference, at))
const spend = (requestId = "drq_a", at = NOW) =>
  store.run(() => spendChangeAuthorization(change.evidenceReference, requestId, at))
const request = () => ({
  country: change.country,
  tokenHash: change.tokenHash,
  idempotencyKey: "key-0001",
  requestDigest: "digest-1",
  at: NOW,
})

test("a change authorization is found by the digest of its core, together with its buyer's organization", async () => {
  expect(await find()).toMatchObject({ executionId: "exe_b", organizationId: "org", state: "ISSUED" })
  expect(await find(`sha256:${"f".repeat(64)}`)).toBeNull()
})

test("a payment token is never found as a change authorization", async () => {
  expect(await find(paymentToken("a").evidenceReference)).toBeNull()
})

test("only one decision can spend it, and that decision can spend it again", async () => {
  expect([await spend(), await spend("drq_b"), await spend()]).toEqual([true, false, true])
  expect(await find()).toBeNull()
  expect(await store.run(() => findToken("GB", change.tokenHash))).toMatchObject({
    state: "SPENT",
    spentBy: "drq_a",
    changedAt: AT,
    idempotencyKey: null,
  })
})

test("a redeemed or revoked change authorization is neither found nor spent", async () => {
  await store.run(() => redeemToken({ ...request(), binding: CHANGE_BINDING }))
  expect([await find(), await spend()]).toEqual([null, false])
  const other = await store.run(() => issued(changeToken("c")))
  await store.run(() => revokeToken({ ...request(), tokenHash: other.tokenHash, reason: "SUPERSEDED" }))
  expect(await find(other.evidenceReference)).toBeNull()
  expect(await store.run(() => spendChangeAuthorization(other.evidenceReference, "drq_a", NOW))).toBe(false)
})

test("a change authorization that has ended is neither found nor spent", async () => {
  expect(await find(change.evidenceReference, END - 1)).not.toBeNull()
  expect(await find(change.evidenceReference, END)).toBeNull()
  expect([await spend("drq_a", END), await spend("drq_a", END - 1)]).toEqual([false, true])
})

describe("a decision that holds a change authorization", () => {
  const hold = (requestId: string) =>
    store.run(() => takeHolds("org", requestId, [{ kind: "CHANGE_AUTHORIZATION", value: change.evidenceReference }]))

  test("can spend it even after its end, and no other decision can spend it in the meantime", async () => {
    await hold("drq_a")
    expect(await spend("drq_b", NOW)).toBe(false)
    expect(await spend("drq_a", END + HOUR)).toBe(true)
  })

  test("spends it in the unit that sells the decision, before or after its holds are spent", async () => {
    await hold("drq_a")
    await store.run(() => spendHolds("drq_a"))
    expect([await spend("drq_a", END), await spend("drq_a", END)]).toEqual([true, true])
    await store.run(() => dropHolds("drq_a"))
    expect(await find()).toBeNull()
  })

  test("and is released leaves it unchanged: after its end nobody can spend it", async () => {
    await hold("drq_a")
    await store.run(() => dropHolds("drq_a"))
    expect([await spend("drq_a", END), await spend("drq_b", NOW)]).toEqual([false, true])
  })
})
