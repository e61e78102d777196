/** A seller for the eligibility tests, with an agent to which no organization has delegated anything. */
import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import { HOUR } from "../../../../src/core/time.ts"
import { enterAgent, testKey } from "../../../fixtures/buyers.ts"
import { PATH } from "../../../fixtures/test-server.ts"
import { openSeller, type Seller } from "./seller.ts"

export const freeAgentId = `svc:agent:${"f".repeat(32)}`
export const freeAgent = testKey(freeAgentId, 41)

/** Its workers are stopped, so that every node query belongs to a request of the test. */
export async function openEligibilitySeller(): Promise<Seller> {
  const seller = await openSeller()
  await enterAgent(seller.server.database, Date.now() - HOUR, freeAgent, freeAgentId)
  for (const worker of seller.server.workers) await worker.stop()
  return seller
}

/** Sends the request, and fails the test when the response is not a closed 200, or when a row, a node query or a quote was made. */
export async function askEligibility(seller: Seller, body: unknown): Promise<EligibilityResponse> {
  const [rows, nonces] = [await seller.state(), await seller.count("used_nonce")]
  const calls = seller.rpc.calls.length
  const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
  const given = (await answer.json()) as EligibilityResponse
  expect([answer.status, Value.Check(EligibilityResponse, given)]).toEqual([200, true])
  expect([await seller.state(), await seller.count("used_nonce")]).toEqual([rows, nonces])
  expect(seller.rpc.calls.length).toBe(calls)
  expect([given.charged, given.quote_created, answer.headers.has("payment-required")]).toEqual([false, false, false])
  expect(given.eligible).toBe(given.checks.every(({ state }) => state === "PASSED"))
  return given
}
