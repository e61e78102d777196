/** The cases of `scripts/corpus` are delivered by this build as they say, so that the next corpus can be made. */
import { expect } from "bun:test"
import type { AnswerBundle } from "../../schemas/answer-bundle.ts"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { sellAll } from "../../scripts/corpus/sell-all.ts"
import { storedEntries } from "../../src/products/common/stored-entries.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

test("every case is delivered with its decision and first reason, and every decision that a policy in force can reach has one", async () => {
  const { cases } = await sellAll(() => {})
  const sold = new Set(cases.map(({ product, decision }) => `${product} ${decision}`))
  const reachable = PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce).flatMap(({ product, document, outcomes }) =>
    document.reasons.map(({ outcome }) => `${product} ${outcomes[outcome].decision}`),
  )
  expect([...new Set(reachable)].filter((one) => !sold.has(one))).toEqual([])

  // Facts without a listed entry keep the format before entries, which earlier programs read.
  const formats = cases.map(({ bundle }) => {
    const { format, facts } = JSON.parse(new TextDecoder().decode(bundle)) as AnswerBundle | DeliveryBundle
    return [storedEntries(facts).length > 0, format] as const
  })
  const written = new Set(formats.map(([hasEntries, format]) => `${hasEntries ? "entries" : "none"} ${format}`))
  expect([...written].sort()).toEqual([
    "entries svc.answer-bundle.v3",
    "entries svc.delivery-bundle.v3",
    "none svc.answer-bundle.v2",
    "none svc.delivery-bundle.v2",
  ])
}, 120_000)
