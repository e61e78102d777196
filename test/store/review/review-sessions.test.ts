/** Links, sessions and challenges: spent once, ended by time and by a new session, and removed when they are over. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import {
  enterByLink,
  leaveSession,
  makeChallenge,
  makeLink,
  provePasskey,
  purgeReviewEntrances,
  purposeOf,
  spendChallenge,
  useSession,
} from "../../../src/store/review/review-sessions.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { REVIEW_TIME } from "../../fixtures/review-log.ts"

let opened: TestStore
beforeEach(async () => {
  opened = await newStore()
})
afterEach(() => opened.close())

const after = (ms: number) => formatInstant(REVIEW_TIME + ms)
const link = (linkHash: string, reviewerId = "rev_a") =>
  opened.store.run(() => makeLink({ linkHash, reviewerId, at: after(0) }))
const enter = (linkHash: string, sessionHash: string, ms = SECOND) =>
  opened.store.run(() => enterByLink({ linkHash, sessionHash, at: after(ms) }))
const use = (sessionHash: string, ms: number) => opened.store.run(() => useSession(sessionHash, after(ms)))

test("a link opens one session within five minutes, once", async () => {
  expect(await link("one")).toBe(after(5 * MINUTE))
  expect(await enter("other", "s")).toBeNull()
  expect(await enter("one", "s")).toMatchObject({ reviewerId: "rev_a", keyId: null })
  expect(await enter("one", "t")).toBeNull()
  await link("late")
  expect(await enter("late", "u", 5 * MINUTE)).toBeNull()
})

test("a new session ends the earlier one of the same person, and of nobody else", async () => {
  for (const [name, reviewer] of [
    ["one", "rev_a"],
    ["two", "rev_a"],
    ["three", "rev_b"],
  ] as const)
    await link(name, reviewer)
  await enter("one", "s1")
  await enter("three", "s3")
  await enter("two", "s2")
  expect([await use("s1", MINUTE), (await use("s2", MINUTE)) !== null, (await use("s3", MINUTE)) !== null]).toEqual([
    null,
    true,
    true,
  ])
})

test("a session ends after half an hour without use, after twelve hours, and when it is left", async () => {
  await link("one")
  await enter("one", "s", 0)
  await opened.store.run(() => provePasskey("s", "passkey-a"))
  for (let ms = 0; ms < 12 * HOUR; ms += 29 * MINUTE) expect((await use("s", ms))?.keyId).toBe("passkey-a")
  expect(await use("s", 12 * HOUR)).toBeNull()
  await link("two")
  await enter("two", "t", 0)
  expect(await use("t", 30 * MINUTE)).toBeNull()
  await link("three")
  await enter("three", "u", 0)
  await opened.store.run(() => leaveSession("u"))
  expect(await use("u", SECOND)).toBeNull()
})

test("a challenge belongs to its session, is spent once, and only the newest twenty of a session stay", async () => {
  const make = (challenge: string, ms = 0) =>
    opened.store.run(() => makeChallenge({ challenge, sessionHash: "s", purpose: "{}", at: after(ms) }))
  const spend = (challenge: string, sessionHash = "s", ms = SECOND) =>
    opened.store.run(() => spendChallenge({ challenge, sessionHash, at: after(ms) }))
  await make("early")
  expect(await spend("early")).toBe("CHALLENGE_UNKNOWN")
  await link("one")
  await enter("one", "s")
  await make("one")
  expect([
    await opened.store.read(() => purposeOf("one", "s")),
    await opened.store.read(() => purposeOf("one", "t")),
  ]).toEqual(["{}", null])
  expect([await spend("one", "t"), await spend("one"), await spend("one")]).toEqual([
    "CHALLENGE_UNKNOWN",
    null,
    "CHALLENGE_UNKNOWN",
  ])
  await make("late")
  expect(await spend("late", "s", 10 * MINUTE)).toBe("CHALLENGE_ENDED")
  for (let at = 0; at < 25; at++) await make(`many-${at}`, at)
  expect(await opened.count("review_challenge")).toBe(20)
  expect([await spend("many-4"), await spend("many-5")]).toEqual(["CHALLENGE_UNKNOWN", null])
})

test("the purge removes the links, sessions and challenges that ended, and keeps the others", async () => {
  await link("one")
  await enter("one", "s")
  await link("two")
  await opened.store.run(() => makeChallenge({ challenge: "c", sessionHash: "s", purpose: "{}", at: after(0) }))
  const purge = (ms: number) => opened.store.run(() => purgeReviewEntrances(after(ms)))
  expect([await purge(MINUTE), await purge(6 * MINUTE), await purge(11 * MINUTE), await purge(13 * HOUR)]).toEqual([
    0, 1, 1, 1,
  ])
})
