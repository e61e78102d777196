/** Decisions as a buyer gets them: requested, quoted, paid on a chain, delivered. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { formatInstant, HOUR, instant, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { destination } from "../../../fixtures/decision.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, signedHeader, staticBoard } from "../../../fixtures/test-server.ts"
import { age, buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { healthyBoard, LISTED, LISTED_WALLET, openSeller, type RowChange, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
})
afterAll(() => seller.close())

const other = destination(`0x${"cd".repeat(20)}`)

describe("each decision", () => {
  test("ALLOW releases a first payment at tolerance HIGH and says that it is a first one", async () => {
    const { response } = await buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH } })
    expect(response).toMatchObject({
      decision: "ALLOW",
      reason_codes: ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"],
      conditions: [],
      risk_signals: ["FIRST_PAYMENT_TO_DESTINATION"],
      checks_waived: [{ check_id: "CONTINUATION", reason: "NO_PRIOR_AUTHORIZATION" }],
    })
  })

  test("ALLOW_WITH_CONDITIONS holds a first payment at MEDIUM, and HOLD at LOW", async () => {
    const request = { supplier: newSupplier() }
    expect((await buyChecked(seller, { request })).response).toMatchObject({
      decision: "ALLOW_WITH_CONDITIONS",
      reason_codes: ["FIRST_PAYMENT_TO_DESTINATION", "LIMITED_COVERAGE"],
      conditions: ["VERIFY_PAYEE_OR_AUTHORIZE_DESTINATION"],
    })
    const low = { supplier: newSupplier(), risk_policy: { policy_id: "p", tolerance: "LOW" as const } }
    const { response } = await buyChecked(seller, { request: low })
    expect([response.decision, response.reason_codes]).toEqual([
      "HOLD",
      ["FIRST_PAYMENT_TO_DESTINATION", "IDENTITY_ATTESTED_ONLY", "LIMITED_COVERAGE"],
    ])
  })

  test("the stricter of buyer record and request decides", async () => {
    const strict: RowChange = [
      "UPDATE organization SET tolerance = 'LOW'",
      "UPDATE organization SET tolerance = 'HIGH'",
    ]
    const { response } = await seller.during([strict], () =>
      buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH } }),
    )
    expect(response.decision).toBe("HOLD")
  })

  test("BLOCK stops a listed supplier and a listed wallet, payee or destination", async () => {
    const listed = await buyChecked(seller, { request: { supplier: newSupplier("Vostok Meridian Trading LLC") } })
    expect([listed.response.decision, listed.response.reason_codes[0]]).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
    const wallet = destination(LISTED_WALLET)
    for (const change of [{ payee: wallet }, { payment_destination: wallet }]) {
      const { response } = await buyChecked(seller, { request: { supplier: newSupplier(), ...change } })
      expect([response.decision, response.reason_codes[0]]).toEqual(["BLOCK", "WALLET_RESTRICTED"])
    }
  })
})

describe("the destination", () => {
  test("of an ALLOW is known afterwards, also at MEDIUM; another destination is held", async () => {
    const supplier = newSupplier()
    await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    const again = await buyChecked(seller, { request: { supplier } })
    expect(again.response.decision).toBe("ALLOW")
    expect(again.response.checks_waived.map(({ reason }) => reason)).toContain("DESTINATION_UNCHANGED")
    const changed = await buyChecked(seller, {
      request: { supplier, risk_policy: HIGH, payee: other, payment_destination: other },
    })
    expect([changed.response.decision, changed.response.reason_codes]).toEqual([
      "HOLD",
      ["DESTINATION_CHANGED_WITHOUT_AUTHORIZATION", "LIMITED_COVERAGE"],
    ])
  })

  test("of a conditional answer proves nothing: the next payment to it is again a first one", async () => {
    const supplier = newSupplier()
    await buyChecked(seller, { request: { supplier } })
    expect((await buyChecked(seller, { request: { supplier } })).response.reason_codes).toEqual([
      "FIRST_PAYMENT_TO_DESTINATION",
      "LIMITED_COVERAGE",
    ])
  })

  test("that is not the payee's is held", async () => {
    const { response } = await buyChecked(seller, {
      request: { supplier: newSupplier(), risk_policy: HIGH, payment_destination: other },
    })
    expect([response.decision, response.reason_codes]).toEqual([
      "HOLD",
      ["DESTINATION_DIFFERS_FROM_PAYEE", "LIMITED_COVERAGE"],
    ])
  })
})

describe("earlier authorizations", () => {
  test("of one obligation make a second request refused while the first answer is valid, in any spelling of the id, then HOLD until named", async () => {
    const supplier = newSupplier()
    const invoice = { obligation_id: "INV-Straße-77", document_digest: `sha256:${"77".repeat(32)}` }
    const common = { supplier, risk_policy: HIGH }
    const first = await buyChecked(seller, { request: { ...common, invoice } })
    expect(first.response.decision).toBe("ALLOW")

    const respelled = { ...invoice, obligation_id: " inv-STRASSE-\uFF17\u200B7 " }
    const second = await seller.refused(freshRequest({ request: { ...common, invoice: respelled } }))
    expect([second.status, second.code]).toEqual([409, "OBLIGATION_ALREADY_AUTHORIZED"])

    await age(seller, first)
    const third = await buyChecked(seller, { request: { ...common, invoice } })
    expect([third.response.decision, third.response.reason_codes]).toEqual([
      "HOLD",
      ["OBLIGATION_AUTHORIZED_BEFORE", "LIMITED_COVERAGE"],
    ])

    const evidence_references = [first.response.delivery.response_digest]
    const oldMandate = { valid_from: formatInstant(Date.now() - 5 * HOUR) }
    const fourth = await buyChecked(seller, {
      request: { ...common, invoice, evidence_references },
      mandate: oldMandate,
    })
    expect(fourth.response.reason_codes).toEqual(["OBLIGATION_AUTHORIZED_BEFORE", "LIMITED_COVERAGE"])
    const fifth = await buyChecked(seller, { request: { ...common, invoice, evidence_references } })
    expect(fifth.response.decision).toBe("ALLOW")
    expect(fifth.facts.resolved_references.map(({ reference }) => reference)).toEqual(evidence_references)
  })

  test("hold another document for the obligation, the document for another obligation, and a repeated instruction", async () => {
    const supplier = newSupplier()
    const common = { supplier, risk_policy: HIGH }
    const first = await buyChecked(seller, { request: common })
    const { invoice, payment_instruction_digest } = first.request
    await age(seller, first)
    const codes = async (change: object) =>
      (await buyChecked(seller, { request: { ...common, ...change } })).response.reason_codes
    expect(await codes({ invoice: { ...invoice, document_digest: `sha256:${"0d".repeat(32)}` } })).toEqual([
      "OBLIGATION_AUTHORIZED_BEFORE",
      "OBLIGATION_DOCUMENT_CHANGED",
      "LIMITED_COVERAGE",
    ])
    expect(await codes({ invoice: { ...invoice, obligation_id: "INV-another" } })).toEqual([
      "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
      "LIMITED_COVERAGE",
    ])
    expect(await codes({ payment_instruction_digest })).toEqual(["PAYMENT_INSTRUCTION_REUSED", "LIMITED_COVERAGE"])
    const stranger = {
      supplier: newSupplier(),
      invoice: { ...invoice, obligation_id: "INV-elsewhere" },
      payment_instruction_digest,
    }
    expect(await codes(stranger)).toEqual([
      "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
      "PAYMENT_INSTRUCTION_REUSED",
      "LIMITED_COVERAGE",
    ])
  })

  test("identify a supplier by its identifier: a new entity id makes no new obligation, and a new name is a collision", async () => {
    const supplier = newSupplier()
    const first = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    const renumbered = {
      ...supplier,
      entity_id: `${supplier.entity_id}-b`,
      legal_name: `${supplier.legal_name?.toUpperCase().replace("LLC", "L.L.C.")}`,
    }
    const { invoice } = first.request
    const again = await seller.refused(freshRequest({ request: { supplier: renumbered, risk_policy: HIGH, invoice } }))
    expect(again.code).toBe("OBLIGATION_ALREADY_AUTHORIZED")
    for (const [changed, pointer] of [
      [{ ...supplier, legal_name: "Quiet Meadow Tools LLC" }, "/supplier/legal_name"],
      [{ ...supplier, identifiers: newSupplier().identifiers }, "/supplier/entity_id"],
    ] as const) {
      const refusal = await seller.refused(freshRequest({ request: { supplier: changed } }))
      expect([refusal.code, refusal.problem.errors.map((one) => one.pointer)]).toEqual([
        "IDENTITY_COLLISION",
        [pointer],
      ])
    }
  })
})

describe("valid_until is the earliest of", () => {
  const soon = (minutes: number) => formatInstant(Math.floor(Date.now() / SECOND) * SECOND + minutes * MINUTE)
  const bought = async (options: Parameters<typeof buyChecked>[1] = {}) =>
    buyChecked(seller, { ...options, request: { supplier: newSupplier(), ...options.request } })

  test("an hour", async () => {
    const { response, facts } = await bought()
    expect(instant(response.valid_until) - instant(facts.at)).toBe(60 * MINUTE)
  })

  test("the mandate's end", async () => {
    const valid_until = soon(31)
    expect((await bought({ mandate: { valid_until } })).response.valid_until).toBe(valid_until)
  })

  test.each([["delegation"], ["organization"]])("the end in the %s's row", async (table) => {
    const end = soon(32)
    const before = await seller.server.database.row<{ at: string }>(`SELECT valid_until AS at FROM ${table}`)
    const change: RowChange = [
      `UPDATE ${table} SET valid_until = '${end}'`,
      `UPDATE ${table} SET valid_until = '${before?.at}'`,
    ]
    expect((await seller.during([change], () => bought())).response.valid_until).toBe(end)
  })

  test("the time when the first source goes stale", async () => {
    const staleAt = soon(33)
    seller.useBoard(staticBoard(LISTED, (state) => (state.sourceId === "US_TRADE_CSL" ? { ...state, staleAt } : state)))
    const { response } = await bought()
    seller.useBoard(healthyBoard)
    expect([response.valid_until, response.freshness.valid_until]).toEqual([staleAt, staleAt])
  })

  test("the source age that the request allows", async () => {
    const freshness_requirements = { max_age_seconds: 3600 + 34 * 60, evaluated_at: formatInstant(Date.now()) }
    const { response, facts } = await bought({ request: { freshness_requirements } })
    const [source] = facts.sources
    expect(instant(response.valid_until)).toBe(instant(source?.retrieved_at ?? "") + 94 * MINUTE)
    expect(instant(response.valid_until) - instant(facts.at)).toBeLessThanOrEqual(34 * MINUTE)
  })
})

describe("a change between quote and payment", () => {
  test("a source that fails gives 503 and no charge", async () => {
    const request = freshRequest({ request: { supplier: newSupplier() } })
    const header = await signedHeader(seller.server, request)
    seller.useBoard(staticBoard(LISTED, (state) => ({ ...state, health: "STALE" })))
    const refusal = await seller.refused(request, header)
    seller.useBoard(healthyBoard)
    expect([refusal.code, refusal.status]).toEqual(["SOURCE_STALE", 503])
    expect((await seller.server.post(request, header)).status).toBe(200)
  })
})
