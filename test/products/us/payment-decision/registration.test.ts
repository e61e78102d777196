/** Decisions with an imported register: found or not, with the same name or another, and the statement about it in the answer. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { checkSupplierIdentifiers } from "../../../../src/checks/us/supplier-identifiers.ts"
import { decisionEvidence } from "../../../../src/products/us/payment-decision/evidence.ts"
import { registerBoard, registered } from "../../../fixtures/register-board.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, NO_REGISTERS } from "../../../fixtures/test-server.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
})
afterEach(() => seller.useRegisters(NO_REGISTERS))
afterAll(() => seller.close())

const NAME = "Harbor Light Instruments LLC"

describe("a decision", () => {
  test("with a registration of the same name has no limitation about the identity, and shows the register as evidence", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    seller.useRegisters(
      registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, supplier.legal_name ?? "")]),
    )
    const { request, response, facts } = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    expect(response.decision).toBe("ALLOW")
    expect(response.coverage.limitations).not.toContain("ENTITY_REGISTRATION_NOT_CHECKED")
    expect(response.coverage.limitations).not.toContain("IDENTIFIER_FORMAT_ONLY")
    const { identifiers } = checkSupplierIdentifiers(request.supplier.identifiers)
    const { observations } = decisionEvidence(request, facts, identifiers)
    const shown = observations.find(({ source_id }) => source_id === "US_SAM_ENTITY")
    expect(shown?.claims).toEqual([
      "REGISTRATION_FOUND:UEI",
      "REGISTERED_NAME_AGREES:YES",
      "NAME_SCORE:1.00",
      "REGISTRATION_STATUS:ACTIVE",
      "REGISTRATION_CURRENT:YES",
    ])
    const identity = response.checks_executed.find(({ check_id }) => check_id === "COMPANY_IDENTITY")
    expect(identity).toMatchObject({ outcome: "PASS", reason_codes: [] })
    expect(identity?.evidence_ids).toContain(shown?.evidence_id as string)
    expect(response.evidence_bundle.references).toContain(shown?.evidence_id as string)
  })

  test("is a HOLD when the registered name differs", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    seller.useRegisters(
      registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, "Quiet Meadow Tools LLC")]),
    )
    const { response } = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    expect([response.decision, response.reason_codes[0]]).toEqual(["HOLD", "SUPPLIER_NAME_MISMATCH"])
    expect(response.risk_signals).toContain("SUPPLIER_NAME_MISMATCH")
  })

  test("has a condition when the identifier is in no imported register", async () => {
    seller.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
    const { response } = await buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH } })
    expect([response.decision, response.reason_codes]).toEqual([
      "ALLOW_WITH_CONDITIONS",
      ["REGISTRATION_NOT_FOUND", "LIMITED_COVERAGE"],
    ])
  })

  test("states a registration that is no longer active", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    const lapsed = { status: "EXPIRED", is_current: false }
    const entry = registered("US_SAM_ENTITY", "uei", uei, supplier.legal_name ?? "", lapsed)
    seller.useRegisters(registerBoard(["US_SAM_ENTITY"], [entry]))
    const { response } = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    expect(response.coverage.limitations).toContain("REGISTRATION_NOT_CURRENT")
  })
})

describe("a supplier without a legal name", () => {
  const nameless = () => {
    const { legal_name: _, ...supplier } = newSupplier()
    return supplier
  }

  test("is refused before any quote when no register has a name for it", async () => {
    const { status, code } = await seller.refused(freshRequest({ request: { supplier: nameless() } }))
    expect([status, code]).toEqual([422, "LEGAL_NAME_REQUIRED"])
    seller.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
    expect((await seller.refused(freshRequest({ request: { supplier: nameless() } }))).code).toBe("LEGAL_NAME_REQUIRED")
  })

  test("is screened by the registered name of its identifier", async () => {
    const supplier = nameless()
    const { uei = "" } = supplier.identifiers
    const entry = registered("US_SAM_ENTITY", "uei", uei, "Vostok Meridian Trading LLC")
    seller.useRegisters(registerBoard(["US_SAM_ENTITY"], [entry]))
    const { response, facts } = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    expect([response.decision, response.reason_codes[0]]).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
    expect(facts.registration).toMatchObject({ found: true, name_agrees: true })
  })

  test("gets no decision and no charge when the register disappears between quote and payment", async () => {
    const supplier = nameless()
    const { uei = "" } = supplier.identifiers
    const board = registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, NAME)])
    let requests = 0
    // The register disappears after the checks of the paid call, so that the computing step finds nothing.
    seller.useRegisters({
      states: (at) => {
        requests += 1
        return requests > 2 ? [] : board.states(at)
      },
      find: board.find,
    })
    const before = await seller.state()
    await expect(seller.buy(freshRequest({ request: { supplier, risk_policy: HIGH } }))).rejects.toThrow(
      /503.*SOURCE_UNAVAILABLE/s,
    )
    const after = await seller.state()
    expect([after.transfers, after.deliveries]).toEqual([before.transfers, before.deliveries])
  })
})

test("eligibility states whether a register lookup would take place", async () => {
  const ask = async (supplier: unknown) => {
    const answer = await seller.server.post(
      { schema_version: "1.0.0", supplier },
      {},
      "/v1/us/decision-gates/release-payment-to-supplier/eligibility",
    )
    const { coverage } = (await answer.json()) as { coverage: { limitations: string[] } }
    return coverage.limitations.includes("ENTITY_REGISTRATION_NOT_CHECKED")
  }
  expect(await ask(newSupplier())).toBe(true)
  seller.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
  expect(await ask(newSupplier())).toBe(false)
})
