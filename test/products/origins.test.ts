/**
 * Every row that stops a payment has an origin (rulings 90), and no answer is sold for a row that the request or a dead reference fixes. Each
 * such row is provoked over HTTP.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../schemas/us/supplier-approval.ts"
import { PUBLISHED_POLICIES } from "../../src/catalogue/published-policies.ts"
import { isNeverSold, ORIGINS, type Origin, originsOf } from "../../src/checks/policy/origins.ts"
import { DAY, HOUR, SECOND } from "../../src/core/time.ts"
import { companySubject } from "../../src/products/us/company-record.ts"
import { frontRun } from "../delivery/selling-bench.ts"
import { buyAnswer, signedFor, usBody } from "../fixtures/answers.ts"
import { mandateKey, ORGANIZATION_ID } from "../fixtures/buyers.ts"
import { enterAnswer } from "../fixtures/enter-answer.ts"
import { freshReference, GB_NUMBER, GB_PAYEE, GB_PRIOR, gbChangeBody } from "../fixtures/gb.ts"
import { PRODUCT_ROWS, type ProductRow, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest } from "../fixtures/test-server.ts"
import { unsold } from "../fixtures/unsold.ts"
import { bindingEvidence } from "../fixtures/us-invoice.ts"
import { CURRENT_PAYEE, PROPOSED, VENDOR_CHANGE_PATH, vendorChangeBody } from "../fixtures/vendor-change.ts"
import { type NineProductServers, openNineProductServers } from "./nine-product-servers.ts"
import { at, type Body, bought, executionId, NAMED, PROVOKED, QUOTED, within } from "./provoked-rows.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(30_000)

const STOPS = ["HOLD", "BLOCK", "INCONCLUSIVE"]
const UNSOLD: readonly Origin[] = ["BODY", "EVIDENCE_ENDED", "OWN_RECORDS"]
const inForce = PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce)

describe("the table of origins", () => {
  test("has the nine policies, an origin for every row that stops a payment, and none for another row", () => {
    expect(inForce).toHaveLength(9)
    for (const { document } of inForce) {
      for (const row of document.reasons) {
        const origins = originsOf(row)
        expect([row.code, origins.length > 0]).toEqual([row.code, STOPS.includes(row.outcome)])
      }
    }
    expect(() => originsOf({ code: "A_NEW_REASON", outcome: "HOLD" })).toThrow("A_NEW_REASON has no origin")
    expect(originsOf({ code: "PAYEE_BINDING_WEAK", outcome: "CONDITION" })).toEqual([])
  })

  test("has no code without a row", () => {
    const rows = new Set(inForce.flatMap(({ document }) => document.reasons.map(({ code }) => code)))
    expect(Object.keys(ORIGINS).filter((code) => !rows.has(code))).toEqual([])
  })

  test("is no part of a policy, and ended evidence has a row of uncharged answers", () => {
    for (const { document, uncharged, product } of inForce) {
      expect(Object.keys(document)).not.toContain("origins")
      const ended = document.reasons.filter((row) => originsOf(row).includes("EVIDENCE_ENDED")).map(({ code }) => code)
      const rows = uncharged.filter(({ code }) => ended.includes(code))
      expect([product, rows.map(({ code }) => code).sort()]).toEqual([product, ended.sort()])
      expect(rows.every(({ decision }) => decision === "NO_DECISION")).toBe(true)
    }
    expect(isNeverSold("CHALLENGE_NOT_FRESH")).toBe(true)
    expect(isNeverSold("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED")).toBe(false)
  })
})

/** The Payment Decision refuses with codes of the authority (design of decisions, "Before any quote"). */
const DECISIONS: Readonly<Record<string, () => object>> = {
  "MANDATE_LIMIT_EXCEEDED BODY": () => freshRequest({ mandate: { max_payment_amount: "0.01" } }),
  "MANDATE_NOT_CURRENT BODY": () => freshRequest({ mandate: { valid_until: at(-SECOND) } }),
  "MANDATE_REVOKED OWN_RECORDS": () => freshRequest({ mandate: { mandate_id: REVOKED_MANDATE } }),
  "DELEGATION_NOT_ACTIVE OWN_RECORDS": () => freshRequest({ request: { amount: "10.00" } }),
}
const REVOKED_MANDATE = "mandate-revoked-late"

