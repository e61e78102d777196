/** All refusals before a quote at once, fixed one by one in their order of precedence. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { formatInstant, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { agentKey, mandateKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { destination, type RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest, staticBoard } from "../../../fixtures/test-server.ts"
import { healthyBoard, LISTED, LISTED_WALLET, openSeller, type RowChange, type Seller } from "./seller.ts"
import { supplierRows } from "./supplier-rows.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await seller.sql(
    `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
     VALUES ('drq_other', 'p', 's', 'k', 'd', 'd', '{}', 'DELIVERED', 't', 't'),
            ('drq_walk', 'p', 's', 'k2', 'd2', 'd', '{"amount":"1","currency":"USD","supplier":{"identifiers":{"uei":"ZQGGHJH74DW7"}}}', 'DELIVERED', 't', 't')`,
  )
})
afterAll(() => seller.close())

const MANDATE_ID = "mandate-of-the-walk"
const NONCE = "nonce-of-the-walk-000001"
const stranger = testKey("stranger", 77)
const otherAgent = `svc:agent:${"z".repeat(32)}`
const unhealthy = staticBoard(LISTED, (state) =>
  state.sourceId === "US_SAM_EXCLUSIONS" ? { ...state, health: "UNAVAILABLE" } : state,
)

interface Fault {
  readonly code: string
  readonly status: number
  readonly request?: Partial<DecisionRequest>
  readonly options?: Partial<RequestOptions>
  readonly mandate?: RequestOptions["mandate"]
  /** Applied after everything was signed. */
  readonly body?: (request: DecisionRequest) => object
  readonly rows?: readonly RowChange[]
  readonly sick?: true
}

const supplier = { entity_id: "supplier:walk", identifiers: { uei: "ZQGGHJH74DW7" } }
const now = Date.now()

