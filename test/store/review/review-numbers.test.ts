/** What the operator watches of the reviews: counts that equal their rows, the oldest case that waits, and keys that nobody approved. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { DAY, formatInstant, MINUTE, SECOND } from "../../../src/core/time.ts"
import { findCase, nextReviewStep, openCases, updateCase } from "../../../src/store/review/review-cases.ts"
import { reviewNumbers } from "../../../src/store/review/review-numbers.ts"
import { findKey } from "../../../src/store/review/review-register.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { newPerson, type Person, REVIEW_TIME, reviewedCase } from "../../fixtures/review-log.ts"
import {
  act,
  answer,
  digestIn,
  enrol,
  newCase,
  propose,
  type ReviewService,
  reviewers,
  reviewService,
  withCases,
} from "../../fixtures/review-service.ts"
import { countsOfRows } from "./case-counts.ts"

const PAYMENT = "us.payment.authorize.v1"
const CHECK = "us.company.check.v1"

let opened: TestStore
let service: ReviewService
beforeEach(async () => {
  opened = await newStore()
  service = reviewService(opened.store)
})
afterEach(() => opened.close())

const numbers = (now = service.at) => opened.store.read(() => reviewNumbers(now))
const placeNow = async () => (await opened.store.read(() => nextReviewStep(() => true)))?.from ?? 0
const kept = async () => Object.fromEntries((await countsOfRows(opened)).map((one) => [named(one), one.cases]))
const close = async (by: Person, number: number, product = PAYMENT) => {
  const closing = { kind: "CLOSE" as const, case: reviewedCase(number, { product }), text: "over" }
  expect(await act(service, by, closing)).toMatchObject({ fault: null })
}
const named = ({ product, state }: { product: string; state: string }) => `${product} ${state}`

describe("counts of cases", () => {
  test("follow every record that moves a case, and no other", async () => {
    await withCases(service.deps, 3)
    const from = await placeNow()
    const others = [newCase(8, { product: CHECK }), newCase(9, { product: CHECK })]
    await opened.store.run(() => openCases({ from, to: from }, others), "sequencing")
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
    expect(await kept()).toEqual({ [`${PAYMENT} OPEN`]: 3, [`${CHECK} OPEN`]: 2 })
    const proposal = digestIn(await propose(service, ann, 1))
    await act(service, ann, { kind: "NOTE", case: reviewedCase(2), text: "asked" })
    const subject = { kind: "ASSIGN" as const, assignee: ben.reviewer }
    await act(service, ann, { kind: "ASSIGN", case: reviewedCase(2), subject })
    expect((await opened.store.read(() => findCase(2)))?.assignee).toBe(ben.reviewer)
    expect(await kept()).toEqual({ [`${PAYMENT} OPEN`]: 2, [`${PAYMENT} PROPOSED`]: 1, [`${CHECK} OPEN`]: 2 })
    await answer(service, "APPROVE", ben, proposal)
    await close(ben, 4, CHECK)
    const last = { [`${PAYMENT} OPEN`]: 2, [`${PAYMENT} DECIDED`]: 1, [`${CHECK} OPEN`]: 1, [`${CHECK} CLOSED`]: 1 }
    expect(await kept()).toEqual(last)
    const { counts } = await numbers()
    expect(counts.filter(({ state }) => state === "PROPOSED")).toEqual([
      { product: PAYMENT, state: "PROPOSED", cases: 0 },
    ])
  })

  test("count an answer once that two steps bring", async () => {
    await withCases(service.deps, 2)
    const from = await placeNow()
    await opened.store.run(() => openCases({ from, to: from }, [newCase(2), newCase(3)]), "sequencing")
    expect(await kept()).toEqual({ [`${PAYMENT} OPEN`]: 3 })
  })

  test("are undone with their unit", async () => {
    await withCases(service.deps, 2)
    const from = await placeNow()
    const undone = opened.store.run(function* () {
      yield* openCases({ from, to: from }, [newCase(5)])
      const before = yield* findCase(1)
      if (before) yield* updateCase(before, { state: "CLOSED", assignee: null })
      throw new Error("undo it")
    }, "sequencing")
    await expect(undone).rejects.toThrow("undo it")
    expect(await kept()).toEqual({ [`${PAYMENT} OPEN`]: 2 })
  })

  test("equal the rows after two processes opened and moved cases at once", async () => {
    await withCases(service.deps, 6)
    const [ann] = (await reviewers(service, ["Ann"])) as [Person]
    const other = await opened.another()
    const from = await placeNow()
    const opening = Array.from({ length: 6 }, (_, at) =>
      other.run(() => openCases({ from, to: from }, [newCase(20 + at), newCase(30 + at)]), "sequencing"),
    )
    const moving = (async () => {
      for (let number = 1; number <= 6; number++) await close(ann, number)
    })()
    await Promise.all([...opening, moving])
    expect(await kept()).toEqual({ [`${PAYMENT} OPEN`]: 12, [`${PAYMENT} CLOSED`]: 6 })
  })
})

test("the oldest case that waits is open or proposed", async () => {
  expect((await numbers()).oldest).toBeNull()
  await withCases(service.deps, 3)
  const since = (number: number) => formatInstant(REVIEW_TIME - number * MINUTE)
  expect((await numbers()).oldest).toBe(since(3))
  const [ann] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person]
  const proposal = digestIn(await propose(service, ann, 3))
  expect((await numbers()).oldest).toBe(since(3))
  await answer(service, "WITHDRAW", ann, proposal)
  await close(ann, 3)
  expect((await numbers()).oldest).toBe(since(2))
  for (const number of [1, 2]) await close(ann, number)
  expect((await numbers()).oldest).toBeNull()
})

describe("a key that was admitted without approvals", () => {
  test("is named for 30 days, the newest first, also once it is revoked", async () => {
    const [ann] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person]
    const [dee, eve] = [newPerson("Dee", { breakGlass: "both are ill" }), newPerson("Eve", { breakGlass: "alone" })]
    await enrol(service, dee)
    const deeAt = service.at
    service.at += MINUTE
    await enrol(service, eve)
    const [first, second] = [
      { keyId: eve.enrolment.key_id, name: "Eve", why: "alone", since: formatInstant(service.at) },
      { keyId: dee.enrolment.key_id, name: "Dee", why: "both are ill", since: formatInstant(deeAt) },
    ]
    expect((await numbers()).breakGlass).toEqual([first, second])
    const subject = { kind: "REVOKE" as const, key_id: eve.enrolment.key_id }
    expect(await act(service, ann, { kind: "REVOKE", subject, text: "lost" })).toMatchObject({ effect: "EFFECTIVE" })
    expect((await numbers(deeAt + 30 * DAY - SECOND)).breakGlass).toEqual([first, second])
    expect((await numbers(deeAt + 30 * DAY)).breakGlass).toEqual([first])
    expect((await numbers(deeAt + 31 * DAY)).breakGlass).toEqual([])
  })

  test("is none that others approved, and none of a policy of one person", async () => {
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
    const cem = newPerson("Cem")
    const enrolment = digestIn(await enrol(service, cem))
    for (const by of [ann, ben]) await answer(service, "APPROVE", by, enrolment)
    const key = await opened.store.read(() => findKey(cem.enrolment.key_id))
    expect([key?.state, key?.breakGlass]).toEqual(["ACTIVE", null])
    expect((await numbers()).breakGlass).toEqual([])
  })
})
