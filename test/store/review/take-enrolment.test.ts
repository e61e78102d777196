/** The unit of an enrolment and of a revocation: which keys judge, from when on, and what ends with a key. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { formatInstant } from "../../../src/core/time.ts"
import { composeAct, NO_MEMBERS, recordAct, takeAct } from "../../../src/review/acts.ts"
import {
  addReviewer,
  findKey,
  findReviewer,
  listKeys,
  readRegister,
  writeRegister,
} from "../../../src/store/review/review-register.ts"
import { enterByLink, makeLink, useSession } from "../../../src/store/review/review-sessions.ts"
import type { TestStore } from "../../fixtures/new-store.ts"
import { assertionBy, newPerson, type Person } from "../../fixtures/review-log.ts"
import {
  act,
  answer,
  digestIn,
  enrol,
  entered,
  openReview,
  propose,
  type ReviewService,
  reviewers,
} from "../../fixtures/review-service.ts"

let opened: TestStore
let service: ReviewService
beforeEach(async () => {
  ;({ opened, service } = await openReview())
})
afterEach(() => opened.close())

/** A revocation by the operator. */
function revoked({ enrolment: { key_id } }: Person) {
  const draft = { kind: "REVOKE" as const, subject: { kind: "REVOKE" as const, key_id }, text: "left" }
  return recordAct(service.deps, { ...NO_MEMBERS, ...draft, reviewer: null, key_id: null })
}

test("a new person's key judges only after two others approved it", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const dee = newPerson("Dee", { algorithm: -257 })
  const enrolment = digestIn(await enrol(service, dee))
  expect((await opened.store.read(() => findKey(dee.enrolment.key_id)))?.state).toBe("PENDING")
  expect(await propose(service, dee, 1)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  expect(await answer(service, "APPROVE", ann, enrolment)).toMatchObject({ effect: "COUNTED" })
  expect(await answer(service, "APPROVE", ben, enrolment)).toMatchObject({ effect: "EFFECTIVE" })
  expect(await propose(service, dee, 1)).toMatchObject({ effect: "OPENED" })
})

test("a late approval does not bring back a revoked key", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const dee = newPerson("Dee")
  const enrolment = digestIn(await enrol(service, dee))
  expect(await answer(service, "APPROVE", ann, enrolment)).toMatchObject({ effect: "COUNTED" })
  expect(await revoked(dee)).toMatchObject({ effect: "EFFECTIVE" })
  expect(await answer(service, "APPROVE", ben, enrolment)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  expect((await opened.store.read(() => findKey(dee.enrolment.key_id)))?.state).toBe("REVOKED")
  expect(await answer(service, "REJECT", ben, enrolment)).toMatchObject({ effect: "ENDED" })
})

test("where one person judges, a second key of that person judges only after the first one approved it", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const second = newPerson("Ann", { reviewer: ann.reviewer })
  const taken = await enrol(service, second)
  expect(taken).toMatchObject({ effect: "OPENED" })
  expect((await opened.store.read(() => findKey(second.enrolment.key_id)))?.state).toBe("PENDING")
  expect(await propose(service, second, 1)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  const enrolment = digestIn(taken)
  expect(await answer(service, "APPROVE", second, enrolment)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  expect(await answer(service, "APPROVE", ann, enrolment)).toMatchObject({ effect: "EFFECTIVE" })
  expect(await propose(service, second, 1)).toMatchObject({ effect: "EFFECTIVE" })
})

test("where one person judges, the first key counts at once, also after every other one was revoked", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  await revoked(ann)
  const again = newPerson("Ann", { reviewer: ann.reviewer })
  expect(await enrol(service, again)).toMatchObject({ effect: "EFFECTIVE" })
})

test("a break glass admits one key, which keeps the reason", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const dee = newPerson("Dee", { breakGlass: "both are ill", recusals: ["org:acme"] })
  expect(await enrol(service, dee)).toMatchObject({ effect: "EFFECTIVE" })
  const { reviewer } = dee
  const row = await opened.store.read(() => findReviewer(reviewer))
  expect([row?.breakGlass, row?.recusals]).toEqual([null, ["org:acme"]])
  expect((await opened.store.read(() => findKey(dee.enrolment.key_id)))?.breakGlass).toBe("both are ill")
  await revoked(dee)
  const again = (breakGlass: string | null) => newPerson("Dee", { reviewer, breakGlass, recusals: ["org:acme"] })
  const [second, third] = [again("both are ill"), again(null)]
  expect(await act(service, second, { kind: "ENROL", subject: second.enrolment })).toEqual({
    fault: "REVIEWER_DIFFERS",
  })
  const waiting = await act(service, third, { kind: "ENROL", subject: third.enrolment })
  expect(waiting).toMatchObject({ effect: "OPENED" })
  for (const by of [ann, ben]) await answer(service, "APPROVE", by, digestIn(waiting))
  expect((await opened.store.read(() => findKey(third.enrolment.key_id)))?.state).toBe("ACTIVE")
})

