import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { EligibilityCheckId, EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import { formatInstant, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { AGENT_ID, agentKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { destination, type RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest, staticBoard } from "../../../fixtures/test-server.ts"
import { askEligibility, freeAgent, freeAgentId, openEligibilitySeller } from "./eligibility-seller.ts"
import { healthyBoard, LISTED, LISTED_WALLET, type RowChange, type Seller } from "./seller.ts"
import { supplierRows } from "./supplier-rows.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openEligibilitySeller()
})
afterAll(() => seller.close())

const ask = (body: unknown) => askEligibility(seller, body)
const line = ({ checks }: EligibilityResponse, id: EligibilityCheckId) => checks.find(({ check_id }) => check_id === id)
const LINES: readonly EligibilityCheckId[] = [
  "REQUEST_COMPLETE",
  "AMOUNT_AND_CURRENCY",
  "DIGESTS",
  "AGENT_KEY",
  "REQUEST_SIGNATURE",
  "IDEMPOTENCY_KEY",
  "EVALUATION_TIME",
  "BUYER",
  "DELEGATION",
  "MANDATE",
  "SUPPLIER_IDENTIFIER",
  "IDENTITY_COLLISION",
  "EARLIER_AUTHORIZATION",
  "LEGAL_NAME",
  "SOURCES",
  "DECISION_FEE_PAYER",
]
const PRIVATE: readonly EligibilityCheckId[] = [
  "AGENT_KEY",
  "IDEMPOTENCY_KEY",
  "BUYER",
  "DELEGATION",
  "MANDATE",
  "IDENTITY_COLLISION",
  "EARLIER_AUTHORIZATION",
]

test("a request that would get a quote passes every line, in the order of the list", async () => {
  const given = await ask(freshRequest())
  expect(given.checks).toEqual(LINES.map((check_id) => ({ check_id, state: "PASSED", code: null, pointers: [] })))
  expect([given.eligible, given.next_machine_action, given.required_information]).toEqual([true, "REQUEST_QUOTE", []])
})

const supplier = {
  entity_id: "supplier:eligible",
  legal_name: "Harbor Light LLC",
  identifiers: { uei: "ZQGGHJH74DW7" },
}
const sick = staticBoard(LISTED, (state) => ({ ...state, health: "SCHEMA_BREAK" }))

interface Row {
  readonly check: EligibilityCheckId
  readonly code: string
  readonly options?: RequestOptions
  readonly rows?: readonly RowChange[]
  readonly sick?: true
  /** Lines that are not evaluated because of this one. */
  readonly untold?: readonly EligibilityCheckId[]
}

const ROWS: readonly Row[] = [
  { check: "AMOUNT_AND_CURRENCY", code: "AMOUNT_ZERO", options: { request: { amount: "0" } } },
  {
    check: "DIGESTS",
    code: "DIGEST_MISMATCH",
    options: { request: { payment_destination: { ...destination(), fingerprint: `sha256:${"0".repeat(64)}` } } },
  },
  {
    check: "AGENT_KEY",
    code: "KEY_NOT_ACTIVE",
    rows: [
      [
        `UPDATE agent_key SET status = 'ROTATED', until = since WHERE key_id = '${agentKey.keyId}'`,
        "UPDATE agent_key SET status = 'ACTIVE', until = NULL",
      ],
    ],
    untold: ["IDEMPOTENCY_KEY", "BUYER", "DELEGATION", "MANDATE", "IDENTITY_COLLISION", "EARLIER_AUTHORIZATION"],
  },
  {
    check: "REQUEST_SIGNATURE",
    code: "REQUEST_SIGNATURE_INVALID",
    options: { agent: { keyId: agentKey.keyId, privateKey: freeAgent.privateKey } },
    untold: PRIVATE,
  },
  {
    check: "EVALUATION_TIME",
    code: "EVALUATED_AT_OUT_OF_WINDOW",
    options: {
      request: {
        freshness_requirements: { max_age_seconds: 86_400, evaluated_at: formatInstant(Date.now() - 301 * SECOND) },
      },
    },
  },
  {
    check: "BUYER",
    code: "BUYER_NOT_VERIFIED",
    rows: [
      [
        "UPDATE organization SET state = 'REVOKED', revoked_at = 't', revocation_reason = 'r'",
        "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
      ],
    ],
    untold: ["DELEGATION", "MANDATE", "IDENTITY_COLLISION", "EARLIER_AUTHORIZATION"],
  },
  {
    check: "DELEGATION",
    code: "DELEGATION_NOT_ACTIVE",
    rows: [
      [
        "UPDATE delegation SET state = 'REVOKED', revoked_at = 't'",
        "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
      ],
    ],
    untold: ["BUYER", "MANDATE", "IDENTITY_COLLISION", "EARLIER_AUTHORIZATION"],
  },
  {
    check: "MANDATE",
    code: "MANDATE_NOT_BOUND",
    options: { mandate: { supplier_entity_id: "another" } },
    untold: ["IDENTITY_COLLISION", "EARLIER_AUTHORIZATION"],
  },
  {
    check: "MANDATE",
    code: "VALIDITY_TOO_SHORT",
    options: { mandate: { valid_until: formatInstant(Date.now() + 9 * MINUTE) } },
    untold: ["IDENTITY_COLLISION", "EARLIER_AUTHORIZATION"],
  },
  {
    check: "SUPPLIER_IDENTIFIER",
    code: "IDENTIFIER_UNSUPPORTED",
    options: { request: { supplier: { ...supplier, identifiers: { ein: "12-3456789" } } } },
  },
  {
    check: "IDENTITY_COLLISION",
    code: "IDENTITY_COLLISION",
    options: { request: { supplier } },
    rows: supplierRows({ key: "uei:ZQGGHJH74DW7", nameKey: "anothername" }),
    untold: ["EARLIER_AUTHORIZATION"],
  },
  {
    check: "EARLIER_AUTHORIZATION",
    code: "OBLIGATION_ALREADY_AUTHORIZED",
    options: { request: { supplier, invoice: { obligation_id: "O", document_digest: `sha256:${"0".repeat(64)}` } } },
    rows: [
      [
        `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
           VALUES ('drq_other', 'p', 's', 'k', 'd', 'd', '${JSON.stringify({ amount: "1", currency: "USD", supplier })}', 'DELIVERED', 't', 't')`,
        "DELETE FROM decision_request",
      ],
      [
        `INSERT INTO authorization_record VALUES ('drq_other', '${ORGANIZATION_ID}', 'uei:ZQGGHJH74DW7', 'supplier:eligible',
           'harborlightllc', 'o', 'd', 'i', 'p', 'f', 'k', 'ALLOW', 'dec_other', 'r', 't', '2099-01-01T00:00:00.000Z', NULL, NULL)`,
        "DELETE FROM authorization_record",
      ],
    ],
  },
  {
    check: "LEGAL_NAME",
    code: "LEGAL_NAME_REQUIRED",
    options: { request: { supplier: { entity_id: "supplier:eligible", identifiers: supplier.identifiers } } },
  },
  { check: "SOURCES", code: "SOURCE_SCHEMA_BREAK", sick: true },
  {
    check: "DECISION_FEE_PAYER",
    code: "PAYER_RESTRICTED",
    options: { request: { decision_fee_payer: LISTED_WALLET } },
  },
]

describe("each line can fail alone, and the paid route refuses with the same code", () => {
  test.each(ROWS.map((row) => [row.check, row.code, row] as const))("%s: %s", async (check, code, row) => {
    const request = freshRequest(row.options)
    seller.useBoard(row.sick ? sick : healthyBoard)
    await seller.during(row.rows ?? [], async () => {
      const given = await ask(request)
      expect(line(given, check)).toMatchObject({ state: "FAILED", code })
      const others = given.checks.filter(({ check_id, state }) => check_id !== check && state !== "PASSED")
      expect(others.map(({ check_id, state }) => [check_id, state])).toEqual(
        (row.untold ?? []).map((id) => [id, "NOT_EVALUATED"]),
      )
      expect((await seller.refused(request)).code).toBe(code)
    })
    seller.useBoard(healthyBoard)
  })
})

describe("a caller who did not prove the agent's key", () => {
  const unproven = (options: RequestOptions) => {
    const request = freshRequest(options)
    return { ...request, requesting_agent: { ...request.requesting_agent, request_signature: "A".repeat(86) } }
  }
  const told = async (body: unknown) => {
    const { valid_as_of: _, ...rest } = await ask(body)
    return rest
  }

  test("learns nothing of agent, buyer, mandate or records: known and unknown get the same response", async () => {
    const known = await told(unproven({}))
    for (const id of PRIVATE) expect(known.checks.find(({ check_id }) => check_id === id)?.state).toBe("NOT_EVALUATED")
    for (const options of [
      { organizationId: "org:unknown" },
      { agentId: `svc:agent:${"u".repeat(32)}` },
      { agent: testKey(AGENT_ID, 55) },
      { organizationId: "org:unknown", agentId: freeAgentId },
      { mandateSigner: testKey("org:unknown", 56) },
    ] satisfies RequestOptions[]) {
      expect(await told(unproven(options))).toEqual(known)
    }
  })

  test("learns neither that a buyer is revoked nor that an agent's key was rotated", async () => {
    const known = await told(unproven({}))
    const changes: RowChange[] = [
      [
        "UPDATE organization SET state = 'REVOKED', revoked_at = 't', revocation_reason = 'r'",
        "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
      ],
      [
        "UPDATE agent_key SET status = 'REVOKED', until = since",
        "UPDATE agent_key SET status = 'ACTIVE', until = NULL",
      ],
    ]
    await seller.during(changes, async () => expect(await told(unproven({}))).toEqual(known))
  })
})
