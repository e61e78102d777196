/** The Postman collection against a server that sells: a product folder reaches a quote and pays nothing. */
import { expect, setDefaultTimeout, test } from "bun:test"
import type { PostmanCollection } from "../../schemas/agent-id/postman.ts"
import { runCollection } from "../fixtures/newman.ts"
import { openTestOperator, SCENARIO_MS } from "../fixtures/test-operator.ts"

setDefaultTimeout(2 * SCENARIO_MS)

const DECISION = "decision-gate.release-payment-to-supplier.v1"

/** The collection after its owner has put their own request in the place of the decision's example. */
function withOwnRequest(collection: PostmanCollection, own: object): PostmanCollection {
  const copy = structuredClone(collection)
  for (const { name, request } of copy.item.flatMap(({ item }) => item)) {
    if (name === `Quote for ${DECISION}` && request.body) request.body.raw = JSON.stringify(own)
  }
  return copy
}

test("the folder of a product reaches a quote for a request that can be sold, and no money moves", async () => {
  await using operator = await openTestOperator()
  await using server = await operator.serve()
  const answer = await fetch(`${server.origin}/v1/agent-id/postman-collection`)
  const collection = withOwnRequest((await answer.json()) as PostmanCollection, (await operator.sign()).request)
  const { sent, failures, assertions } = await runCollection(collection, {}, [DECISION])
  expect(failures).toEqual([])
  expect(sent).toEqual([`Schema of ${DECISION} 200`, `Example of ${DECISION} 200`, `Quote for ${DECISION} 402`])
  expect(assertions).toBe(6)
  expect(await operator.transfers()).toEqual([])
})
