/**
 * Rule 8 for a product whose records belong to the payer. Before the payment's signature verifies, the service reveals nothing; afterwards
 * it sells no second authorization of an obligation while one is valid.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { AnswerCapsule } from "../../../../schemas/answer-capsule.ts"
import type { PaymentAuthorizationRequest } from "../../../../schemas/us/payment-authorization.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { frontRun, reconcileUntilQuiet } from "../../../delivery/selling-bench.ts"
import { type Bought, buyAnswer, freshKey, type Payer, signedFor } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { destination } from "../../../fixtures/decision.ts"
import { reconcileOnce } from "../../../fixtures/reconcile-round.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { decodeHeader } from "../../../fixtures/test-server.ts"
import { openSeller, type Problem, type Seller } from "../payment-decision/seller.ts"
import { approvalBody } from "../supplier-approval/reasons.ts"
import { authorizationBody } from "./reasons.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)
const PATH = "/v1/us/payments/authorize"
const { payer, secondPayer, relayer } = DEV_ACCOUNTS

let seller: Seller
let approval: string
let theirApproval: string
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(secondPayer.address, 100_000_000n)
  const approve = async (by: Payer) => {
    const purchase = { path: "/v1/us/suppliers/approve", body: approvalBody() }
    return (await buyAnswer(seller.server, purchase, await signedFor(seller.server, purchase, by))).answer.execution_id
  }
  approval = await approve(payer)
  theirApproval = await approve(secondPayer)
})
afterAll(() => seller.close())

interface Named extends Problem {
  readonly decision_id?: string
  readonly next_machine_action: string
}

function body(changes: Partial<PaymentAuthorizationRequest> = {}): PaymentAuthorizationRequest {
  const id = freshKey()
  return authorizationBody({
    supplier_approval_reference: approval,
    invoice: { obligation_id: id, document_digest: digestOf(id) },
    ...changes,
  })
}
const again = (first: PaymentAuthorizationRequest, changes: Partial<PaymentAuthorizationRequest> = {}) =>
  body({ invoice: first.invoice, ...changes })
const purchaseOf = (request: PaymentAuthorizationRequest) => ({ path: PATH, body: request })
const sign = (request: PaymentAuthorizationRequest, by: Payer = payer) =>
  signedFor(seller.server, purchaseOf(request), by)

async function buy(request: PaymentAuthorizationRequest, by: Payer = payer): Promise<Bought> {
  const bought = await buyAnswer(seller.server, purchaseOf(request), await sign(request, by))
  expect([bought.status, bought.answer.decision]).toEqual([200, "APPROVE"])
  return bought
}

const coreDigestOf = ({ headers }: Bought): string =>
  decodeHeader<AnswerCapsule>(headers.get("svc-proof-capsule")).payload.core_digest

const refused = async (request: PaymentAuthorizationRequest, payment: Record<string, string>) => {
  const { status, problem } = await seller.refused(request, payment, PATH)
  return { status, ...(problem as Named) }
}

const named = (bought: Bought) => ({
  status: 409,
  code: "REUSABLE_DECISION_EXISTS",
  charged: false,
  next_machine_action: "USE_EARLIER_DECISION",
  decision_id: bought.answer.execution_id,
  response_digest: coreDigestOf(bought),
  valid_until: bought.answer.valid_until,
})
const stopped = (...pointers: string[]) => ({
  status: 409,
  code: "OBLIGATION_ALREADY_AUTHORIZED",
  next_machine_action: "STOP",
  errors: pointers.map((pointer) => ({ pointer, code: "DIFFERS_FROM_AUTHORIZATION" })),
})
const NAMELESS = ["decision_id", "response_digest", "valid_until", "recover"]
function expectNameless(problem: object): void {
  for (const member of NAMELESS) expect(problem).not.toHaveProperty(member)
}

describe("while an authorization is valid, the payer cannot buy another one for the obligation", () => {
  test("for the same payment: the payment is refused uncharged, and the refusal names the authorization to its payer", async () => {
    const first = body()
    const bought = await buy(first)
    const request = again(first)
    expect(await refused(request, await sign(request))).toMatchObject(named(bought))
  })

  test("with another spelling of the amount, the obligation or the document", async () => {
    const first = body()
    const bought = await buy(first)
    const obligation_id = ` ${first.invoice.obligation_id.toUpperCase()}`
    const request = again(first, {
      amount: `${first.amount}00`,
      invoice: { obligation_id, document_digest: digestOf("another scan") },
    })
    expect(await refused(request, await sign(request))).toMatchObject(named(bought))
  })

  test.each([
    ["more", "fewer"],
    ["fewer", "more"],
  ] as const)("with one identifier %s and then one %s, because the supplier is the same", async (before, after) => {
    const { company } = body()
    const lei = "5493001KJTIIGC8Y1R12"
    const companies = { fewer: company, more: { ...company, identifiers: { ...company.identifiers, lei } } }
    const approvalOf = async (named: typeof company) => {
      const purchase = { path: "/v1/us/suppliers/approve", body: { ...approvalBody(), company: named } }
      return (await buyAnswer(seller.server, purchase, await signedFor(seller.server, purchase))).answer.execution_id
    }
    const supplier_approval_reference = await approvalOf(companies[before])
    const first = body({ company: companies[before], supplier_approval_reference })
    const bought = await buy(first)
    const other = await approvalOf(companies[after])
    const request = again(first, { company: companies[after], supplier_approval_reference: other })
    expect(await refused(request, await sign(request))).toMatchObject(named(bought))
  })

  test.each<[string, Partial<PaymentAuthorizationRequest>, string[]]>([
    ["amount", { amount: "12499.99" }, ["/amount"]],
    ["currency", { currency: "EUR" }, ["/currency"]],
    ["payee", { payee_fingerprint: destination(`0x${"cd".repeat(20)}`).fingerprint }, ["/payee_fingerprint"]],
  ])("for another %s, and the refusal calls nothing reusable", async (_what, changes, pointers) => {
    const first = body()
    await buy(first)
    const request = again(first, changes)
    const problem = await refused(request, await sign(request))
    expect(problem).toMatchObject(stopped(...pointers))
    expectNameless(problem)
  })

  test("after the token was redeemed, and the refusal does not call it reusable", async () => {
    const first = body()
    const bought = await buy(first)
    await seller.sql(
      "UPDATE authorization_token SET state = 'SPENT', changed_at = 't', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
      bought.answer.execution_id,
    )
    const request = again(first)
    const problem = await refused(request, await sign(request))
    expect(problem).toMatchObject({ ...stopped(), reason_codes: ["AUTHORIZATION_USED"] })
    expectNameless(problem)
  })

  test("with a quote older than the authorization", async () => {
    const first = body()
    const request = again(first)
    const payment = await sign(request)
    const bought = await buy(first)
    expect(await refused(request, payment)).toMatchObject(named(bought))
  })
})

describe("a caller who has not proved to be the payer learns nothing", () => {
  test("and gets a quote, because nobody knows yet who will pay", async () => {
    const first = body()
    await buy(first)
    expect((await seller.server.post(again(first), {}, PATH)).status).toBe(402)
  })

  test("and another payer buys an authorization of its own", async () => {
    const first = body()
    await buy(first)
    await buy(again(first, { supplier_approval_reference: theirApproval }), secondPayer)
  })

  test("and an invalid signature gets a quote", async () => {
    const first = body()
    await buy(first)
    const request = again(first)
    const payment = await sign(request)
    const payload = decodeHeader<{ payload: { signature: string } }>(payment["payment-signature"] ?? null)
    payload.payload.signature = `0x${"11".repeat(64)}1b`
    const header = { "payment-signature": Buffer.from(JSON.stringify(payload)).toString("base64") }
    const answer = await seller.server.post(request, header, PATH)
    expect([answer.status, (await answer.text()).includes("exe_")]).toEqual([402, false])
  })
})

describe("a payment whose money has moved, or that was presented before,", () => {
  const blocked = { decision: "BLOCK", reason_codes: ["OBLIGATION_ALREADY_AUTHORIZED", "LIMITED_COVERAGE"] }

  test("and used on the chain gets a BLOCK answer", async () => {
    const first = body()
    const request = again(first)
    const payment = await sign(request)
    await buy(first)
    await frontRun(seller.chain, payment)
    const { transfers } = await seller.state()
    const { status, answer } = await buyAnswer(seller.server, purchaseOf(request), payment)
    expect(status).toBe(200)
    expect(answer).toMatchObject(blocked)
    expect((await seller.state()).transfers).toBe(transfers)
  })

  test("and released but later paid gets a BLOCK answer", async () => {
    for (const worker of seller.server.workers) await worker.stop()
    const first = body()
    const request = again(first)
    const payment = await givenUp(request)
    await buy(first)
    await frontRun(seller.chain, payment)
    await seller.chain.mine(2)
    await reconcileOnce(seller.server.deps)
    await reconcileUntilQuiet(seller.server)
    const { status, answer } = await buyAnswer(seller.server, purchaseOf(request), payment)
    expect(status).toBe(200)
    expect(answer).toMatchObject(blocked)
  })

  test("and released unused is refused uncharged, and the authorization is not named, because the header may be a copy", async () => {
    const first = body()
    const request = again(first)
    const payment = await givenUp(request)
    await buy(first)
    const problem = await refused(request, payment)
    expect(problem).toMatchObject({ ...stopped() })
    expectNameless(problem)
  })

  async function givenUp(request: PaymentAuthorizationRequest): Promise<Record<string, string>> {
    const payment = await sign(request)
    await seller.chain.setEtherBalance(relayer.address, 0n)
    expect((await seller.server.post(request, payment, PATH)).status).toBe(503)
    await seller.chain.setEtherBalance(relayer.address, 10n ** 20n)
    return payment
  }
})

describe("rule 8 does not forbid", () => {
  test("another purchase for an obligation whose authorization has ended, or that was only refused", async () => {
    const first = body()
    const reviewed = again(first, { supplier_approval_reference: "not approved yet" })
    expect((await seller.refused(reviewed, {}, PATH)).code).toBe("REFERENCE_NOT_USABLE")
    const bought = await buy(first)
    await seller.sql(
      "UPDATE answer_record SET valid_until = '2026-01-01T00:00:00.000Z' WHERE execution_id = ?",
      bought.answer.execution_id,
    )
    const request = again(first)
    expect((await buyAnswer(seller.server, purchaseOf(request), await sign(request))).answer.reason_codes).toEqual([
      "OBLIGATION_AUTHORIZED_BEFORE",
      "LIMITED_COVERAGE",
    ])
  })

  test("the payment that bought it, presented again, or another authorization of its payer for the same request", async () => {
    const first = body()
    const bought = await buy(first)
    const repeated = await buyAnswer(seller.server, purchaseOf(first), bought.payment)
    expect(repeated.answer).toEqual({ ...bought.answer, replayed: true })
    const other = await buyAnswer(seller.server, purchaseOf(first), await sign(first))
    expect([other.status, other.answer.execution_id]).toEqual([200, bought.answer.execution_id])
  })

  test("another check, approval or verification: each is a new purchase", async () => {
    for (const path of ["/v1/us/company-check", "/v1/us/suppliers/approve"]) {
      const request = () => (path.endsWith("approve") ? approvalBody() : { ...approvalBody(), risk_policy: undefined })
      const { transfers } = await seller.state()
      for (let n = 0; n < 2; n++) {
        const purchase = { path, body: JSON.parse(JSON.stringify(request())) as object }
        expect((await buyAnswer(seller.server, purchase, await signedFor(seller.server, purchase))).status).toBe(200)
      }
      expect((await seller.state()).transfers).toBe(transfers + 2)
    }
  })
})