test("the revocation of a key ends its sessions, those without a key and the links of its person, and what they would sign", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"])) as [Person, Person]
  const second = newPerson("Ann", { reviewer: ann.reviewer })
  const at = formatInstant(service.at)
  const link = (linkHash: string, { reviewer: reviewerId }: Person) =>
    opened.store.run(() => makeLink({ linkHash, reviewerId, at }))
  const others = await entered(service, ben)
  const session = await entered(service, ann)
  for (const [hash, person] of [
    ["anns", ann],
    ["bens", ben],
  ] as const)
    await link(hash, person)
  const own = { reviewer: ann.reviewer, key_id: second.enrolment.key_id }
  const draft = { ...NO_MEMBERS, ...own, kind: "ENROL" as const, subject: second.enrolment }
  expect(await revoked(ann)).toMatchObject({ effect: "EFFECTIVE" })
  // A request that was let in just before the revocation.
  const other = await opened.another()
  const { record } = await composeAct({ ...service.deps, store: other }, session, draft)
  expect(await opened.store.run(() => useSession(session, at))).toBeNull()
  expect(await opened.store.run(() => enterByLink({ linkHash: "anns", sessionHash: "s", at }))).toBeNull()
  expect(await opened.store.run(() => useSession(others, at))).not.toBeNull()
  expect(await opened.store.run(() => enterByLink({ linkHash: "bens", sessionHash: "t", at }))).not.toBeNull()
  const assertion = assertionBy(second, record) ?? expect.unreachable()
  expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "CHALLENGE_UNKNOWN" })
})

test("refused: an enrolment under a credential id that another key has, also a revoked one", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"])) as [Person, Person]
  const under = ({ authenticator: { credentialId } }: Person, reviewer: string): Person => {
    const made = newPerson("Ann", { reviewer })
    const authenticator = { ...made.authenticator, credentialId }
    const id = { id: credentialId, rawId: credentialId }
    authenticator.assert = (...given) => ({ ...made.authenticator.assert(...given), ...id })
    return { ...made, authenticator, enrolment: { ...made.enrolment, credential_id: credentialId } }
  }
  expect(await enrol(service, under(ann, ann.reviewer))).toEqual({ fault: "KEY_OF_ANOTHER" })
  await revoked(ben)
  expect(await enrol(service, under(ben, ann.reviewer))).toEqual({ fault: "KEY_OF_ANOTHER" })
  expect(await opened.count("reviewer_key")).toBe(2)
})

test("refused: an enrolment that states other recusals than the operator entered, and an eleventh key", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const dee = newPerson("Dee", { recusals: ["org:acme"] })
  await service.deps.store.run(() =>
    addReviewer(
      {
        reviewerId: dee.reviewer,
        name: "Dee",
        recusals: [],
        breakGlass: null,
        addedAt: "2026-01-01T00:00:00.000Z",
      },
      50,
    ),
  )
  expect(await act(service, dee, { kind: "ENROL", subject: dee.enrolment })).toEqual({ fault: "REVIEWER_DIFFERS" })
  for (let at = 1; at < 10; at++) {
    expect(await enrol(service, newPerson("Ann", { reviewer: ann.reviewer }))).toMatchObject({ fault: null })
  }
  expect(await enrol(service, newPerson("Ann", { reviewer: ann.reviewer }))).toEqual({ fault: "TOO_MANY_KEYS" })
})

test("a key that cannot be written ends the unit, so that no record without its key is there", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const [key] = await opened.store.read(listKeys)
  const before = await opened.store.read(readRegister)
  const enrolled = { ...(key ?? expect.unreachable()), keyId: "passkey-other" }
  const known = before.keys.get(ann.enrolment.key_id) ?? expect.unreachable()
  const after = { ...before, keys: new Map(before.keys).set(enrolled.keyId, known) }
  const writing = opened.store.run(() => writeRegister(before, after, { sequence: 2, enrolled }))
  await expect(writing).rejects.toThrow("there already")
})
