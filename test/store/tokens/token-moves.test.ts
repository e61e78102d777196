import { afterEach, beforeEach, describe, expect } from "bun:test"
import { HOUR, instant } from "../../../src/core/time.ts"
import { spendChangeAuthorization } from "../../../src/store/sales/change-authorizations.ts"
import { dropHolds, type Hold, takeHolds } from "../../../src/store/sales/holds.ts"
import { findToken, issueToken, type NewToken } from "../../../src/store/tokens/authorization-tokens.ts"
import { redeemToken, revokeToken, tokenState } from "../../../src/store/tokens/token-moves.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { AT } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"
import { CHANGE_BINDING, changeToken, issued, PAYMENT_BINDING, paymentToken } from "../token-rows.ts"

const test = slowTests(import.meta.path)

let store: Awaited<ReturnType<typeof moneyStore>>
let pay: NewToken
let change: NewToken
beforeEach(async () => {
  store = await moneyStore()
  pay = await store.run(() => issued(paymentToken("a")))
  change = await store.run(() => issued(changeToken("b")))
})
afterEach(() => store.close())

const NOW = instant(AT)
const END = NOW + HOUR

const request = (token: NewToken, changes: object = {}) => ({
  country: token.country,
  tokenHash: token.tokenHash,
  idempotencyKey: "key-0001",
  requestDigest: "digest-1",
  at: NOW,
  binding: token.kind === "PAYMENT" ? PAYMENT_BINDING : CHANGE_BINDING,
  reason: "SUPERSEDED" as const,
  ...changes,
})
const redeem = (token: NewToken, changes: object = {}) => store.run(() => redeemToken(request(token, changes)))
const revoke = (token: NewToken, changes: object = {}) => store.run(() => revokeToken(request(token, changes)))
const told = (outcome: object) => {
  const { kind, bar, members, replayed } = outcome as Record<string, unknown>
  return [kind, bar ?? members ?? replayed].filter((part) => part !== undefined)
}
const stateOf = async (token: NewToken) => (await store.run(() => findToken(token.country, token.tokenHash)))?.state

test("an execution and a core get at most one token", async () => {
  await expect(store.run(() => issueToken({ ...pay, tokenHash: "c".repeat(64) }))).rejects.toMatchObject({
    kind: "UNIQUE",
  })
  const other = { ...pay, tokenHash: "c".repeat(64), executionId: "exe_c" }
  await expect(store.run(() => issueToken(other))).rejects.toThrow(/evidence_reference/)
})

test("a token issued after the end of its answer is stored and expired", async () => {
  const late = await store.run(() => issued(paymentToken("d", { issuedAt: "2026-11-21T12:00:00.000Z" })))
  expect(told(await redeem(late, { at: END + HOUR }))).toEqual(["BARRED", "EXPIRED"])
})

describe("redeem checks in this order: known, done before, bound, spent, revoked, held, expired", () => {
  const wrong = { ...PAYMENT_BINDING, amount: "1250.01", currency: "USD" }
  const later = { idempotencyKey: "key-0002" }

  test("an unknown token comes first: another hash or another country", async () => {
    expect(told(await redeem(pay, { tokenHash: "f".repeat(64), binding: wrong }))).toEqual(["UNKNOWN"])
    expect(told(await redeem(pay, { country: "US" }))).toEqual(["UNKNOWN"])
    expect(await stateOf(pay)).toBe("ISSUED")
  })

  test("the earlier result of a key is returned before the binding and the end are checked", async () => {
    const first = await redeem(pay)
    expect(told(first)).toEqual(["DONE", false])
    const again = await redeem(pay, { at: END + HOUR, binding: wrong })
    expect(told(again)).toEqual(["DONE", true])
    expect<object>({ ...again, replayed: false }).toEqual(first)
    expect(told(await redeem(pay, { requestDigest: "digest-2" }))).toEqual(["KEY_REUSED"])
  })

  test("a different binding comes before spent, revoked and expired, and changes nothing", async () => {
    expect(told(await redeem(pay, { binding: wrong, at: END }))).toEqual(["MISMATCH", ["amount", "currency"]])
    expect(await stateOf(pay)).toBe("ISSUED")
    await redeem(pay)
    expect(told(await redeem(pay, { ...later, binding: wrong }))).toEqual(["MISMATCH", ["amount", "currency"]])
    await revoke(change)
    expect(told(await redeem(change, { binding: PAYMENT_BINDING }))[0]).toBe("MISMATCH")
  })

  test("spent and revoked come before expired", async () => {
    await redeem(pay)
    expect(told(await redeem(pay, { ...later, at: END }))).toEqual(["BARRED", "SPENT"])
    await revoke(change)
    expect(told(await redeem(change, { at: END }))).toEqual(["BARRED", "REVOKED"])
    // Also under the key that revoked it, because that was not a redemption.
    expect(told(await redeem(change))).toEqual(["BARRED", "REVOKED"])
  })

  test("a key that was refused can be used again", async () => {
    await redeem(pay, { binding: wrong })
    expect(told(await redeem(pay, { requestDigest: "digest-2" }))).toEqual(["DONE", false])
  })
})

