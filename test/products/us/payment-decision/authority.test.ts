/** Buyer, delegation and mandate: every reason why a caller may not request a decision. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { MandatePayload } from "../../../../schemas/us/mandate.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { agentKey, enterAgent, mandateKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import { agentKeyChange, check, delegationChange, revokedKey, WRONG_DIGEST } from "./refusal-rows.ts"
import { enterDelegation, openSeller, type Seller } from "./seller.ts"

const signingAgent = `svc:agent:${"m".repeat(32)}`
const delegatedKey = testKey(signingAgent, 31)
const secondMandateKey = testKey(ORGANIZATION_ID, 32)

let seller: Seller
const at = Date.now()
beforeAll(async () => {
  seller = await openSeller()
  await enterAgent(seller.server.database, at - HOUR, delegatedKey, signingAgent)
  await enterDelegation(seller, delegatedKey, { agent_id: signingAgent, scope: ["SIGN_MANDATE"] })
  await seller.sql(
    `INSERT INTO mandate_key (organization_id, key_id, x, key_owner, state, added_at) VALUES (?1, ?2, ?3, ?4, 'ACTIVE', 't')`,
    ...[ORGANIZATION_ID, secondMandateKey.keyId, secondMandateKey.x, secondMandateKey.keyOwner],
  )
})
afterAll(() => seller.close())

describe("a request is refused because of its buyer:", () => {
  const notVerified = { code: "BUYER_NOT_VERIFIED", status: 403 }
  check(
    () => seller,
    [
      { why: "an unknown organization", ...notVerified, options: { organizationId: "org:example:unknown" } },
      { why: "another organization digest", ...notVerified, options: { organizationDigest: WRONG_DIGEST } },
      {
        why: "a verification that has just ended",
        ...notVerified,
        rows: [
          [
            `UPDATE organization SET valid_until = '${formatInstant(at)}'`,
            `UPDATE organization SET valid_until = '${formatInstant(at + 300 * 24 * HOUR)}'`,
          ],
        ],
      },
    ],
  )
})

describe("a request is refused because of its delegation:", () => {
  const notActive = { code: "DELEGATION_NOT_ACTIVE", status: 403 }
  const exceeded = { code: "DELEGATION_EXCEEDED", status: 403 }
  check(
    () => seller,
    [
      {
        why: "it has not begun",
        ...notActive,
        rows: [
          delegationChange(`valid_from = '${formatInstant(at + HOUR)}'`, `valid_from = '${formatInstant(at - HOUR)}'`),
        ],
      },
      {
        why: "ended",
        ...notActive,
        rows: [
          delegationChange(`valid_until = '${formatInstant(at)}'`, `valid_until = '${formatInstant(at + 400 * HOUR)}'`),
        ],
      },
      {
        why: "it has another scope",
        ...notActive,
        rows: [delegationChange(`scope = '["SIGN_MANDATE"]'`, `scope = '["SIGN_REQUEST"]'`)],
      },
      {
        why: "a mandate key that is now revoked signed it",
        ...notActive,
        rows: [revokedKey(mandateKey.keyId, "mandate_key")],
        options: { mandateSigner: secondMandateKey },
      },
      { why: "its limit is in another currency", ...exceeded, options: { request: { currency: "EUR" } } },
      {
        why: "the amount is one millionth over the limit per payment",
        ...exceeded,
        rows: [delegationChange("max_payment_amount = '12499.999999'", "max_payment_amount = '1000000'")],
      },
      {
        why: "the amount is over the total",
        ...exceeded,
        rows: [delegationChange("max_total_amount = '12499'", "max_total_amount = NULL")],
      },
      {
        why: "no request is left today",
        ...exceeded,
        rows: [delegationChange("max_requests_per_day = 0", "max_requests_per_day = NULL")],
      },
      {
        why: "it permits another intent",
        ...exceeded,
        rows: [delegationChange(`permitted_intents = '[]'`, `permitted_intents = '["RELEASE_PAYMENT_TO_SUPPLIER"]'`)],
      },
    ],
  )

  test("but not when a limit is reached exactly", async () => {
    const limits = delegationChange(
      "max_payment_amount = '12500', max_total_amount = '12500.0'",
      "max_payment_amount = '1000000', max_total_amount = NULL",
    )
    expect((await seller.during([limits], () => seller.refused(freshRequest()))).status).toBe(402)
  })
})

describe("a request is refused because of its mandate:", () => {
  const unsigned = { code: "MANDATE_SIGNATURE_INVALID", status: 403 }
  const stranger = testKey(ORGANIZATION_ID, 88)
  const bySigningAgent = { mandateSigner: delegatedKey }
  check(
    () => seller,
    [
      { why: "an unknown key signed it", ...unsigned, options: { mandateSigner: stranger } },
      {
        why: "a stranger signed it in the organization's name",
        ...unsigned,
        options: { mandateSigner: { ...mandateKey, privateKey: stranger.privateKey } },
      },
      {
        why: "the organization's key signed it in another issuer's name",
        ...unsigned,
        options: { mandateSigner: { ...mandateKey, issuer: "org:example:other" } },
      },
      {
        why: "a delegated key signed it in the organization's name",
        ...unsigned,
        options: { mandateSigner: { ...delegatedKey, issuer: ORGANIZATION_ID } },
      },
      {
        why: "a revoked mandate key signed it",
        ...unsigned,
        options: { mandateSigner: secondMandateKey },
        rows: [revokedKey(secondMandateKey.keyId, "mandate_key")],
      },
      {
        why: "a rotated delegated key signed it",
        ...unsigned,
        options: bySigningAgent,
        rows: [
          agentKeyChange("status = 'ROTATED', until = since", "status = 'ACTIVE', until = NULL", delegatedKey.keyId),
        ],
      },
      {
        why: "a delegated key that became a recovery key signed it",
        ...unsigned,
        options: bySigningAgent,
        rows: [agentKeyChange("role = 'RECOVERY'", "role = 'OPERATIONAL'", delegatedKey.keyId)],
      },
      {
        why: "the requesting agent signed it without a delegation to sign mandates",
        code: "DELEGATION_NOT_ACTIVE",
        status: 403,
        options: { mandateSigner: agentKey },
      },
      {
        why: "a delegated key signed it whose delegation does not cover the amount",
        code: "DELEGATION_EXCEEDED",
        status: 403,
        options: bySigningAgent,
        rows: [
          [
            "UPDATE delegation SET max_payment_amount = '1' WHERE delegation_id <> 'dgn_test'",
            "UPDATE delegation SET max_payment_amount = '1000000'",
          ],
        ],
      },
      {
        why: "a delegated key signed it whose delegation is revoked",
        code: "DELEGATION_NOT_ACTIVE",
        status: 403,
        options: bySigningAgent,
        rows: [
          [
            "UPDATE delegation SET state = 'REVOKED', revoked_at = 't' WHERE delegation_id <> 'dgn_test'",
            "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL",
          ],
        ],
      },
    ],
  )

  const bound: Partial<MandatePayload> = {
    buyer_organization: "org:example:other",
    buyer_organization_digest: WRONG_DIGEST,
    subject_agent_id: signingAgent,
    supplier_entity_id: "supplier:other",
    payee_fingerprint: WRONG_DIGEST,
    currency: "EUR",
    issuer: "org:example:other",
    key_id: secondMandateKey.keyId,
  }
  check(
    () => seller,
    Object.entries(bound).map(([member, value]) => ({
      why: `its ${member} differs from the request`,
      code: "MANDATE_NOT_BOUND",
      status: 403,
      options: { mandate: { [member]: value } },
    })),
  )
  check(
    () => seller,
    [
      {
        why: "its limit is below the amount",
        code: "MANDATE_LIMIT_EXCEEDED",
        status: 403,
        options: { mandate: { max_payment_amount: "12499.999999" } },
      },
      {
        why: "its fee limit is below the fee",
        code: "MANDATE_LIMIT_EXCEEDED",
        status: 403,
        options: { mandate: { max_decision_fee_atomic: "789999" } },
      },
      {
        why: "it has not begun",
        code: "MANDATE_NOT_CURRENT",
        status: 403,
        options: { mandate: { valid_from: formatInstant(at + 5 * MINUTE) } },
      },
      {
        why: "it has ended",
        code: "MANDATE_NOT_CURRENT",
        status: 403,
        options: { mandate: { valid_until: formatInstant(at) } },
      },
      {
        why: "it ends within ten minutes",
        code: "VALIDITY_TOO_SHORT",
        status: 422,
        options: { mandate: { valid_until: formatInstant(at + 10 * MINUTE) } },
      },
      {
        why: "its delegation ends within ten minutes",
        code: "VALIDITY_TOO_SHORT",
        status: 422,
        rows: [
          delegationChange(
            `valid_until = '${formatInstant(at + 10 * MINUTE)}'`,
            `valid_until = '${formatInstant(at + 400 * HOUR)}'`,
          ),
        ],
      },
      {
        why: "its organization's verification ends within ten minutes",
        code: "VALIDITY_TOO_SHORT",
        status: 422,
        rows: [
          [
            `UPDATE organization SET valid_until = '${formatInstant(at + 10 * MINUTE)}'`,
            `UPDATE organization SET valid_until = '${formatInstant(at + 300 * 24 * HOUR)}'`,
          ],
        ],
      },
    ],
  )

  test.each([
    ["the organization", mandateKey],
    ["another key of the organization", secondMandateKey],
    ["a delegated key", delegatedKey],
  ] as const)("but not when it is signed by %s", async (_, mandateSigner) => {
    expect((await seller.refused(freshRequest({ mandateSigner }))).status).toBe(402)
  })
})
