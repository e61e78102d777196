/** The effect of an authorized change of destination on a Payment Decision, and of the decision on the authorization (rulings 47, 48). */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { formatInstant, HOUR, SECOND } from "../../../../src/core/time.ts"
import type { TokenBinding } from "../../../../src/core/token-binding.ts"
import { redeemToken } from "../../../../src/store/tokens/token-moves.ts"
import { freshKey } from "../../../fixtures/answers.ts"
import { AGENT_ID, agentKey, testKey } from "../../../fixtures/buyers.ts"
import { atLength } from "../../../fixtures/long.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, staticBoard } from "../../../fixtures/test-server.ts"
import { enterChangeKey } from "../../../fixtures/vendor-change.ts"
import { buyChange, newDestination, payingAt, tokenOf } from "./bought-changes.ts"
import { buyChecked, newSupplier } from "./deliveries.ts"
import { enterDelegation, healthyBoard, LISTED, openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

/** Decisions that race for one authorization. */
const AT_ONCE = atLength(20, 100)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await seller.chain.mint(sellerPayer, 200_000_000n)
  await enterChangeKey(seller.server)
})
afterAll(() => seller.close())
const sellerPayer = freshRequest().decision_fee_payer as `0x${string}`

const FIRST = ["FIRST_PAYMENT_TO_DESTINATION", "LIMITED_COVERAGE"]
const CHANGED = ["DESTINATION_CHANGED_WITHOUT_AUTHORIZATION", "LIMITED_COVERAGE"]

/** A supplier that was paid at `from` an hour ago. */
async function paidSupplier() {
  const [supplier, from] = [newSupplier(), newDestination()]
  const change = await buyChange(seller, supplier, from)
  const paid = await buyChecked(seller, { request: payingAt(supplier, from, change.reference) })
  expect(paid.response.decision).toBe("ALLOW")
  const past = formatInstant(Date.now() - HOUR)
  await seller.sql(
    "UPDATE authorization_record SET decided_at = ? WHERE decision_id = ?",
    past,
    paid.response.decision_id,
  )
  await seller.sql("UPDATE answer_record SET decided_at = ? WHERE execution_id = ?", past, change.answer.execution_id)
  await seller.sql(
    "UPDATE authorization_token SET changed_at = ? WHERE execution_id = ?",
    past,
    change.answer.execution_id,
  )
  const prior = {
    current_payee_fingerprint: from.fingerprint,
    prior_authorization_reference: change.answer.execution_id,
  }
  return { supplier, from, prior }
}

describe("a change authorization named in a request", () => {
  test("lifts the reason of a first payment, is spent by that decision, and makes its destination known afterwards", async () => {
    const [supplier, to] = [newSupplier(), newDestination()]
    const change = await buyChange(seller, supplier, to)
    expect(await tokenOf(seller, change)).toEqual({ state: "ISSUED", spent_by: null })
    const { response, facts } = await buyChecked(seller, { request: payingAt(supplier, to, change.reference) })
    expect(response.decision).toBe("ALLOW")
    expect(facts.resolved_references).toMatchObject([{ kind: "CHANGE_AUTHORIZATION", reference: change.reference }])
    expect(await tokenOf(seller, change)).toEqual({ state: "SPENT", spent_by: response.decision_request_id })

    const next = await buyChecked(seller, { request: payingAt(supplier, to) })
    expect(next.response.decision).toBe("ALLOW")
    expect(next.response.checks_waived).toContainEqual(expect.objectContaining({ reason: "DESTINATION_UNCHANGED" }))
    expect(next.facts.known_destinations.map(({ basis }) => basis).sort()).toEqual(["ALLOW", "CHANGE_AUTHORIZATION"])
  })

  test("lifts the reason of a change from the last paid destination, once", async () => {
    const { supplier, prior } = await paidSupplier()
    const to = newDestination()
    expect((await buyChecked(seller, { request: payingAt(supplier, to) })).response.reason_codes).toEqual(CHANGED)
    const change = await buyChange(seller, supplier, to, prior)
    expect(change.answer.decision).toBe("APPROVE")
    expect((await buyChecked(seller, { request: payingAt(supplier, to, change.reference) })).response.decision).toBe(
      "ALLOW",
    )
    const elsewhere = newDestination()
    const again = await buyChecked(seller, { request: payingAt(supplier, elsewhere, change.reference) })
    expect(again.response.reason_codes).toEqual(CHANGED)
  })

  test("is spent also by a decision that holds the payment for another reason, because what it proved stays proved", async () => {
    const [supplier, to] = [newSupplier(), newDestination()]
    const change = await buyChange(seller, supplier, to)
    const request = { ...payingAt(supplier, to, change.reference), payee: newDestination() }
    expect((await buyChecked(seller, { request })).response.reason_codes).toEqual([
      "DESTINATION_DIFFERS_FROM_PAYEE",
      "LIMITED_COVERAGE",
    ])
    expect((await tokenOf(seller, change)).state).toBe("SPENT")
    const { facts } = await buyChecked(seller, { request: payingAt(supplier, to) })
    expect(facts.known_destinations.map(({ basis }) => basis)).toEqual(["CHANGE_AUTHORIZATION"])
  })

  test("remains unspent where it is not needed: the destination is known, or another one named first is used", async () => {
    const [supplier, to] = [newSupplier(), newDestination()]
    const [first, second] = [await buyChange(seller, supplier, to), await buyChange(seller, supplier, to)]
    const both = payingAt(supplier, to, first.reference, second.reference)
    expect((await buyChecked(seller, { request: both })).response.decision).toBe("ALLOW")
    expect([(await tokenOf(seller, first)).state, (await tokenOf(seller, second)).state]).toEqual(["SPENT", "ISSUED"])
    await buyChecked(seller, { request: payingAt(supplier, to, second.reference) })
    expect((await tokenOf(seller, second)).state).toBe("ISSUED")
  })
})

