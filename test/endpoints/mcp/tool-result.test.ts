/** Replies of paid operations that a purchase on the chain does not show. */
import { expect, test } from "bun:test"
import { toolResult } from "../../../src/endpoints/mcp/tool-result.ts"
import { encodeHeader } from "../../../src/payments/payment-header.ts"

const parsed = ({ members, meta = "" }: { members: string; meta?: string }) => ({
  ...JSON.parse(`{${members}}`),
  _meta: JSON.parse(`{${meta}}`),
})
const required = {
  x402Version: 2,
  error: "settlement failed",
  resource: { url: "https://svc.example/v1/x" },
  accepts: [],
}
const body = (more: object) => JSON.stringify({ ...required, ...more, svc: { not_a_charge: true } })

test("a quote loses svc and the description for indexes, and keeps other extensions", () => {
  const result = toolResult({ status: 402, body: body({ extensions: { bazaar: { info: {} }, other: { info: 1 } } }) })
  expect(parsed(result)).toMatchObject({
    isError: true,
    structuredContent: { ...required, extensions: { other: { info: 1 } } },
  })
  expect(JSON.parse(parsed(result).content[0].text)).toEqual(parsed(result).structuredContent)
  const bare = parsed(toolResult({ status: 402, body: body({ extensions: { bazaar: {} } }) }))
  expect(bare.structuredContent).toEqual(required)
})

test("a quote keeps the duty to review it", () => {
  const svc = { not_a_charge: true, review_duty: "HUMAN_REVIEW_BEFORE_PAYMENT" }
  const quoted = parsed(toolResult({ status: 402, body: JSON.stringify({ ...required, svc }) }))
  expect(quoted.structuredContent).toEqual({ ...required, svc: { review_duty: "HUMAN_REVIEW_BEFORE_PAYMENT" } })
})

test("a failed settlement is an error with the new quote and the response of the failed payment", () => {
  const failed = { success: false, transaction: "0x1", network: "eip155:8453", errorReason: "reverted" }
  const result = toolResult({ status: 402, body: body({}), headers: { "payment-response": encodeHeader(failed) } })
  expect(parsed(result)).toMatchObject({ isError: true, _meta: { "x402/payment-response": failed } })
})

test("the facts that HTTP logs of a reply are kept for the log", () => {
  const note = { product: "p", outcome: "quoted" }
  const headers = {}
  expect(toolResult({ status: 402, body: body({}), headers, note }).note).toEqual(note)
  expect(toolResult({ status: 200, body: "{}", headers, note }).note).toEqual(note)
  expect(toolResult({ status: 200, body: "{}", note }).note).toEqual(note)
})

test("a reply in bytes or as a value is the same text", () => {
  const ofBytes = toolResult({ status: 200, body: new TextEncoder().encode('{"a":"é"}') })
  expect(ofBytes).toEqual(toolResult({ status: 200, body: { a: "é" } }))
  expect(parsed(ofBytes)).toMatchObject({
    structuredContent: { a: "é" },
    content: [{ type: "text", text: '{"a":"é"}' }],
  })
})
