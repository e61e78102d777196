/** Eligibility for an agent that signs its own requests in the name of organizations that never delegated anything to it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import type { RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest, PATH } from "../../../fixtures/test-server.ts"
import { freeAgent, freeAgentId, openEligibilitySeller } from "./eligibility-seller.ts"
import type { RowChange, Seller } from "./seller.ts"
import { supplierRows } from "./supplier-rows.ts"

let seller: Seller
const supplier = {
  entity_id: "supplier:eligible",
  legal_name: "Harbor Light LLC",
  identifiers: { uei: "ZQGGHJH74DW7" },
}
beforeAll(async () => {
  seller = await openEligibilitySeller()
})
afterAll(() => seller.close())

/** The answer without its time. */
async function told(body: unknown): Promise<Omit<EligibilityResponse, "valid_as_of">> {
  const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
  expect(answer.status).toBe(200)
  const { valid_as_of: _, ...rest } = (await answer.json()) as EligibilityResponse
  return rest
}

const states = ({ checks }: Pick<EligibilityResponse, "checks">) =>
  Object.fromEntries(checks.map(({ check_id, state }) => [check_id, state]))

/** A request that this agent signed in the name of any organization, with the identifier of a supplier that others paid. */
const byStranger = (options: RequestOptions = {}) =>
  told(freshRequest({ agentId: freeAgentId, agent: freeAgent, request: { supplier }, ...options }))

test("an agent without a delegation learns nothing about the organization it names, known or unknown", async () => {
  const unknown = await byStranger({ organizationId: "org:unknown" })
  expect(states(unknown)).toMatchObject({
    AGENT_KEY: "PASSED",
    REQUEST_SIGNATURE: "PASSED",
    BUYER: "NOT_EVALUATED",
    DELEGATION: "FAILED",
    MANDATE: "NOT_EVALUATED",
    IDENTITY_COLLISION: "NOT_EVALUATED",
  })
  expect(await byStranger()).toEqual(unknown)
  expect(await byStranger({ mandateSigner: testKey("org:unknown", 56) })).toEqual(unknown)
  expect(await byStranger({ organizationDigest: `sha256:${"9".repeat(64)}` })).toEqual(unknown)
})

const STATES_OF_AN_ORGANIZATION: readonly (readonly [name: string, changes: readonly RowChange[]])[] = [
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
    "whose verification has expired",
    [
      [
        "UPDATE organization SET valid_until = '1' || substr(valid_until, 2)",
        "UPDATE organization SET valid_until = '2' || substr(valid_until, 2)",
      ],
    ],
  ],
  [
    "whose mandate key is revoked",
    [
      [
        "UPDATE mandate_key SET state = 'REVOKED', revoked_at = 't', revoked_since = 't'",
        "UPDATE mandate_key SET state = 'ACTIVE', revoked_at = NULL, revoked_since = NULL",
      ],
    ],
  ],
  [
    "that was paid to under this identifier by another name",
    supplierRows({ key: "uei:ZQGGHJH74DW7", nameKey: "anothername" }),
  ],
  [
    "that revoked a delegation to another agent",
    [
      [
        "UPDATE delegation SET state = 'REVOKED', revoked_at = 't'",
        "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
      ],
    ],
  ],
]

test.each(STATES_OF_AN_ORGANIZATION)(
  "an agent without a delegation learns nothing about an organization %s",
  async (_name, changes) => {
    const unknown = await byStranger({ organizationId: "org:unknown" })
    expect(changes.length).toBeGreaterThan(0)
    await seller.during(changes, async () => expect(await byStranger()).toEqual(unknown))
  },
)

test("an agent whose delegation was revoked or has ended learns only that", async () => {
  const unknown = await byStranger({ organizationId: "org:unknown" })
  const own = () => told(freshRequest({ request: { supplier } }))
  const changes: RowChange[] = [
    [
      "UPDATE delegation SET state = 'REVOKED', revoked_at = 't'",
      "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
    ],
    [
      "UPDATE delegation SET valid_until = '1' || substr(valid_until, 2)",
      "UPDATE delegation SET valid_until = '2' || substr(valid_until, 2)",
    ],
  ]
  for (const change of changes) await seller.during([change], async () => expect(await own()).toEqual(unknown))
})