describe("revoke checks in this order: known, revocable, done before, spent, held, expired", () => {
  test("an unknown token comes first, then a payment token in any state", async () => {
    expect(told(await revoke(pay, { country: "US" }))).toEqual(["UNKNOWN"])
    expect(told(await revoke(pay))).toEqual(["NOT_REVOCABLE"])
    await redeem(pay)
    expect(told(await revoke(pay))).toEqual(["NOT_REVOCABLE"])
  })

  test("a second revocation keeps the first reason and time, under any key and even after the end", async () => {
    const first = await revoke(change)
    expect(told(first)).toEqual(["DONE", false])
    for (const changes of [{ at: END }, { idempotencyKey: "key-0002", requestDigest: "digest-2", reason: "OTHER" }]) {
      const again = await revoke(change, changes)
      expect(told(again)).toEqual(["DONE", true])
      expect<object>({ ...again, replayed: false }).toEqual(first)
    }
    expect(told(await revoke(change, { requestDigest: "digest-2" }))).toEqual(["KEY_REUSED"])
  })

  test("spent comes before expired", async () => {
    const other = await store.run(() => issued(changeToken("e")))
    await redeem(change)
    expect(told(await revoke(change, { at: END }))).toEqual(["BARRED", "SPENT"])
    expect(told(await revoke(other, { at: END }))).toEqual(["BARRED", "EXPIRED"])
  })
})

describe("the end of a token", () => {
  test("is exact: a millisecond earlier it can be redeemed", async () => {
    const other = await store.run(() => issued(paymentToken("e")))
    expect(told(await redeem(other, { at: END }))).toEqual(["BARRED", "EXPIRED"])
    expect(told(await redeem(pay, { at: END - 1 }))).toEqual(["DONE", false])
  })

  test.each(["redeem", "revoke", "state"])("that %s has seen once stays when the clock is set back", async (by) => {
    if (by === "redeem") await redeem(change, { at: END })
    else if (by === "revoke") await revoke(change, { at: END })
    else expect((await store.run(() => tokenState("GB", change.tokenHash, END)))?.token.state).toBe("EXPIRED")
    expect(told(await redeem(change, { at: NOW }))).toEqual(["BARRED", "EXPIRED"])
    expect(told(await revoke(change, { at: NOW }))).toEqual(["BARRED", "EXPIRED"])
    expect((await store.run(() => tokenState("GB", change.tokenHash, NOW)))?.token).toMatchObject({
      state: "EXPIRED",
      changedAt: change.expiresAt,
    })
  })

  test("cannot come before its issue: an early redemption has the time of the issue", async () => {
    const done = await redeem(pay, { at: NOW - HOUR })
    expect(done).toMatchObject({ kind: "DONE", token: { state: "SPENT", changedAt: AT } })
  })
})

describe("while a pending decision holds a change token", () => {
  const hold: Hold = { kind: "CHANGE_AUTHORIZATION", value: "" }
  const take = (requestId: string, organizationId = "org") =>
    store.run(() => takeHolds(organizationId, requestId, [{ ...hold, value: change.evidenceReference }]))
  const ask = (at = NOW) => store.run(() => tokenState("GB", change.tokenHash, at))

  test("nobody can redeem or revoke it, and it does not expire; different values are still reported", async () => {
    expect(await take("drq_a")).toBeNull()
    for (const at of [NOW, END]) {
      expect(told(await redeem(change, { at }))).toEqual(["BARRED", "IN_PROGRESS"])
      expect(told(await revoke(change, { at }))).toEqual(["BARRED", "IN_PROGRESS"])
      expect(await ask(at)).toMatchObject({ token: { state: "ISSUED" }, inUse: true })
    }
    expect(told(await redeem(change, { binding: PAYMENT_BINDING }))[0]).toBe("MISMATCH")
  })

  test("the organization of that decision does not matter", async () => {
    await take("drq_a", "another organization")
    expect(told(await redeem(change))).toEqual(["BARRED", "IN_PROGRESS"])
  })

  test("other tokens are not affected", async () => {
    await take("drq_a")
    const other = await store.run(() => issued(changeToken("e")))
    expect(told(await redeem(other))).toEqual(["DONE", false])
    expect(told(await redeem(pay))).toEqual(["DONE", false])
  })

  test("a release of the decision makes it free again, or expired", async () => {
    await take("drq_a")
    await store.run(() => dropHolds("drq_a"))
    expect(told(await redeem(change))).toEqual(["DONE", false])
    const other = await store.run(() => issued(changeToken("e")))
    await store.run(() => takeHolds("org", "drq_a", [{ ...hold, value: other.evidenceReference }]))
    await store.run(() => dropHolds("drq_a"))
    expect(told(await redeem(other, { at: END }))).toEqual(["BARRED", "EXPIRED"])
  })

  test("an earlier redemption is returned again", async () => {
    await redeem(change)
    await take("drq_a")
    expect(told(await redeem(change))).toEqual(["DONE", true])
  })
})

test("a token spent by a decision is SPENT for redeem and for revoke", async () => {
  expect(await store.run(() => spendChangeAuthorization(change.evidenceReference, "drq_a", NOW))).toBe(true)
  expect(told(await redeem(change))).toEqual(["BARRED", "SPENT"])
  expect(told(await revoke(change))).toEqual(["BARRED", "SPENT"])
})

test("the state of a token is read without a change, and a token of another country is not found", async () => {
  const ask = (token: NewToken) => store.run(() => tokenState(token.country, token.tokenHash, NOW))
  expect(await ask(pay)).toMatchObject({ token: { state: "ISSUED", changedAt: null }, inUse: false })
  await redeem(pay)
  expect(await ask(pay)).toMatchObject({ token: { state: "SPENT", changedAt: AT }, inUse: false })
  expect(await ask({ ...pay, country: "US" })).toBeNull()
})
