/** The free check of a vendor change tells an agent nothing about an organization that never delegated anything to it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AnswerEligibilityResponse } from "../../../../schemas/eligibility.ts"
import { type Digest, digestOf } from "../../../../src/core/digest.ts"
import { HOUR } from "../../../../src/core/time.ts"
import { enterAgent, ORGANIZATION_DIGEST, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { enterChangeKey, signedAgain, VENDOR_CHANGE_PATH, vendorChangeBody } from "../../../fixtures/vendor-change.ts"
import { openSeller, type RowChange, type Seller } from "../payment-decision/seller.ts"

let seller: Seller
const strangerId = `svc:agent:${"f".repeat(32)}`
const stranger = testKey(strangerId, 41)
beforeAll(async () => {
  seller = await openSeller()
  await enterChangeKey(seller.server)
  await enterAgent(seller.server.database, Date.now() - HOUR, stranger, strangerId)
})
afterAll(() => seller.close())

/** The answer without its time. */
async function told(body: unknown): Promise<Omit<AnswerEligibilityResponse, "valid_as_of">> {
  const answer = await seller.server.post(body, {}, `${VENDOR_CHANGE_PATH}/eligibility`)
  expect(answer.status).toBe(200)
  const { valid_as_of: _, ...rest } = (await answer.json()) as AnswerEligibilityResponse
  return rest
}
const states = ({ checks }: Pick<AnswerEligibilityResponse, "checks">) =>
  Object.fromEntries(checks.map(({ check_id, state }) => [check_id, state]))
const ofStranger = (organization_id = ORGANIZATION_ID, organization_digest: Digest = ORGANIZATION_DIGEST) =>
  vendorChangeBody({ buyer: { organization_id, organization_digest } }, { key: stranger })

const CHANGES: readonly (readonly [string, RowChange[]])[] = [
  ["known and verified", []],
  [
    "revoked",
    [
      [
        "UPDATE organization SET state = 'REVOKED', revoked_at = 't', revocation_reason = 'r'",
        "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
      ],
    ],
  ],
  [
    "whose verification has ended",
    [
      [
        "UPDATE organization SET valid_until = '1' || substr(valid_until, 2)",
        "UPDATE organization SET valid_until = '2' || substr(valid_until, 2)",
      ],
    ],
  ],
]

test.each(CHANGES)(
  "an organization %s gets the same response as an unknown one, from eligibility and from the quote",
  async (_name, changes) => {
    const unknown = await told(ofStranger("org:example:unknown"))
    expect(states(unknown)).toMatchObject({
      AGENT_KEY: "PASSED",
      REQUEST_SIGNATURE: "PASSED",
      BUYER: "NOT_EVALUATED",
      DELEGATION: "FAILED",
    })
    await seller.during(changes, async () => {
      expect(await told(ofStranger())).toEqual(unknown)
      expect(await told(ofStranger(ORGANIZATION_ID, digestOf("another organization")))).toEqual(unknown)
      for (const body of [ofStranger(), ofStranger("org:example:unknown")]) {
        expect((await seller.refused(body, {}, VENDOR_CHANGE_PATH)).code).toBe("DELEGATION_NOT_ACTIVE")
      }
    })
  },
)

test("an agent that has not proved its key learns nothing of key, organization or delegation, known or unknown", async () => {
  const unsigned = (key = stranger) => {
    const body = vendorChangeBody({}, { key })
    return { ...body, requesting_agent: { ...body.requesting_agent, request_signature: "A".repeat(86) } }
  }
  const known = await told(unsigned())
  const untold = { AGENT_KEY: "NOT_EVALUATED", BUYER: "NOT_EVALUATED", DELEGATION: "NOT_EVALUATED" }
  expect(states(known)).toMatchObject({ ...untold, REQUEST_SIGNATURE: "FAILED" })
  expect(await told(unsigned(testKey(`svc:agent:${"u".repeat(32)}`, 96)))).toEqual(known)
  expect(await told(signedAgain(vendorChangeBody({}, { key: testKey(strangerId, 97) }), stranger))).toEqual(known)
})

test("an agent with a delegation learns the state of its organization", async () => {
  const revoked = CHANGES[1]?.[1] ?? []
  expect(states(await told(vendorChangeBody()))).toMatchObject({ BUYER: "PASSED", DELEGATION: "PASSED" })
  await seller.during(revoked, async () => {
    const given = await told(vendorChangeBody())
    expect(states(given)).toMatchObject({ BUYER: "FAILED", DELEGATION: "NOT_EVALUATED" })
    expect(given.checks.find(({ check_id }) => check_id === "BUYER")?.code).toBe("BUYER_NOT_VERIFIED")
  })
})
