/** Every pre-quote refusal apart from authority and sources. None is charged or leaves a row. Order: pre-quote-order.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { AGENT_ID, agentKey, enterAgent, testKey } from "../../../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { destination, signRequest } from "../../../fixtures/decision.ts"
import { BLOCKED_ORGANISATION } from "../../../fixtures/sample-parties.ts"
import { freshRequest, signedHeader } from "../../../fixtures/test-server.ts"
import { agentKeyChange, check, delegationChange, WRONG_DIGEST } from "./refusal-rows.ts"
import { LISTED_WALLET, openSeller, type Seller } from "./seller.ts"

const otherAgent = `svc:agent:${"m".repeat(32)}`

let seller: Seller
const at = Date.now()
beforeAll(async () => {
  seller = await openSeller()
  await enterAgent(seller.server.database, at - HOUR, testKey(otherAgent, 31), otherAgent)
})
afterAll(() => seller.close())

describe("a request is refused because of its amount or a date:", () => {
  const invalid = (pointer: string) => ({ code: "SCHEMA_INVALID", status: 422, pointers: [pointer] })
  check(
    () => seller,
    [
      {
        why: "an amount of zero in any spelling",
        code: "AMOUNT_ZERO",
        status: 422,
        options: { request: { amount: "0.000000" } },
      },
      {
        why: "a test currency",
        code: "CURRENCY_UNKNOWN",
        status: 422,
        options: { request: { currency: "XTS" } },
      },
      {
        why: "a day that does not exist: evaluated_at",
        ...invalid("/freshness_requirements/evaluated_at"),
        options: {
          request: { freshness_requirements: { max_age_seconds: 172_800, evaluated_at: "2026-02-29T00:00:00Z" } },
        },
      },
      {
        why: "a day that does not exist: mandate start",
        ...invalid("/buyer_mandate/payload/valid_from"),
        options: { mandate: { valid_from: "2026-06-31T00:00:00Z" } },
      },
      {
        why: "an hour that does not exist: mandate end",
        ...invalid("/buyer_mandate/payload/valid_until"),
        options: { mandate: { valid_until: "2026-06-30T24:00:01Z" } },
      },
      ...[-301, 301].map((seconds) => ({
        why: `evaluated_at ${seconds} s from now`,
        code: "EVALUATED_AT_OUT_OF_WINDOW",
        status: 422,
        pointers: ["/freshness_requirements/evaluated_at"],
        options: {
          request: {
            freshness_requirements: {
              max_age_seconds: 172_800,
              evaluated_at: formatInstant(at + seconds * SECOND + (seconds > 0 ? MINUTE : 0)),
            },
          },
        },
      })),
    ],
  )
})

describe("a request is refused because of a digest, with its pointer:", () => {
  const mismatch = (pointer: string) => ({ why: pointer, code: "DIGEST_MISMATCH", status: 422, pointers: [pointer] })
  check(
    () => seller,
    [
      {
        ...mismatch("/payee/fingerprint"),
        options: { request: { payee: { ...destination(), fingerprint: WRONG_DIGEST } } },
      },
      {
        ...mismatch("/payment_destination/fingerprint"),
        options: { request: { payment_destination: { ...destination(), fingerprint: WRONG_DIGEST } } },
      },
      {
        ...mismatch("/buyer_mandate/mandate_digest"),
        body: (request) => ({ ...request, buyer_mandate: { ...request.buyer_mandate, mandate_digest: WRONG_DIGEST } }),
      },
      { ...mismatch("/buyer_mandate/payload/request_digest"), options: { mandate: { request_digest: WRONG_DIGEST } } },
      { ...mismatch("/buyer_mandate/payload/request_digest"), body: (request) => ({ ...request, amount: "12500.01" }) },
    ],
  )

  test("a fingerprint of the same address in another letter case recomputes", async () => {
    const { fingerprint } = destination()
    const lower = { ...destination(`0x${"ab".repeat(20)}`), fingerprint }
    expect((await seller.refused(freshRequest({ request: { payee: lower } }))).status).toBe(402)
  })
})

describe("a request is refused because of its agent or signature:", () => {
  const notActive = { code: "KEY_NOT_ACTIVE", status: 403 }
  const { keyId } = agentKey
  check(
    () => seller,
    [
      { why: "a key of another agent", code: "AGENT_NOT_FOUND", status: 403, options: { agentId: otherAgent } },
      { why: "an unknown key", code: "AGENT_NOT_FOUND", status: 403, options: { agent: testKey(AGENT_ID, 99) } },
      {
        why: "a rotated key",
        ...notActive,
        rows: [agentKeyChange("status = 'ROTATED', until = since", "status = 'ACTIVE', until = NULL", keyId)],
      },
      {
        why: "a revoked key",
        ...notActive,
        rows: [agentKeyChange("status = 'REVOKED', until = since", "status = 'ACTIVE', until = NULL", keyId)],
      },
      {
        why: "a recovery key",
        ...notActive,
        rows: [agentKeyChange("role = 'RECOVERY'", "role = 'OPERATIONAL'", keyId)],
      },
      {
        why: "a revoked identity",
        ...notActive,
        rows: [
          [
            `UPDATE agent SET identity_status = 'REVOKED' WHERE agent_id = '${AGENT_ID}'`,
            "UPDATE agent SET identity_status = 'ACTIVE'",
          ],
        ],
      },
      ...["A".repeat(86), "not base64url at all", "x"].map((request_signature) => ({
        why: `the signature ${request_signature.slice(0, 8)}`,
        code: "REQUEST_SIGNATURE_INVALID",
        status: 403,
        pointers: ["/requesting_agent/request_signature"],
        body: (request: DecisionRequest) => ({
          ...request,
          requesting_agent: { ...request.requesting_agent, request_signature },
        }),
      })),
      {
        why: "a mandate exchanged after the request was signed",
        code: "REQUEST_SIGNATURE_INVALID",
        status: 403,
        body: (request) => {
          const { buyer_mandate: _, ...draft } = request
          return {
            ...request,
            buyer_mandate: signRequest(draft, { at, mandate: { max_payment_amount: "99999" } }).buyer_mandate,
          }
        },
      },
    ],
  )
})

describe("a request is refused because of its supplier or payer:", () => {
  const supplier = { entity_id: "supplier:example-1", legal_name: "Harbor Light Instruments LLC" }
  const unsupported = { code: "IDENTIFIER_UNSUPPORTED", status: 422 }
  const identified = (identifiers: Record<string, string>) => ({ request: { supplier: { ...supplier, identifiers } } })
  check(
    () => seller,
    [
      { why: "no identifier at all", ...unsupported, options: identified({}), pointers: ["/supplier/identifiers"] },
      {
        why: "an EIN alone",
        ...unsupported,
        options: identified({ ein: "12-3456789" }),
        pointers: ["/supplier/identifiers"],
      },
      {
        why: "only a name of an unknown kind of identifier",
        ...unsupported,
        options: identified({ duns: "123456789" }),
        pointers: ["/supplier/identifiers"],
      },
      {
        why: "two identifier names that differ in letter case only",
        ...unsupported,
        options: identified({ uei: "ZQGGHJH74DW7", Duns: "123456789", DUNS: "123456789" }),
        pointers: ["/supplier/identifiers"],
      },
      {
        why: "an LEI with wrong check digits beside a good UEI",
        ...unsupported,
        options: identified({ uei: "ZQGGHJH74DW7", lei: "5493001KJTIIGC8Y1R13" }),
        pointers: ["/supplier/identifiers/lei"],
      },
      {
        why: "no legal name",
        code: "LEGAL_NAME_REQUIRED",
        status: 422,
        options: { request: { supplier: { entity_id: "supplier:example-1", identifiers: { uei: "ZQGGHJH74DW7" } } } },
        pointers: ["/supplier/legal_name"],
      },
      {
        why: "a name in an unsupported script",
        code: "NAME_SCRIPT_UNSUPPORTED",
        status: 422,
        options: {
          request: {
            supplier: {
              ...supplier,
              legal_name: "\u13a0\u13a1\u13a2 \u13a3\u13a4",
              identifiers: { uei: "ZQGGHJH74DW7" },
            },
          },
        },
        pointers: ["/supplier/legal_name"],
      },
      {
        why: "a listed name beside a word in Arabic letters",
        code: "NAME_SCRIPT_UNSUPPORTED",
        status: 422,
        options: {
          request: {
            supplier: {
              ...supplier,
              legal_name: `${BLOCKED_ORGANISATION} شركة`,
              identifiers: { uei: "ZQGGHJH74DW7" },
            },
          },
        },
        pointers: ["/supplier/legal_name"],
      },
      {
        why: "a listed fee wallet in any case",
        code: "PAYER_RESTRICTED",
        status: 403,
        options: { request: { decision_fee_payer: LISTED_WALLET.toLowerCase() } },
      },
    ],
  )

  test.each(["uei:ZQGGHJH74DW7", "cage:1A2B3", "cik:320193", "lei:5493001kjtiigc8y1r12"])(
    "but %s is enough",
    async (text) => {
      const [kind, value] = text.split(":") as [string, string]
      expect((await seller.refused(freshRequest(identified({ [kind]: value })))).status).toBe(402)
    },
  )

  test("a listed payee or destination is a finding of the decision and gets a quote", async () => {
    const listed = destination(LISTED_WALLET)
    expect(
      (await seller.refused(freshRequest({ request: { payee: listed, payment_destination: listed } }))).status,
    ).toBe(402)
  })
})

test("on a paid call the valid quote replaces the check of evaluated_at, and no other check", async () => {
  const evaluated_at = formatInstant(Date.now() - 298 * SECOND)
  const request = freshRequest({ request: { freshness_requirements: { max_age_seconds: 172_800, evaluated_at } } })
  const header = await signedHeader(seller.server, request, {}, DEV_ACCOUNTS.payer)
  seller.advance(5 * SECOND)
  expect((await seller.refused(request)).code).toBe("EVALUATED_AT_OUT_OF_WINDOW")
  const unread = delegationChange("state = 'REVOKED', revoked_at = 't'", "state = 'ACTIVE', revoked_at = NULL")
  expect((await seller.during([unread], () => seller.refused(request, header))).code).toBe("DELEGATION_NOT_ACTIVE")
  expect((await seller.server.post(request, header)).status).toBe(200)
})

test("a mandate or nonce that another request spent gets 409, whatever the new request contains", async () => {
  const { request } = await seller.buy()
  const { mandate_id, nonce } = request.buyer_mandate.payload
  for (const mandate of [{ mandate_id }, { nonce }]) {
    const refusal = await seller.refused(freshRequest({ mandate }))
    expect([refusal.code, refusal.status]).toEqual(["MANDATE_ALREADY_USED", 409])
  }
  expect((await seller.refused(request)).code).toBe("ALREADY_ACQUIRED")
})
