/** Metrics of the reviews over rows that a service would have written, what their alerts make of them, and how long they take. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { exposition } from "../../src/admin/exposition.ts"
import { allowedValues } from "../../src/admin/label-values.ts"
import { reviewSamples } from "../../src/admin/review-samples.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { nextReviewStep, openCases } from "../../src/store/review/review-cases.ts"
import { sourceText } from "../fixtures/imports.ts"
import { type Metrics, readMetrics } from "../fixtures/metrics.ts"
import { newStore, type TestStore } from "../fixtures/new-store.ts"
import { newPerson, type Person, REVIEW_TIME, reviewedCase } from "../fixtures/review-log.ts"
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
} from "../fixtures/review-service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const slow = slowTests(import.meta.path)

const PAYMENT = "us.payment.authorize.v1"
const CHECK = "us.company.check.v1"

let opened: TestStore
let service: ReviewService
beforeEach(async () => {
  opened = await newStore()
  service = reviewService(opened.store)
})
afterEach(() => opened.close())

const samplesAt = (now: number) => reviewSamples({ store: opened.store, machine: { now: () => now }, targetHours: 8 })
const pageAt = async (now: number) => readMetrics(exposition(await samplesAt(now), allowedValues([], "me")))

async function open(...cases: ReturnType<typeof newCase>[]): Promise<void> {
  const from = (await opened.store.read(() => nextReviewStep(() => true)))?.from ?? 0
  await opened.store.run(() => openCases({ from, to: from }, cases), "sequencing")
}

/** Whether an alert that compares one metric with a number or with another metric fires on a page. */
function fires(name: string, page: Metrics): boolean {
  const { groups } = Bun.YAML.parse(sourceText("docs/alerts.yml")) as {
    groups: readonly { rules: readonly { alert: string; expr: string }[] }[]
  }
  const { expr = "" } = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name) ?? {}
  const [left, right, ...more] = expr.split(" > ").map((side) => {
    const metric = /^(?:max|min) without \(instance\) \((\w+)\)$/.exec(side)?.[1]
    return metric === undefined ? Number(side) : page.value(metric)
  })
  if (left === undefined || right === undefined || more.length > 0) throw new Error(`not a comparison: ${expr}`)
  return left > right
}

test("without a case nothing waits, and no alert fires", async () => {
  const page = await pageAt(REVIEW_TIME)
  expect(page.all("bizauth_review_open")).toEqual([])
  expect(page.value("bizauth_review_oldest_seconds")).toBe(0)
  expect(page.value("bizauth_review_target_seconds")).toBe((8 * HOUR) / SECOND)
  expect(page.value("bizauth_review_break_glass")).toBe(0)
  expect([fires("BizauthReviewWaits", page), fires("BizauthReviewBreakGlass", page)]).toEqual([false, false])
})

test("cases are counted by product and state, and a product keeps its zeros", async () => {
  await open(newCase(1), newCase(2), newCase(3, { product: CHECK }))
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  const waiting = async () =>
    (await pageAt(service.at)).all("bizauth_review_open").map(({ labels, value }) => [...Object.values(labels), value])
  expect(await waiting()).toEqual([
    [CHECK, "OPEN", 1],
    [CHECK, "PROPOSED", 0],
    [PAYMENT, "OPEN", 1],
    [PAYMENT, "PROPOSED", 1],
  ])
  await answer(service, "APPROVE", ben, proposal)
  await act(service, ann, { kind: "CLOSE", case: reviewedCase(3, { product: CHECK }), text: "over" })
  expect(await waiting()).toEqual([
    [CHECK, "OPEN", 0],
    [CHECK, "PROPOSED", 0],
    [PAYMENT, "OPEN", 1],
    [PAYMENT, "PROPOSED", 0],
  ])
})

test("cases of products that this version does not sell are one series", async () => {
  await open(newCase(1, { product: "us.former.v1" }), newCase(2, { product: "us.older.v1" }))
  const page = await pageAt(REVIEW_TIME)
  expect(page.value("bizauth_review_open", { product: "OTHER", state: "OPEN" })).toBe(2)
  expect(page.all("bizauth_review_open")).toHaveLength(2)
})

test("the alert about waiting fires above the target, until the oldest case is judged", async () => {
  // The answer of case N was delivered N minutes before the time of the reviews.
  await open(newCase(1), newCase(5))
  const target = REVIEW_TIME + 8 * HOUR - 5 * MINUTE
  const before = await pageAt(target)
  expect(before.value("bizauth_review_oldest_seconds")).toBe((8 * HOUR) / SECOND)
  expect(fires("BizauthReviewWaits", before)).toBe(false)
  expect(fires("BizauthReviewWaits", await pageAt(target + SECOND))).toBe(true)
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  await act(service, ann, { kind: "CLOSE", case: reviewedCase(2), text: "over" })
  const after = await pageAt(target + SECOND)
  expect(after.value("bizauth_review_oldest_seconds")).toBe((8 * HOUR - 4 * MINUTE) / SECOND + 1)
  expect(fires("BizauthReviewWaits", after)).toBe(false)
})

test("the alert about a break glass fires for 30 days from the enrolment", async () => {
  await reviewers(service, ["Ann", "Ben"], 2)
  await enrol(service, newPerson("Dee", { breakGlass: "both are ill" }))
  for (const [days, keys] of [
    [0, 1],
    [29, 1],
    [30, 0],
  ] as const) {
    const page = await pageAt(service.at + days * DAY)
    expect([days, page.value("bizauth_review_break_glass")]).toEqual([days, keys])
    expect(fires("BizauthReviewBreakGlass", page)).toBe(keys === 1)
  }
})

slow(
  "at 100,000 open cases the samples take at most 20 ms",
  async () => {
    for (let from = 0; from < 100_000; from += 10_000) {
      await open(...Array.from({ length: 10_000 }, (_, at) => newCase(from + at + 1)))
    }
    expect(await opened.count("review_case")).toBe(100_000)
    const times: number[] = []
    for (let at = 0; at < 40; at++) {
      const begun = performance.now()
      const page = await pageAt(REVIEW_TIME)
      times.push(performance.now() - begun)
      expect(page.value("bizauth_review_open", { product: PAYMENT, state: "OPEN" })).toBe(100_000)
      expect(page.value("bizauth_review_oldest_seconds")).toBe(100_000 * 60)
    }
    const median = times.toSorted((one, other) => one - other)[20] ?? Number.POSITIVE_INFINITY
    expect(median).toBeLessThan(20)
  },
  120_000,
)