let servers: NineProductServers
beforeAll(async () => {
  servers = await openNineProductServers()
  const server = servers.servers[0]
  const approval = { product: SUPPLIER_APPROVAL_PRODUCT, ...companySubject(usBody().company) }
  await enterAnswer(server, { ...approval, executionId: NAMED.endedApproval, validUntil: at(-DAY) })
  await enterAnswer(server, { ...approval, executionId: NAMED.otherApproval, subject: "uei:ANOTHERSUPP1" })
  const gb = { product: GB_PAYMENT_PRODUCT, subject: GB_NUMBER }
  await enterAnswer(server, { ...gb, executionId: NAMED.gbOtherPayee, payeeFingerprint: PROPOSED.fingerprint })
  await enterAnswer(server, { ...gb, executionId: NAMED.gbLate, payeeFingerprint: GB_PAYEE, decidedAt: at(0) })
  const us = { product: PAYMENT_AUTHORIZATION_PRODUCT, ...companySubject(vendorChangeBody().company) }
  await enterAnswer(server, { ...us, executionId: NAMED.usOtherPayee, payeeFingerprint: PROPOSED.fingerprint })
  await enterAnswer(server, { ...us, executionId: NAMED.usLate, payeeFingerprint: CURRENT_PAYEE, decidedAt: at(0) })

  const change = gbChangeBody({ prior_authorization_reference: GB_PRIOR })
  bought.gbChallenge = change.challenge.reference
  const gbRow = rowOf("gb.vendor.payment_detail_change.authorize.v1")
  expect((await buyAnswer(server, purchaseOf(gbRow, change))).answer.decision).toBe("APPROVE")
  const usChange = vendorChangeBody()
  bought.usChallenge = usChange.challenge.reference
  const authorized = await buyAnswer(server, { path: VENDOR_CHANGE_PATH, body: usChange })
  expect(authorized.answer.decision).toBe("APPROVE")
  bought.revoked = authorized.answer.execution_id
  server.database.run(
    "UPDATE authorization_token SET state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
    [bought.revoked],
  )
})
afterAll(() => servers.close())

function rowOf(product: string): ProductRow {
  const row = PRODUCT_ROWS.find(({ id }) => id === product)
  if (!row) throw new Error(`no row of ${product}`)
  return row
}

const provoked = Object.entries(PROVOKED).flatMap(([product, rows]) =>
  Object.entries(rows).map(([row, spoil]) => [product, row, spoil] as const),
)

test("every row that is never sold is provoked, for each of its origins", () => {
  const expected = inForce.flatMap(({ product, document }) =>
    document.reasons.flatMap((row) =>
      originsOf(row)
        .filter((origin) => UNSOLD.includes(origin))
        .map((origin) => `${product} ${row.code} ${origin}`),
    ),
  )
  const done = [
    ...provoked.map(([product, row]) => `${product} ${row}`),
    ...Object.keys(DECISIONS).map((row) => `${PAYMENT_DECISION_PRODUCT} ${row}`),
    // A Payment Decision names no authorization to continue, so nobody can take one back.
    `${PAYMENT_DECISION_PRODUCT} PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED OWN_RECORDS`,
  ]
  expect([...new Set(expected)].sort()).toEqual(done.sort())
})

test.each(provoked)("%s %s is neither quoted nor charged", async (product, row, spoil) => {
  const [code = "", origin] = row.split(" ")
  const before = await servers.traces()
  const answer = await unsold(
    servers.servers[0],
    purchaseOf(rowOf(product), spoil(rowOf(product).body() as unknown as Body)),
  )
  const quoted = QUOTED.has(`${product} ${code}`)
  const status = { BODY: 422, EVIDENCE_ENDED: 200, OWN_RECORDS: 409 }[origin ?? ""]
  expect(answer).toMatchObject({ quoted, status, reasons: [code] })
  expect(answer.pointers.length).toBeGreaterThan(0)
  expect(await servers.traces()).toEqual(before)
})

test.each(Object.entries(DECISIONS))("a Payment Decision with %s is neither quoted nor charged", async (row, body) => {
  const [code = ""] = row.split(" ")
  const { database } = servers.servers[0]
  database.run(
    `INSERT OR IGNORE INTO buyer_revocation VALUES ('${ORGANIZATION_ID}', 'MANDATE', '${REVOKED_MANDATE}', 'd', '{}', '{}', '${mandateKey.keyId}', 't')`,
  )
  if (code === "DELEGATION_NOT_ACTIVE") database.run("UPDATE delegation SET state = 'REVOKED', revoked_at = 't'")
  const before = await servers.traces()
  const answer = await servers.servers[0].post(body(), {}, rowOf(PAYMENT_DECISION_PRODUCT).path)
  database.run("UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL")
  expect([answer.status, (await answer.json()).code]).toEqual([403, code])
  expect(answer.headers.get("payment-required")).toBeNull()
  expect(await servers.traces()).toEqual(before)
})

