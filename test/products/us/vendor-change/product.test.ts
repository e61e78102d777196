/** A US vendor change from its signed body to its token, on a real chain and a real database file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { VendorChangeAnswer, type VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { signedFormOf } from "../../../../src/core/signed-forms.ts"
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { without } from "../../../../src/core/without.ts"
import { findToken } from "../../../../src/store/tokens/authorization-tokens.ts"
import { buyAnswer, signedFor } from "../../../fixtures/answers.ts"
import { AGENT_ID, agentKey, mandateKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { deadForPayer, deadReference, unsold } from "../../../fixtures/unsold.ts"
import {
  CHANGE_AGENT_ID,
  CURRENT_PAYEE,
  changeKey,
  enterChangeKey,
  VENDOR_CHANGE_PATH as PATH,
  PROPOSED,
  signedAgain,
  vendorChangeBody,
} from "../../../fixtures/vendor-change.ts"
import { openSeller, type RowChange, type Seller } from "../payment-decision/seller.ts"

const test = slowTests(import.meta.path)

const PRICE = priceOf("us.vendor.payment_detail_change.authorize.v1")

setDefaultTimeout(30_000)

let seller: Seller
let delegationId: string
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(DEV_ACCOUNTS.secondPayer.address, 10_000_000n)
  delegationId = await enterChangeKey(seller.server)
})
afterAll(() => seller.close())

const buy = (body: VendorChangeRequest) => buyAnswer(seller.server, { path: PATH, body })

test("a first destination signed by the change key is charged once, authorized, and has a token bound to the change", async () => {
  const body = vendorChangeBody()
  const before = await seller.state()
  const { status, answer } = await buy(body)
  expect(status).toBe(200)
  expect([...Value.Errors(VendorChangeAnswer, answer)]).toEqual([])
  expect(answer).toMatchObject({
    decision: "APPROVE",
    payment: { charged_price_usd: PRICE.usd },
    result: { change_state: "AUTHORIZED", single_use: true, revocable: true, supplier_key: "uei:ZQGGHJH74DW7" },
  })
  expect((await seller.state()).transfers).toBe(before.transfers + 1)
  const token = await seller.server.store.read(() =>
    findToken("US", tokenHash(String(answer.result["authorization_token"]))),
  )
  expect(token).toMatchObject({
    kind: "VENDOR_CHANGE",
    state: "ISSUED",
    wallet: DEV_ACCOUNTS.payer.address.toLowerCase(),
  })
  expect(JSON.parse(token?.bindingJson ?? "{}")).toEqual({
    supplier_key: "uei:ZQGGHJH74DW7",
    current_payee_fingerprint: null,
    proposed_payee_fingerprint: PROPOSED.fingerprint,
    wallet: DEV_ACCOUNTS.payer.address.toLowerCase(),
  })
})

test("the signed text has its own form, which neither the signed nor another body can imitate", () => {
  const body = vendorChangeBody()
  const covered = { ...body, requesting_agent: without(body.requesting_agent, "request_signature") }
  expect(signedFormOf(covered)).toBe("VENDOR_CHANGE")
  expect(signedFormOf(body)).toBeNull()
  expect(signedFormOf({ ...covered, domain: "svc.payment-decision.recovery.v1" })).toBeNull()
})

describe("a change is refused before any quote, charges nothing and stores nothing:", () => {
  const key = (state: string, back: string): RowChange => [
    `UPDATE agent_key SET ${state} WHERE key_id = '${changeKey.keyId}'`,
    `UPDATE agent_key SET ${back} WHERE key_id = '${changeKey.keyId}'`,
  ]
  const delegation = (state: string, back: string): RowChange => [
    `UPDATE delegation SET ${state} WHERE key_id = '${changeKey.keyId}'`,
    `UPDATE delegation SET ${back} WHERE key_id = '${changeKey.keyId}'`,
  ]
  const day = (from: number) => formatInstant(Date.now() + from)
  const rows: readonly (readonly [string, string, number, () => object, RowChange[]?])[] = [
    [
      "the same place twice",
      "NO_CHANGE_PROPOSED",
      422,
      () => vendorChangeBody({ current_payee_fingerprint: PROPOSED.fingerprint }),
    ],
    [
      "signed for another service",
      "SCHEMA_INVALID",
      422,
      () => vendorChangeBody({ audience: "https://elsewhere.example" }),
    ],
    [
      "a day that does not exist",
      "SCHEMA_INVALID",
      422,
      () => vendorChangeBody({ challenge: { ...vendorChangeBody().challenge, verified_at: "2026-02-30T10:00:00Z" } }),
    ],
    [
      "a challenge that ends in nine minutes",
      "EVIDENCE_ENDS_TOO_SOON",
      422,
      () => vendorChangeBody({ challenge: { ...vendorChangeBody().challenge, valid_until: day(9 * MINUTE) } }),
    ],
    ["looked at an hour ago", "EVALUATED_AT_OUT_OF_WINDOW", 422, () => vendorChangeBody({}, { at: Date.now() - HOUR })],
    [
      "an unknown agent",
      "AGENT_NOT_FOUND",
      403,
      () => vendorChangeBody({}, { key: testKey(`svc:agent:${"z".repeat(32)}`, 99) }),
    ],
    [
      "a revoked key",
      "KEY_NOT_ACTIVE",
      403,
      () => vendorChangeBody(),
      [key("status = 'REVOKED'", "status = 'ACTIVE'")],
    ],
    [
      "a member changed after it was signed",
      "REQUEST_SIGNATURE_INVALID",
      403,
      () => ({ ...vendorChangeBody(), proposed_payee_fingerprint: CURRENT_PAYEE }),
    ],
    [
      "signed by another key than it names",
      "REQUEST_SIGNATURE_INVALID",
      403,
      () => signedAgain(vendorChangeBody(), agentKey),
    ],
    [
      "an organization that never delegated to the agent, known or not",
      "DELEGATION_NOT_ACTIVE",
      403,
      () => vendorChangeBody({ buyer: { ...vendorChangeBody().buyer, organization_id: "org:example:other" } }),
    ],
    [
      "an organization whose verification ended",
      "BUYER_NOT_VERIFIED",
      403,
      () => vendorChangeBody(),
      [
        [
          `UPDATE organization SET valid_until = '${day(-SECOND)}'`,
          `UPDATE organization SET valid_until = '${day(300 * DAY)}'`,
        ],
      ],
    ],
    [
      "a key that may only ask for decisions",
      "DELEGATION_NOT_ACTIVE",
      403,
      () => vendorChangeBody({}, { key: { ...agentKey, issuer: AGENT_ID } }),
    ],
    [
      "a delegation that is revoked",
      "DELEGATION_NOT_ACTIVE",
      403,
      () => vendorChangeBody(),
      [delegation("state = 'REVOKED', revoked_at = 't'", "state = 'ACTIVE', revoked_at = NULL")],
    ],
    [
      "a delegation that ended",
      "DELEGATION_NOT_ACTIVE",
      403,
      () => vendorChangeBody(),
      [delegation(`valid_until = '${day(-SECOND)}'`, `valid_until = '${day(DAY)}'`)],
    ],
    [
      "a delegation whose mandate key is revoked",
      "DELEGATION_NOT_ACTIVE",
      403,
      () => vendorChangeBody(),
      [
        [
          `UPDATE mandate_key SET state = 'REVOKED', revoked_at = 't', revoked_since = '${day(0)}' WHERE key_id = '${mandateKey.keyId}'`,
          `UPDATE mandate_key SET state = 'ACTIVE', revoked_at = NULL, revoked_since = NULL WHERE key_id = '${mandateKey.keyId}'`,
        ],
      ],
    ],
  ]
  test.each(rows)("%s: %s", async (_, code, status, body, changes = []) => {
    const refusal = await seller.during(changes, () => seller.refused(body(), {}, PATH))
    expect([refusal.code, refusal.status]).toEqual([code, status])
  })

  test("a delegation revoked between quote and payment buys nothing, and the payment is not used", async () => {
    const body = vendorChangeBody()
    const payment = await signedFor(seller.server, { path: PATH, body })
    const revoked = delegation("state = 'REVOKED', revoked_at = 't'", "state = 'ACTIVE', revoked_at = NULL")
    const refusal = await seller.during([revoked], () => seller.refused(body, payment, PATH))
    expect([refusal.code, refusal.status]).toEqual(["DELEGATION_NOT_ACTIVE", 403])
    expect((await buyAnswer(seller.server, { path: PATH, body }, payment)).status).toBe(200)
  })
})

test("a day's changes count against the delegation", async () => {
  const key = testKey(`svc:agent:${"d".repeat(32)}`, 82)
  await enterChangeKey(seller.server, { max_requests_per_day: 1 }, { key })
  expect((await buy(vendorChangeBody({}, { key }))).status).toBe(200)
  const refusal = await seller.refused(vendorChangeBody({}, { key }), {}, PATH)
  expect([refusal.code, refusal.status]).toEqual(["DELEGATION_EXCEEDED", 403])
})

test("of many simultaneous payments under a limit of one change a day one is sold, because the reservation checks the day again", async () => {
  const key = testKey(`svc:agent:${"e".repeat(32)}`, 83)
  await enterChangeKey(seller.server, { max_requests_per_day: 1 }, { key })
  const bodies = Array.from({ length: 4 }, () => vendorChangeBody({}, { key }))
  const payments = await Promise.all(bodies.map((body) => signedFor(seller.server, { path: PATH, body })))
  const before = await seller.state()
  const answers = await Promise.all(bodies.map((body, index) => seller.server.post(body, payments[index], PATH)))
  const codes = answers.map(async (answer) => (answer.ok ? "SOLD" : ((await answer.json()) as { code: string }).code))
  expect((await Promise.all(codes)).sort()).toEqual([...Array(3).fill("DELEGATION_EXCEEDED"), "SOLD"])
  expect((await seller.state()).transfers).toBe(before.transfers + 1)
})

test("a challenge counts once for its organization, whichever wallet pays, so that one signed request is not bought twice", async () => {
  const body = vendorChangeBody()
  expect((await buy(body)).answer.decision).toBe("APPROVE")
  const answer = await unsold(seller.server, { path: PATH, body }, DEV_ACCOUNTS.secondPayer)
  expect(answer).toMatchObject(deadForPayer("CHALLENGE_REUSED"))
})

test("a space or another letter case makes no new challenge", async () => {
  const body = vendorChangeBody()
  expect((await buy(body)).answer.decision).toBe("APPROVE")
  const { challenge } = body
  const again = { ...challenge, reference: ` ${challenge.reference.toUpperCase()}` }
  // The signed request names the holder of the challenge, so its use is known before a quote.
  const answer = await unsold(seller.server, { path: PATH, body: vendorChangeBody({ challenge: again }) })
  expect(answer).toMatchObject({ ...deadReference("CHALLENGE_REUSED"), pointers: ["/challenge"] })
})

test("of many simultaneous requests with one challenge one is authorized; the others are refused uncharged", async () => {
  const { challenge } = vendorChangeBody()
  const bodies = Array.from({ length: 8 }, () => vendorChangeBody({ challenge }))
  const payments = await Promise.all(bodies.map((body) => signedFor(seller.server, { path: PATH, body })))
  const answers = await Promise.all(
    bodies.map(async (body, at) => {
      const payment = payments[at]
      return (await seller.server.post(body, payment, PATH)).json() as Promise<{ decision?: string; code?: string }>
    }),
  )
  expect(answers.filter(({ decision }) => decision === "APPROVE").length).toBe(1)
  for (const { decision, code } of answers.filter((one) => one.decision !== "APPROVE")) {
    expect(decision).toBeUndefined()
    expect(["REFERENCE_NOT_USABLE", "DECISION_IN_PROGRESS"]).toContain(code ?? "")
  }
})

test("the record of a change names the organization, the signing key and the delegation that it counted against", async () => {
  const { answer } = await buy(vendorChangeBody())
  const row = await seller.server.database.row(
    "SELECT r.organization_id, r.key_id, r.agent_id, r.delegation_id, a.payee_fingerprint FROM decision_request r JOIN answer_record a ON a.request_id = r.id WHERE a.execution_id = ?",
    answer.execution_id,
  )
  expect(row).toEqual({
    organization_id: ORGANIZATION_ID,
    key_id: changeKey.keyId,
    agent_id: CHANGE_AGENT_ID,
    delegation_id: delegationId,
    payee_fingerprint: PROPOSED.fingerprint,
  })
})
