/**
 * A sale whose outcome becomes fixed between its quote and its payment, or between its reservation and its decision, is not settled (rulings
 * 90).
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { AnswerEligibilityResponse } from "../../schemas/eligibility.ts"
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../schemas/us/supplier-approval.ts"
import { DAY, HOUR, SECOND } from "../../src/core/time.ts"
import { companySubject } from "../../src/products/us/company-record.ts"
import { frontRun } from "../delivery/selling-bench.ts"
import { buyAnswer, signedFor, usBody } from "../fixtures/answers.ts"
import { signedUnderEarlierQuote } from "../fixtures/earlier-quote.ts"
import { enterAnswer } from "../fixtures/enter-answer.ts"
import {
  binding,
  challenge,
  freshReference,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  gbChangeBody,
  gbPaymentBody,
} from "../fixtures/gb.ts"
import { purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { deadReference, endedEvidence, type Unsold, unsold, unsoldWhenPaid } from "../fixtures/unsold.ts"
import { bindingEvidence } from "../fixtures/us-invoice.ts"
import { vendorChangeBody } from "../fixtures/vendor-change.ts"
import { approved, openProvokingServers, revokeChange, rowOf } from "./origin-servers.ts"
import type { ProductServers } from "./product-servers.ts"
import { at, type Body, executionId, within } from "./provoked-rows.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(30_000)

let servers: ProductServers
beforeAll(async () => {
  servers = await openProvokingServers()
  const gb = { product: GB_PAYMENT_PRODUCT, subject: GB_NUMBER, payeeFingerprint: GB_PAYEE }
  await enterAnswer(servers.servers[0], { ...gb, executionId: executionId("A"), decidedAt: at(-9 * DAY) })
})
afterAll(() => servers.close())

const PAYEE = "us.invoice_payee.verify.v1"
const GB_PAYMENT = "gb.business.payment.authorize.v1"
const GB_CHANGE = "gb.vendor.payment_detail_change.authorize.v1"
const US_CHANGE = "us.vendor.payment_detail_change.authorize.v1"
const CONTINUATION = "us.vendor.authorization.continue.v1"
const AUTHORIZATION = "us.payment.authorize.v1"

const bodyOf = (product: string) => rowOf(product).body() as unknown as Body

/** Evidence becomes older than the policy allows this long after its quote, in ms. */
const AGING = 1500
const AGED = AGING + 100
const agingBinding = () => ({
  ...bindingEvidence(Date.now()),
  reference: freshReference("age"),
  verified_at: at(AGING - 90 * DAY),
  valid_until: at(DAY),
})
const agingChallenge = () => challenge({ verified_at: at(AGING - 24 * HOUR), valid_until: at(DAY) })
const gbPayee = (body: Body) => within(body, "payee", { binding_evidence: agingBinding() })

const AUTHORIZED_LONG_AGO = { prior_authorization_reference: executionId("A") }

/** Evidence whose age passes the limit of the policy during the quote. */
const AGES: readonly (readonly [product: string, code: string, body: () => object])[] = [
  [PAYEE, "PAYEE_BINDING_TOO_OLD", () => ({ ...bodyOf(PAYEE), binding_evidence: agingBinding() })],
  [GB_PAYMENT, "PAYEE_BINDING_TOO_OLD", () => gbPayee(bodyOf(GB_PAYMENT))],
  [
    GB_PAYMENT,
    "CHALLENGE_NOT_FRESH",
    () => within(bodyOf(GB_PAYMENT), "vendor_change", { challenge: agingChallenge(), ...AUTHORIZED_LONG_AGO }),
  ],
  [
    GB_CHANGE,
    "CHALLENGE_NOT_FRESH",
    () => ({ ...bodyOf(GB_CHANGE), challenge: agingChallenge(), ...AUTHORIZED_LONG_AGO }),
  ],
  [US_CHANGE, "CHALLENGE_NOT_FRESH", () => vendorChangeBody({ challenge: agingChallenge() })],
]

describe.each(AGES)("%s with evidence that becomes %s", (product, code, body) => {
  const undecided = { status: 200, code: null, reasons: [code] }

  test("during the quote is not settled", async () => {
    const [server] = servers.servers
    const purchase = purchaseOf(rowOf(product), body())
    const payment = await signedFor(server, purchase)
    await Bun.sleep(AGED)
    const before = await servers.traces()
    expect(await unsoldWhenPaid(server, purchase, payment)).toMatchObject(undecided)
    expect(await servers.traces()).toEqual(before)
  })

  test("between the reservation and the decision is not settled", async () => {
    const [server] = servers.servers
    const purchase = purchaseOf(rowOf(product), body())
    const payment = await signedFor(server, purchase)
    const before = await servers.paid()
    const { reserved, goOn } = servers.holdAfterReserve()
    const answer = unsoldWhenPaid(server, purchase, payment)
    await Promise.race([reserved, answer])
    await Bun.sleep(AGED)
    goOn()
    expect(await answer).toMatchObject(undecided)
    expect(await servers.paid()).toEqual(before)
  })

  test("during the quote is delivered with the old row after the money has moved", async () => {
    const [server] = servers.servers
    const purchase = purchaseOf(rowOf(product), body())
    const payment = await signedFor(server, purchase)
    await frontRun(servers.chain, payment)
    await Bun.sleep(AGED)
    const { status, answer } = await buyAnswer(server, purchase, payment)
    expect([status, answer.decision, answer.reason_codes]).toEqual([200, "REVIEW", [code, "LIMITED_COVERAGE"]])
  })
})