describe("what ends during a quote", () => {
  const ages = { binding_evidence: bindingEvidence(Date.now()) }
  /** Older than the policy allows in about a second. */
  const aging = (): Body => {
    const body = rowOf("us.invoice_payee.verify.v1").body() as unknown as Body
    const evidence = { ...ages.binding_evidence, reference: freshReference("age") }
    return { ...body, binding_evidence: { ...evidence, verified_at: at(-90 * DAY + 1500), valid_until: at(DAY) } }
  }
  const row = () => rowOf("us.invoice_payee.verify.v1")

  test("is not settled: evidence that became too old", async () => {
    const purchase = purchaseOf(row(), aging())
    const payment = await signedFor(servers.servers[0], purchase)
    await Bun.sleep(1600)
    const before = await servers.traces()
    const answer = await buyAnswer(servers.servers[0], purchase, payment)
    expect([answer.status, answer.answer.decision, answer.answer.reason_codes]).toEqual([
      200,
      "NO_DECISION",
      ["PAYEE_BINDING_TOO_OLD"],
    ])
    expect(answer.answer.source_health["INDEPENDENT_PAYEE_BINDING_EVIDENCE"]).toBe("STALE")
    expect(await servers.traces()).toEqual(before)
  })

  test("is delivered with the old row after the money has moved", async () => {
    const purchase = purchaseOf(row(), aging())
    const payment = await signedFor(servers.servers[0], purchase)
    await frontRun(servers.chain, payment)
    await Bun.sleep(1600)
    const { status, answer } = await buyAnswer(servers.servers[0], purchase, payment)
    expect([status, answer.decision, answer.reason_codes]).toEqual([
      200,
      "REVIEW",
      ["PAYEE_BINDING_TOO_OLD", "LIMITED_COVERAGE"],
    ])
  })

  test("is not settled: an approval that ended", async () => {
    const id = executionId("W")
    const approval = { product: SUPPLIER_APPROVAL_PRODUCT, ...companySubject(usBody().company) }
    await enterAnswer(servers.servers[0], { ...approval, executionId: id, validUntil: at(HOUR) })
    const authorize = rowOf("us.payment.authorize.v1")
    const purchase = purchaseOf(authorize, { ...authorize.body(), supplier_approval_reference: id })
    const payment = await signedFor(servers.servers[0], purchase)
    servers.servers[0].database.run("UPDATE answer_record SET valid_until = ? WHERE execution_id = ?", [
      at(-SECOND),
      id,
    ])
    const before = await servers.traces()
    const answer = await buyAnswer(servers.servers[0], purchase, payment)
    expect(answer).toMatchObject({
      status: 409,
      answer: { code: "REFERENCE_NOT_USABLE", reason_codes: ["SUPPLIER_APPROVAL_EXPIRED"] },
    })
    expect(await servers.traces()).toEqual(before)
  })
})

test.each([
  ["a first payment", "us.vendor.payment_detail_change.authorize.v1"],
  ["a changed destination", "gb.vendor.payment_detail_change.authorize.v1"],
  ["a continuation", "us.vendor.authorization.continue.v1"],
])("%s is sold as before", async (_what, product) => {
  const row = rowOf(product)
  const { status, answer } = await buyAnswer(servers.servers[0], purchaseOf(row, row.body()))
  expect([status, answer.economic_activity.charged]).toEqual([200, true])
})

test("a reused document is sold as before, with its reason", async () => {
  const row = rowOf("us.invoice_payee.verify.v1")
  const first = row.body() as unknown as Body
  await buyAnswer(servers.servers[0], purchaseOf(row, first))
  const again = within(row.body() as unknown as Body, "invoice", {
    document_digest: (first["invoice"] as Body)["document_digest"],
  })
  const { answer } = await buyAnswer(servers.servers[0], purchaseOf(row, again))
  expect([answer.decision, answer.reason_codes]).toEqual([
    "REVIEW",
    ["DOCUMENT_REUSED_FOR_OTHER_OBLIGATION", "LIMITED_COVERAGE"],
  ])
})