const FAULTS: readonly Fault[] = [
  { code: "SCHEMA_INVALID", status: 422, body: (request) => ({ ...request, extra: 1 }) },
  { code: "SCHEMA_INVALID", status: 422, mandate: { valid_from: "2026-02-30T00:00:00Z" } },
  { code: "AMOUNT_ZERO", status: 422, request: { amount: "0.00" } },
  { code: "CURRENCY_UNKNOWN", status: 422, request: { currency: "XXX" } },
  {
    code: "DIGEST_MISMATCH",
    status: 422,
    request: { payment_destination: { ...destination(), fingerprint: `sha256:${"0".repeat(64)}` } },
  },
  { code: "AGENT_NOT_FOUND", status: 403, options: { agentId: otherAgent } },
  {
    code: "KEY_NOT_ACTIVE",
    status: 403,
    rows: [
      [
        `UPDATE agent_key SET status = 'ROTATED', until = since WHERE key_id = '${agentKey.keyId}'`,
        `UPDATE agent_key SET status = 'ACTIVE', until = NULL WHERE key_id = '${agentKey.keyId}'`,
      ],
    ],
  },
  {
    code: "REQUEST_SIGNATURE_INVALID",
    status: 403,
    options: { agent: { keyId: agentKey.keyId, privateKey: stranger.privateKey } },
  },
  {
    code: "EVALUATED_AT_OUT_OF_WINDOW",
    status: 422,
    request: { freshness_requirements: { max_age_seconds: 172_800, evaluated_at: formatInstant(now - 301 * SECOND) } },
  },
  {
    code: "BUYER_NOT_VERIFIED",
    status: 403,
    rows: [
      [
        "UPDATE organization SET state = 'REVOKED', revoked_at = 't', revocation_reason = 'r'",
        "UPDATE organization SET state = 'ACTIVE', revoked_at = NULL, revocation_reason = NULL",
      ],
    ],
  },
  {
    code: "DELEGATION_NOT_ACTIVE",
    status: 403,
    rows: [
      [
        "UPDATE delegation SET state = 'REVOKED', revoked_at = 't'",
        "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
      ],
    ],
  },
  {
    code: "DELEGATION_EXCEEDED",
    status: 403,
    rows: [
      [
        "UPDATE delegation SET max_payment_amount = '12499.999999'",
        "UPDATE delegation SET max_payment_amount = '12500'",
      ],
    ],
  },
  {
    code: "MANDATE_SIGNATURE_INVALID",
    status: 403,
    options: { mandateSigner: { ...mandateKey, privateKey: stranger.privateKey } },
  },
  { code: "MANDATE_NOT_BOUND", status: 403, mandate: { supplier_entity_id: "supplier:somebody-else" } },
  { code: "MANDATE_LIMIT_EXCEEDED", status: 403, mandate: { max_decision_fee_atomic: "789999" } },
  { code: "MANDATE_NOT_CURRENT", status: 403, mandate: { valid_until: formatInstant(now) } },
  {
    code: "MANDATE_REVOKED",
    status: 403,
    rows: [
      [
        `INSERT INTO buyer_revocation VALUES ('${ORGANIZATION_ID}', 'MANDATE', '${MANDATE_ID}', 'd', '{}', '{}', '${mandateKey.keyId}', 't')`,
        "DELETE FROM buyer_revocation",
      ],
    ],
  },
  {
    code: "MANDATE_ALREADY_USED",
    status: 409,
    rows: [
      [
        `INSERT INTO authority_hold (organization_id, kind, value, request_id, spent) VALUES ('${ORGANIZATION_ID}', 'MANDATE_ID', '${MANDATE_ID}', 'drq_other', 1)`,
        "DELETE FROM authority_hold WHERE kind = 'MANDATE_ID'",
      ],
    ],
  },
  {
    code: "DECISION_IN_PROGRESS",
    status: 409,
    rows: [
      [
        `INSERT INTO authority_hold (organization_id, kind, value, request_id, spent) VALUES ('${ORGANIZATION_ID}', 'MANDATE_NONCE', '${NONCE}', 'drq_other', 0)`,
        "DELETE FROM authority_hold WHERE kind = 'MANDATE_NONCE'",
      ],
    ],
  },
  {
    code: "IDENTIFIER_UNSUPPORTED",
    status: 422,
    request: { supplier: { ...supplier, identifiers: { ein: "12-3456789" } } },
  },
  {
    code: "IDENTITY_COLLISION",
    status: 409,
    rows: supplierRows({ entityId: "supplier:walk" }),
  },
  {
    code: "OBLIGATION_ALREADY_AUTHORIZED",
    status: 409,
    request: { invoice: { obligation_id: "O", document_digest: `sha256:${"0".repeat(64)}` } },
    rows: [
      [
        `INSERT INTO authorization_record VALUES ('drq_walk', '${ORGANIZATION_ID}', 'uei:ZQGGHJH74DW7', 'supplier:walk',
          '', 'o', 'd', 'i', 'p', 'f', 'k', 'ALLOW', 'dec_walk', 'r', 't', '2099-01-01T00:00:00.000Z', NULL, NULL)`,
        "DELETE FROM authorization_record",
      ],
    ],
  },
  { code: "LEGAL_NAME_REQUIRED", status: 422, request: { supplier } },
  {
    code: "NAME_SCRIPT_UNSUPPORTED",
    status: 422,
    request: { supplier: { ...supplier, legal_name: "Harbor \uE000\uE001 LLC" } },
  },
  { code: "SOURCE_UNAVAILABLE", status: 503, sick: true },
  { code: "PAYER_RESTRICTED", status: 403, request: { decision_fee_payer: LISTED_WALLET } },
  { code: "VALIDITY_TOO_SHORT", status: 422, mandate: { valid_until: formatInstant(now + 9 * MINUTE) } },
]

/** Everything from `first` on is wrong. An earlier fault of the same member wins. */
async function answerWith(first: number) {
  const wrong = FAULTS.slice(first).toReversed()
  const request = freshRequest({
    ...Object.assign({}, ...wrong.map(({ options }) => options)),
    request: Object.assign(
      { decision_fee_payer: DEV_ACCOUNTS.payer.address, supplier: { ...supplier, legal_name: "Harbor Light LLC" } },
      ...wrong.map((fault) => fault.request),
    ),
    mandate: Object.assign({ mandate_id: MANDATE_ID, nonce: NONCE }, ...wrong.map((fault) => fault.mandate)),
  })
  const body = wrong.reduce<object>((made, fault) => fault.body?.(made as DecisionRequest) ?? made, request)
  seller.useBoard(wrong.some(({ sick }) => sick) ? unhealthy : healthyBoard)
  return seller.during(
    wrong.flatMap(({ rows = [] }) => rows),
    () => seller.refused(body),
  )
}

test.each(FAULTS.map(({ code, status }, index) => [code, status, index] as const))(
  "with everything before it fixed the response is %s",
  async (code, status, index) => {
    const refusal = await answerWith(index)
    expect([refusal.code, refusal.status]).toEqual([code, status])
  },
)

test("with everything fixed there is a quote", async () => {
  expect((await answerWith(FAULTS.length)).status).toBe(402)
})