/** A record that a quoted request names ends before the payment. Each returns the request, and what ends its record. */
interface Ending {
  readonly body: object
  end(): Promise<unknown> | unknown
}
const used = async (product: string): Promise<Ending> => {
  const [contention] = Object.values(rowOf(product).contended)
  const [body, other] = contention?.bodies(2) ?? []
  if (!body || !other) throw new Error(`${product} needs nothing that another request may use up`)
  return { body, end: () => approved(servers.servers[0], purchaseOf(rowOf(product), other)) }
}
const ENDINGS: readonly (readonly [product: string, what: string, code: string, open: () => Promise<Ending>])[] = [
  [
    AUTHORIZATION,
    "an approval that ends",
    "SUPPLIER_APPROVAL_EXPIRED",
    async () => {
      const [server] = servers.servers
      const id = executionId("W")
      const approval = { product: SUPPLIER_APPROVAL_PRODUCT, ...companySubject(usBody().company) }
      await enterAnswer(server, { ...approval, executionId: id, validUntil: at(HOUR) })
      const end = () =>
        server.database.write("UPDATE answer_record SET valid_until = ? WHERE execution_id = ?", at(-SECOND), id)
      return { body: { ...bodyOf(AUTHORIZATION), supplier_approval_reference: id }, end }
    },
  ],
  [
    CONTINUATION,
    "an authorization that its holder takes back",
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    async () => {
      const [server] = servers.servers
      const id = await approved(server, purchaseOf(rowOf(US_CHANGE), vendorChangeBody()))
      return {
        body: { ...bodyOf(CONTINUATION), prior_authorization_reference: id },
        end: () => revokeChange(server, id),
      }
    },
  ],
  [
    GB_CHANGE,
    "a change that its holder takes back",
    "PRIOR_AUTHORIZATION_NOT_FOUND",
    async () => {
      const [server] = servers.servers
      const id = await approved(server, purchaseOf(rowOf(GB_CHANGE), rowOf(GB_CHANGE).body()))
      const body = {
        ...bodyOf(GB_CHANGE),
        current_payee_fingerprint: GB_OTHER_PAYEE,
        proposed_payee_fingerprint: GB_PAYEE,
        prior_authorization_reference: id,
        challenge: challenge({ verified_at: at(0) }),
      }
      return { body, end: () => revokeChange(server, id) }
    },
  ],
  [GB_PAYMENT, "a challenge that another request uses up", "CHALLENGE_REUSED", () => used(GB_PAYMENT)],
  [GB_CHANGE, "a challenge that another request uses up", "CHALLENGE_REUSED", () => used(GB_CHANGE)],
  [US_CHANGE, "a challenge that another request uses up", "CHALLENGE_REUSED", () => used(US_CHANGE)],
]

test.each(ENDINGS)("%s is not settled on %s during the quote", async (product, _what, code, open) => {
  const [server] = servers.servers
  const { body, end } = await open()
  const purchase = purchaseOf(rowOf(product), body)
  const payment = await signedFor(server, purchase)
  await end()
  const before = await servers.traces()
  const answer = await unsoldWhenPaid(server, purchase, payment)
  expect(answer).toMatchObject({ status: 409, code: "REFERENCE_NOT_USABLE", reasons: [code] })
  expect(await servers.traces()).toEqual(before)
})

describe("met on a running service, each with its eligibility:", () => {
  const MET: readonly (readonly [
    name: string,
    product: string,
    body: () => object,
    expected: object,
    lines: object,
  ])[] = [
    [
      "a UK payment on binding evidence that ended yesterday",
      GB_PAYMENT,
      () =>
        gbPaymentBody({ payee: { ...gbPaymentBody().payee, binding_evidence: binding({ valid_until: at(-DAY) }) } }),
      endedEvidence("PAYEE_BINDING_EXPIRED"),
      { EVIDENCE_END: "PAYEE_BINDING_EXPIRED" },
    ],
    [
      "a UK change that names an authorization nobody ever got",
      GB_CHANGE,
      () => gbChangeBody({ prior_authorization_reference: executionId("Z") }),
      deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"),
      { OWN_RECORDS: "REFERENCE_NOT_USABLE" },
    ],
    [
      "a US payment with an unknown approval",
      AUTHORIZATION,
      () => ({ ...bodyOf(AUTHORIZATION), supplier_approval_reference: executionId("Z") }),
      deadReference("SUPPLIER_APPROVAL_NOT_FOUND"),
      { OWN_RECORDS: "REFERENCE_NOT_USABLE" },
    ],
  ]

  test.each(MET)("%s is neither eligible nor quoted nor settled", async (_name, product, body, expected, failed) => {
    const [server] = servers.servers
    const before = await servers.traces()
    const purchase = purchaseOf(rowOf(product), body())
    const lines: AnswerEligibilityResponse = await (
      await server.post(purchase.body, purchase.headers, `${purchase.path}/eligibility`)
    ).json()
    const notPassed = lines.checks.filter(({ state }) => state === "FAILED").map((line) => [line.check_id, line.code])
    expect([lines.eligible, Object.fromEntries(notPassed)]).toEqual([false, failed])
    expect(await unsold(server, purchase)).toMatchObject(expected)
    const payment = await signedUnderEarlierQuote(server, rowOf(product), purchase)
    const { quoted, ...refused } = expected as Unsold
    expect(await unsoldWhenPaid(server, purchase, payment)).toMatchObject(refused)
    expect([quoted, await servers.traces()]).toEqual([false, before])
  })
})
