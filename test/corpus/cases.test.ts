/** The cases of `scripts/corpus` are delivered by this build as they say, so that the next corpus can be made. */
import { expect } from "bun:test"
import { sellAll } from "../../scripts/corpus/sell-all.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

test("every case is delivered with its decision and first reason, and every decision that a policy in force can reach has one", async () => {
  const sold = new Set((await sellAll(() => {})).map(({ product, decision }) => `${product} ${decision}`))
  const reachable = PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce).flatMap(({ product, document, outcomes }) =>
    document.reasons.map(({ outcome }) => `${product} ${outcomes[outcome].decision}`),
  )
  expect([...new Set(reachable)].filter((one) => !sold.has(one))).toEqual([])
}, 120_000)
