/** What was created before a restore counts as used, revoked or superseded; what was created after it does not. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { formatInstant, instant, MINUTE, SECOND } from "../../src/core/time.ts"
import { challengeById, issueUncountedChallenge } from "../../src/store/identity/agent-challenge.ts"
import { askForProof, consumeToken } from "../../src/store/mail/email-challenges.ts"
import { addRestore, declareBackupNewest } from "../../src/store/restores.ts"
import { findChangeAuthorization } from "../../src/store/sales/change-authorizations.ts"
import { redeemToken, revokeToken, tokenState } from "../../src/store/tokens/token-moves.ts"
import { freeWriter } from "../fixtures/free-writes.ts"
import { AT, moneyStore } from "./money-rows.ts"
import { changeToken, issued, PAYMENT_BINDING, paymentToken } from "./token-rows.ts"

let store: ReturnType<typeof moneyStore>
beforeEach(() => {
  store = moneyStore()
})
afterEach(() => store.close())

const NOW = instant(AT)
const later = (ms: number) => formatInstant(NOW + ms)
const restoreAt = (ms: number) =>
  store.run(() => addRestore({ backup_at: AT, restored_at: later(ms), newest_declared_at: null }))

describe("a token", () => {
  const redeem = async (name: string) => {
    const { tokenHash, country } = paymentToken(name)
    const request = { tokenHash, country, idempotencyKey: "key-0001", requestDigest: "digest", at: NOW + MINUTE }
    const outcome = await store.run(() => redeemToken({ ...request, binding: PAYMENT_BINDING }))
    return "bar" in outcome ? outcome.bar : outcome.kind
  }

  test("from before the restore is revoked; one from after it is redeemed", async () => {
    await store.run(() => issued(paymentToken("old")))
    await restoreAt(SECOND)
    await store.run(() => issued(paymentToken("new", { issuedAt: later(2 * SECOND), expiresAt: later(30 * MINUTE) })))
    expect([await redeem("old"), await redeem("new")]).toEqual(["REVOKED", "DONE"])
  })

  test("that was redeemed before the backup stays redeemed", async () => {
    await store.run(() => issued(paymentToken("old")))
    expect(await redeem("old")).toBe("DONE")
    await restoreAt(2 * MINUTE)
    expect(await redeem("old")).toBe("DONE")
  })

  test("is shown as revoked since the restore, and its revocation is a repetition", async () => {
    const change = changeToken("old")
    await store.run(() => issued(change))
    await restoreAt(SECOND)
    const { country, tokenHash } = change
    const known = await store.run(() => tokenState(country, tokenHash, NOW + MINUTE))
    expect(known).toMatchObject({ token: { state: "REVOKED", changedAt: later(SECOND) }, inUse: false })
    const request = { country, tokenHash, idempotencyKey: "key-0001", requestDigest: "digest", at: NOW + MINUTE }
    expect(await store.run(() => revokeToken({ ...request, reason: "SUPERSEDED" }))).toMatchObject({
      kind: "DONE",
      replayed: true,
    })
    expect(await store.run(() => findChangeAuthorization(change.evidenceReference, NOW + MINUTE))).toBeNull()
  })

  test("counts again after the declaration that the backup was the newest state", async () => {
    await store.run(() => issued(paymentToken("old")))
    await restoreAt(SECOND)
    await store.run(() => declareBackupNewest(later(2 * SECOND)))
    expect(await redeem("old")).toBe("DONE")
  })
})

describe("a challenge of an identity", () => {
  const ask = (challengeId: string, at: number) =>
    store.run(() =>
      issueUncountedChallenge({
        challengeId,
        agentId: "svc:agent:a",
        eventJson: `{"challenge_id":"${challengeId}"}`,
        challengeDigest: challengeId,
        issuedAt: formatInstant(at),
        expiresAt: formatInstant(at + 10 * MINUTE),
        purgeBefore: formatInstant(at - 10 * MINUTE),
        requestedBy: "192.0.2.1",
        parameterDigest: "same",
        givenAgainUntil: formatInstant(at + MINUTE),
        writer: freeWriter(at),
      }),
    )

  test("from before the restore is superseded, and the same request gets a new one", async () => {
    await ask("one", NOW)
    expect(await ask("again", NOW + SECOND)).toMatchObject({ challengeDigest: "one" })
    await restoreAt(2 * SECOND)
    expect(await store.run(() => challengeById("one"))).toMatchObject({ state: "SUPERSEDED" })
    expect(await ask("two", NOW + 3 * SECOND)).toMatchObject({ challengeDigest: "two" })
    expect(await store.run(() => challengeById("two"))).toMatchObject({ state: "ISSUED" })
  })
})

test("a token that was mailed before the restore proves no mailbox", async () => {
  const mail = (id: string, at: number) =>
    store.run(() =>
      askForProof(
        {
          id,
          mailbox: "a@b.example",
          requestDigest: id,
          tokenHash: id.padEnd(64, "0"),
          issuedAt: formatInstant(at),
          expiresAt: formatInstant(at + 10 * MINUTE),
        },
        {
          id,
          kind: "CHALLENGE",
          mailbox: "a@b.example",
          mailboxKey: "a@b.example",
          domain: "b.example",
          nullSender: false,
          raw: "text",
          createdAt: formatInstant(at),
          giveUpAt: formatInstant(at + 10 * MINUTE),
        },
        "MAILS_OVER_HTTP",
        freeWriter(at),
      ),
    )
  const prove = (id: string) =>
    store.run(() =>
      consumeToken({ tokenHash: id.padEnd(64, "0"), mailbox: "a@b.example", requestDigest: id, now: later(MINUTE) }),
    )
  await mail("old", NOW)
  await restoreAt(SECOND)
  await mail("new", NOW + 2 * SECOND)
  expect([await prove("old"), await prove("new")]).toEqual([false, true])
})