describe("a change authorization has no effect and is not spent", () => {
  const unused = async (
    supplier: ReturnType<typeof newSupplier>,
    to: ReturnType<typeof newDestination>,
    change: Awaited<ReturnType<typeof buyChange>>,
    state = "ISSUED",
  ) => {
    const { response, facts } = await buyChecked(seller, { request: payingAt(supplier, to, change.reference) })
    expect(facts.resolved_references).toEqual([])
    expect((await tokenOf(seller, change)).state).toBe(state)
    return response.reason_codes
  }

  test("if the request's own key signed it", async () => {
    await enterDelegation(seller, agentKey, { scope: ["AUTHORIZE_DESTINATION_CHANGE"] })
    const [supplier, to] = [newSupplier(), newDestination()]
    const change = await buyChange(seller, supplier, to, {}, { key: { ...agentKey, issuer: AGENT_ID } })
    expect(await unused(supplier, to, change)).toEqual(FIRST)
  })

  test("if it was bought for another organization", async () => {
    const [supplier, to] = [newSupplier(), newDestination()]
    const change = await buyChange(seller, supplier, to)
    await seller.sql(
      "UPDATE answer_record SET organization_id = 'org:example:other' WHERE core_digest = ?",
      change.reference,
    )
    expect(await unused(supplier, to, change)).toEqual(FIRST)
  })

  test("if it is about another supplier or another destination", async () => {
    const [supplier, to] = [newSupplier(), newDestination()]
    expect(await unused(newSupplier(), to, await buyChange(seller, supplier, to))).toEqual(FIRST)
    expect(await unused(supplier, newDestination(), await buyChange(seller, supplier, to))).toEqual(FIRST)
  })

  test("if it changes another destination than the last paid one", async () => {
    const { supplier } = await paidSupplier()
    const to = newDestination()
    expect(await unused(supplier, to, await buyChange(seller, supplier, to))).toEqual(CHANGED)
  })

  test("if it has expired, or was revoked or redeemed", async () => {
    for (const [change, state] of [
      [`expires_at = '${formatInstant(Date.now() - SECOND)}'`, "ISSUED"],
      [
        "state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd'",
        "REVOKED",
      ],
    ] as const) {
      const [supplier, to] = [newSupplier(), newDestination()]
      const bought = await buyChange(seller, supplier, to)
      await seller.sql(`UPDATE authorization_token SET ${change} WHERE execution_id = ?`, bought.answer.execution_id)
      expect(await unused(supplier, to, bought, state)).toEqual(FIRST)
    }
  })

  test("if its holder redeemed it, which proves neither a statement of the holder's own key nor a change other than the last", async () => {
    const redeem = async ({ answer }: Awaited<ReturnType<typeof buyChange>>, current: string | null = null) => {
      const { authorization_token: token, supplier_key, proposed_payee_fingerprint } = answer.result
      const bound = {
        supplier_key,
        proposed_payee_fingerprint,
        current_payee_fingerprint: current,
        wallet: sellerPayer,
      }
      const requests = {
        country: "US",
        idempotencyKey: freshKey(),
        requestDigest: digestOf(bound),
        at: Date.now(),
      } as const
      const hash = tokenHash(String(token))
      const told = await seller.server.store.run(() =>
        redeemToken({ ...requests, tokenHash: hash, binding: bound as TokenBinding }),
      )
      expect(told.kind).toBe("DONE")
    }
    await enterDelegation(seller, agentKey, { scope: ["AUTHORIZE_DESTINATION_CHANGE"] })
    const [supplier, to] = [newSupplier(), newDestination()]
    const own = await buyChange(seller, supplier, to, {}, { key: { ...agentKey, issuer: AGENT_ID } })
    await redeem(own)
    expect(await unused(supplier, to, own, "SPENT")).toEqual(FIRST)

    const { supplier: paid, prior } = await paidSupplier()
    const elsewhere = newDestination()
    const first = await buyChange(seller, paid, elsewhere)
    await redeem(first)
    expect(await unused(paid, elsewhere, first, "SPENT")).toEqual(CHANGED)
    const changed = await buyChange(seller, paid, elsewhere, prior)
    await redeem(changed, prior.current_payee_fingerprint)
    expect((await buyChecked(seller, { request: payingAt(paid, elsewhere) })).response.decision).toBe("ALLOW")
  })

  test("if the answer was a REVIEW, because nobody can screen the vendor's name", async () => {
    const to = newDestination()
    const supplier = { ...newSupplier(), legal_name: "LLC" }
    const review = await buyChange(seller, supplier, to)
    expect(review.answer.decision).toBe("REVIEW")
    const { response } = await buyChecked(seller, { request: payingAt(supplier, to, review.reference) })
    expect(response.reason_codes).toEqual(expect.arrayContaining([...FIRST]))
  })
})

