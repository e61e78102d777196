/** What was created before a restore counts as used, revoked or superseded; what was created after it does not. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { formatInstant, HOUR, instant, MINUTE, SECOND } from "../../src/core/time.ts"
import { insertConsent } from "../../src/store/agent-mode/beacon-consents.ts"
import { readMessageFacts } from "../../src/store/agent-mode/message-facts.ts"
import { isOptedOut, recordOptOut } from "../../src/store/agent-mode/sales-opt-outs.ts"
import { challengeById, issueUncountedChallenge } from "../../src/store/identity/agent-challenge.ts"
import { isPaused, recordPause } from "../../src/store/jobs/channel.ts"
import { askForProof, consumeToken } from "../../src/store/mail/email-challenges.ts"
import { spendNonce } from "../../src/store/nonces.ts"
import { addRestore, declareBackupNewest } from "../../src/store/restores.ts"
import { findChangeAuthorization } from "../../src/store/sales/change-authorizations.ts"
import { grantRedelivery, openRedelivery, REDELIVERY_MS } from "../../src/store/sales/redeliveries.ts"
import { claimRequest } from "../../src/store/sales/requests.ts"
import { redeemToken, revokeToken, tokenState } from "../../src/store/tokens/token-moves.ts"
import { freeWriter } from "../fixtures/free-writes.ts"
import { AT, newRequest } from "./money-rows.ts"
import { moneyStore } from "./money-store.ts"
import { changeToken, issued, PAYMENT_BINDING, paymentToken } from "./token-rows.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const NOW = instant(AT)
const later = (ms: number) => formatInstant(NOW + ms)
const enterAgent = () =>
  store.write(
    "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES ('svc:agent:a', 'ACTIVE', 0, '', ?1)",
    AT,
  )
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

test("a nonce whose message was signed before the restore counts as used", async () => {
  const spend = (nonce: string, expiresAt: number) =>
    store.run(() => spendNonce("scope", nonce, formatInstant(expiresAt), formatInstant(NOW)))
  await restoreAt(SECOND)
  expect([await spend("old", NOW + MINUTE), await spend("new", NOW + 2 * HOUR)]).toEqual([false, true])
})

test("the right to a decision without payment ends with a restore, and one that is granted later counts", async () => {
  const open = () => store.run(() => openRedelivery("scope", "subject", later(MINUTE)))
  for (const id of ["req_old", "req_new"]) await store.run(() => claimRequest(newRequest(id)))
  const grant = (requestId: string, at: number) =>
    store.run(() =>
      grantRedelivery({ requestId, scope: "scope", subject: "subject", until: later(at + REDELIVERY_MS) }),
    )
  await grant("req_old", 0)
  expect(await open()).toBe("req_old")
  await restoreAt(SECOND)
  expect(await open()).toBeNull()
  await grant("req_new", 2 * SECOND)
  expect(await open()).toBe("req_new")
})

test("the job rail is paused by a restore until the operator resumes it, or declares the backup the newest state", async () => {
  const paused = () => store.run(isPaused)
  await store.run(() => recordPause({ at: AT, action: "RESUME", reason: "again" }))
  expect(await paused()).toBe(false)
  await restoreAt(SECOND)
  expect(await paused()).toBe(true)
  await store.run(() => recordPause({ at: later(2 * SECOND), action: "RESUME", reason: "looked at every job" }))
  expect(await paused()).toBe(false)
  await restoreAt(3 * SECOND)
  expect(await paused()).toBe(true)
  await store.run(() => declareBackupNewest(later(4 * SECOND)))
  expect(await paused()).toBe(false)
})

test("a return to agent sales does not count after a restore, and a new one does", async () => {
  const subject = { agentId: "svc:agent:a", scope: "ALL", value: "" } as const
  const say = (action: "OPT_OUT" | "OPT_IN", at: number) =>
    store.run(() => recordOptOut({ ...subject, action, effectiveAt: later(at), requestDigest: `${action}${at}` }))
  const left = () => store.run(() => isOptedOut(subject))
  await enterAgent()
  expect(await left()).toBe(false)
  await say("OPT_OUT", 0)
  await say("OPT_IN", SECOND)
  expect(await left()).toBe(false)
  await restoreAt(2 * SECOND)
  expect(await left()).toBe(true)
  await say("OPT_IN", 3 * SECOND)
  expect(await left()).toBe(false)
})

test("a consent of the Beacon from before the restore is revoked, and a later one is not", async () => {
  const grant = (consentId: string, at: number) =>
    store.run(() =>
      insertConsent({
        agentId: "svc:agent:a",
        consentId,
        terms: "{}",
        requestDigest: consentId,
        grantedAt: later(at),
        validUntil: later(HOUR),
      }),
    )
  const revokedAt = async (consentId: string) => {
    const none = new Uint8Array(8)
    const marks = { keyMark: none, nonceMark: none, eventMark: none }
    const question = {
      agentId: "svc:agent:a",
      keyId: "k",
      consentId,
      day: AT.slice(0, 10),
      at: later(MINUTE),
      ...marks,
    }
    return (await store.run(() => readMessageFacts(question))).consent?.revokedAt
  }
  await enterAgent()
  await grant("old", 0)
  expect(await revokedAt("old")).toBeNull()
  await restoreAt(SECOND)
  await grant("new", 2 * SECOND)
  expect([await revokedAt("old"), await revokedAt("new")]).toEqual([later(SECOND), null])
})
