/** What a restore does to keys, proposals, judgements, links and sessions of the desk. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { formatInstant, MINUTE, SECOND } from "../../../src/core/time.ts"
import { composeAct, NO_MEMBERS, takeAct } from "../../../src/review/acts.ts"
import { addRestore, declareBackupNewest } from "../../../src/store/restores.ts"
import { findCase } from "../../../src/store/review/review-cases.ts"
import { newestDigest } from "../../../src/store/review/review-records.ts"
import { addReviewer, readRegister } from "../../../src/store/review/review-register.ts"
import { enterByLink, makeLink, useSession } from "../../../src/store/review/review-sessions.ts"
import type { TestStore } from "../../fixtures/new-store.ts"
import { assertionBy, newPerson, type Person, reviewedCase } from "../../fixtures/review-log.ts"
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

const stateOf = async (number: number) => (await opened.store.read(() => findCase(number)))?.state
const restore = () =>
  opened.store.run(() =>
    addRestore({
      backup_at: formatInstant(service.at),
      restored_at: formatInstant(service.at + SECOND),
      newest_declared_at: null,
    }),
  )

test("pauses keys from before it until the backup is declared the newest state", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  await restore()
  service.at += MINUTE
  expect((await opened.store.read(readRegister)).keys.get(ann.enrolment.key_id)?.state).toBe("PENDING")
  expect(await propose(service, ann, 1)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  const dee = newPerson("Dee", { breakGlass: "restored" })
  await enrol(service, dee)
  expect(await propose(service, dee, 1)).toMatchObject({ effect: "EFFECTIVE" })
  await opened.store.run(() => declareBackupNewest(formatInstant(service.at)))
  expect(await act(service, ann, { kind: "CLOSE", case: reviewedCase(2), text: "over" })).toMatchObject({
    fault: null,
  })
})

test("ends the proposals from before it", async () => {
  const [ann] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  await restore()
  service.at += MINUTE
  const dee = newPerson("Dee", { breakGlass: "restored" })
  await enrol(service, dee)
  expect(await answer(service, "APPROVE", dee, proposal)).toEqual({ fault: "NOT_OPEN" })
  expect(await propose(service, dee, 1)).toEqual({ fault: "PROPOSAL_OPEN" })
  expect(await answer(service, "REJECT", dee, proposal)).toMatchObject({ effect: "ENDED" })
  expect(await propose(service, dee, 1)).toMatchObject({ effect: "OPENED" })
  expect(await stateOf(1)).toBe("PROPOSED")
})

test("pauses a judgement from before it, and who judges so again learns that", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  expect(await propose(service, ann, 1)).toMatchObject({ effect: "EFFECTIVE" })
  await restore()
  service.at += MINUTE
  const dee = newPerson("Dee", { breakGlass: "restored" })
  await enrol(service, dee)
  expect(await propose(service, dee, 2)).toEqual({ fault: "JUDGED_PAUSED" })
})

test("lets the proposer withdraw what was proposed before it", async () => {
  const [ann] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  await restore()
  service.at += MINUTE
  const again = newPerson("Ann", { reviewer: ann.reviewer, breakGlass: "restored" })
  await opened.store.run(() =>
    addReviewer({ reviewerId: ann.reviewer, name: "Ann", recusals: [], breakGlass: "restored", addedAt: "" }, 50),
  )
  await enrol(service, again)
  expect(await answer(service, "WITHDRAW", again, proposal)).toMatchObject({ effect: "ENDED" })
  expect(await stateOf(1)).toBe("OPEN")
})

test("voids links, sessions and challenges, also after the backup is declared the newest state", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const at = formatInstant(service.at)
  await opened.store.run(() => makeLink({ linkHash: "l", reviewerId: ann.reviewer, at }))
  const session = await entered(service, ann)
  const draft = { ...NO_MEMBERS, kind: "CLOSE" as const, case: reviewedCase(1), text: "over" }
  const own = { reviewer: ann.reviewer, key_id: ann.enrolment.key_id }
  const { record } = await composeAct(service.deps, session, { ...draft, ...own })
  await restore()
  service.at += 2 * SECOND
  const now = formatInstant(service.at)
  await opened.store.run(() => declareBackupNewest(now))
  expect(await opened.store.run(() => enterByLink({ linkHash: "l", sessionHash: "s", at: now }))).toBeNull()
  expect(await opened.store.run(() => useSession(session, now))).toBeNull()
  const assertion = assertionBy(ann, record) ?? expect.unreachable()
  expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "CHALLENGE_ENDED" })
  expect(await opened.store.read(() => newestDigest(1))).toBeNull()
})