describe("a lost change key", () => {
  test("makes its signatures since then count for nothing, spent or not, and keeps those from before", async () => {
    const key = testKey(`svc:agent:${"e".repeat(32)}`, 83)
    await enterChangeKey(seller.server, {}, { key })
    const made = async () => {
      const [supplier, to] = [newSupplier(), newDestination()]
      return { supplier, to, change: await buyChange(seller, supplier, to, {}, { key }) }
    }
    const [spent, unspent, before] = [await made(), await made(), await made()]
    await buyChecked(seller, { request: payingAt(spent.supplier, spent.to, spent.change.reference) })
    await seller.sql(
      "DELETE FROM authorization_record WHERE supplier_key = ?",
      `uei:${spent.supplier.identifiers["uei"]}`,
    )
    await seller.sql(
      "UPDATE answer_record SET decided_at = ? WHERE core_digest = ?",
      formatInstant(Date.now() - 2 * HOUR),
      before.change.reference,
    )
    await seller.sql(
      "UPDATE supplier_identifier SET graded_at = ?2 WHERE request_id = (SELECT request_id FROM answer_record WHERE core_digest = ?1)",
      before.change.reference,
      formatInstant(Date.now() - 2 * HOUR),
    )
    await seller.sql(
      "UPDATE agent_key SET compromised_since = ? WHERE key_id = ?",
      formatInstant(Date.now() - HOUR),
      key.keyId,
    )
    const codes = async ({ supplier, to, change }: typeof spent) =>
      (await buyChecked(seller, { request: payingAt(supplier, to, change.reference) })).response.reason_codes
    expect(await codes(spent)).toEqual(FIRST)
    expect(await codes(unspent)).toEqual(FIRST)
    expect((await tokenOf(seller, unspent.change)).state).toBe("ISSUED")
    expect(await codes(before)).not.toEqual(FIRST)
  })
})

test("an attempt that ends unpaid releases its change authorization, and the same payment then uses it", async () => {
  const [supplier, to] = [newSupplier(), newDestination()]
  const change = await buyChange(seller, supplier, to)
  const request = freshRequest({ request: payingAt(supplier, to, change.reference) })
  const payment = await signedHeader(seller.server, request)
  const sick = staticBoard(LISTED, (state) => ({ ...state, health: "STALE", reasonCodes: ["SOURCE_STALE"] }))
  let requests = 0
  // Healthy when the payment is checked, stale when the decision is made.
  seller.useBoard({ index: healthyBoard.index, states: (at) => (requests++ === 0 ? healthyBoard : sick).states(at) })
  const failed = await seller.server.post(request, payment)
  seller.useBoard(healthyBoard)
  expect(failed.status).toBe(503)
  expect((await tokenOf(seller, change)).state).toBe("ISSUED")
  expect(await seller.count("authority_hold", "kind = 'CHANGE_AUTHORIZATION' AND spent = 0")).toBe(0)
  const answer = await seller.server.post(request, payment)
  expect((await answer.json()) as unknown).toMatchObject({ decision: "ALLOW" })
  expect((await tokenOf(seller, change)).state).toBe("SPENT")
})

test(`of ${AT_ONCE} simultaneous decisions that name one change authorization exactly one uses it`, async () => {
  const [supplier, to] = [newSupplier(), newDestination()]
  const change = await buyChange(seller, supplier, to)
  const requests = Array.from({ length: AT_ONCE }, () =>
    freshRequest({ request: payingAt(supplier, to, change.reference) }),
  )
  const payments = await Promise.all(requests.map((request) => signedHeader(seller.server, request)))
  const present = async (index: number): Promise<Response> => {
    const answer = await seller.server.post(requests[index], payments[index])
    // A node with many simultaneous callers may be too slow for some of them; nothing was reserved then.
    return answer.status === 503 ? present(index) : answer
  }
  const answers = await Promise.all(requests.map((_, index) => present(index)))
  const refused = answers.filter(({ status }) => status === 409)
  for (const answer of refused) expect((await answer.json()) as unknown).toMatchObject({ code: "DECISION_IN_PROGRESS" })
  expect(answers.map(({ status }) => status).filter((status) => ![200, 202, 409].includes(status))).toEqual([])
  const naming = `%"kind":"CHANGE_AUTHORIZATION"%${change.reference}%`
  expect(await seller.count("delivery", "facts_json LIKE ?", naming)).toBe(1)
  expect((await tokenOf(seller, change)).state).toBe("SPENT")
})
