/** One supplier is one supplier, however a request names it: fewer or more identifiers, another name, another entity id. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { DecisionRequest } from "../../../../../schemas/us/payment-decision.ts"
import { destination } from "../../../../fixtures/decision.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { freshRequest } from "../../../../fixtures/test-server.ts"
import { buyChecked, HIGH, raiseTolerance } from "../deliveries.ts"
import { openSeller, type Seller } from "../seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
})
afterAll(() => seller.close())

const LEI = "5493001KJTIIGC8Y1R12"
const X = destination()
const Y = destination(`0x${"cd".repeat(20)}`)

type Supplier = DecisionRequest["supplier"]
let serial = 0

/** A supplier that this organization never named. */
function stranger(): { readonly uei: string; readonly cage: string; readonly supplier: Supplier } {
  serial++
  const [uei, cage] = [`XAMPLE${String(serial).padStart(6, "2")}`, `7${String(serial).padStart(4, "A")}`]
  const supplier = {
    entity_id: `supplier:same-${serial}`,
    legal_name: `Northwind Calibration Works ${"ABCDEFGHIJKLMNOP".charAt(serial)} LLC`,
    identifiers: { uei, cage },
  }
  return { uei, cage, supplier }
}

const requestTo = (to: typeof X, supplier: Supplier): Partial<DecisionRequest> => ({
  supplier,
  risk_policy: HIGH,
  payee: to,
  payment_destination: to,
})
const decided = async (to: typeof X, supplier: Supplier) => {
  const { response } = await buyChecked(seller, { request: requestTo(to, supplier) })
  return [response.decision, response.machine_action, response.reason_codes[0]]
}

const RELEASED = ["ALLOW", "RELEASE_PAYMENT", "CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE"]
const CONTROL = ["ALLOW", "RELEASE_PAYMENT", "FIRST_PAYMENT_TO_DESTINATION"]
const HELD = ["HOLD", "HOLD_PAYMENT", "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION"]

describe("after uei and cage were paid to X at tolerance HIGH, Y is held", () => {
  const OTHERWISE: readonly (readonly [string, (known: ReturnType<typeof stranger>) => Supplier])[] = [
    ["as before", ({ supplier }) => supplier],
    ["cage alone", ({ supplier, cage }) => ({ ...supplier, identifiers: { cage } })],
    [
      "uei alone and a new entity id",
      ({ supplier, uei }) => ({ ...supplier, entity_id: "e:new-1", identifiers: { uei } }),
    ],
    [
      "with an LEI of valid check digits and a new entity id",
      ({ supplier }) => ({ ...supplier, entity_id: "e:new-2", identifiers: { ...supplier.identifiers, lei: LEI } }),
    ],
    [
      "an invented uei with its name",
      ({ supplier }) => ({ ...supplier, entity_id: "e:new-3", identifiers: { uei: "XAMPLE9ZZZZ9" } }),
    ],
  ]
  test.each(OTHERWISE)("named %s", async (_what, otherwise) => {
    const known = stranger()
    expect((await decided(X, known.supplier)).slice(0, 2)).toEqual(CONTROL.slice(0, 2))
    expect(await decided(Y, otherwise(known))).toEqual(HELD)
  })
})

test("one anchor of the supplier is answered as all of them", async () => {
  const { supplier, uei, cage } = stranger()
  await decided(X, supplier)
  expect(await decided(X, { ...supplier, identifiers: { cage } })).toEqual(RELEASED)
  expect(await decided(X, { ...supplier, identifiers: { uei }, entity_id: `${supplier.entity_id}-b` })).toEqual(
    RELEASED,
  )
})

test("another legal name under a known uei is refused, with any other identifier beside it", async () => {
  const { supplier, uei, cage } = stranger()
  await decided(X, supplier)
  for (const identifiers of [{ uei }, { cage }, { cage, lei: "529900T8BM49AURSDO55" }]) {
    const request = freshRequest({
      request: requestTo(X, { ...supplier, identifiers, legal_name: "Quarry Seven Pumps Inc" }),
    })
    const { status, code, problem } = await seller.refused(request)
    expect([status, code, problem.errors.map(({ pointer }) => pointer)]).toEqual([
      409,
      "IDENTITY_COLLISION",
      ["/supplier/legal_name"],
    ])
  }
})

test("identifiers of two suppliers, and a second value of a scheme, are refused with pointers and without values", async () => {
  const [one, two] = [stranger(), stranger()]
  await decided(X, one.supplier)
  await decided(Y, two.supplier)
  const refusedFor = async (identifiers: Supplier["identifiers"], name: Supplier) => {
    const { status, code, problem } = await seller.refused(
      freshRequest({ request: requestTo(X, { ...name, identifiers }) }),
    )
    expect([status, code]).toEqual([409, "IDENTITY_COLLISION"])
    expect(JSON.stringify(problem)).not.toContain(two.cage)
    return problem.errors.map(({ pointer }) => pointer)
  }
  expect(await refusedFor({ uei: one.uei, cage: two.cage }, one.supplier)).toEqual(["/supplier/identifiers/cage"])
  expect(await refusedFor({ uei: one.uei, cage: "8ZZZ9" }, one.supplier)).toEqual(["/supplier/identifiers/cage"])
  expect(await refusedFor({ uei: "XAMPLE8ZZZZ8" }, { ...one.supplier, legal_name: "Quarry Eight Pumps Inc" })).toEqual([
    "/supplier/entity_id",
  ])
})
