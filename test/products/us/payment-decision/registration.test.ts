/** Decisions with a register imported: found or not, of the same name or another, and what the answer says of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { checkSupplierIdentifiers } from "../../../../src/checks/supplier-identifiers.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { decisionEvidence } from "../../../../src/products/us/payment-decision/evidence.ts"
import { lookUpRegistration } from "../../../../src/products/us/payment-decision/registration.ts"
import { RegisterDamaged } from "../../../../src/sources/registers/register-file.ts"
import type { RegisterId } from "../../../../src/sources/registers/register-id.ts"
import { DECIDED_AT } from "../../../fixtures/decision.ts"
import { registerBoard, registered } from "../../../fixtures/register-board.ts"
import { freshRequest, NO_REGISTERS } from "../../../fixtures/selling-house.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { openShop, type Shop } from "./shop.ts"

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
  raiseTolerance(shop)
})
afterEach(() => shop.useRegisters(NO_REGISTERS))
afterAll(() => shop.close())

const LEI = "5493001KJTIIGC8Y1R12"
const UEI = "ZQGGHJH74DW7"
const CIK = "0000320193"
const NAME = "Harbor Light Instruments LLC"
const US: readonly RegisterId[] = ["US_SAM_ENTITY", "GLEIF_LEI", "US_SEC_EDGAR"]

const supplierOf = (identifiers: Record<string, string>, legal_name?: string) => ({
  entity_id: "supplier:registered",
  ...(legal_name !== undefined && { legal_name }),
  identifiers,
})

const look = (board: Parameters<typeof lookUpRegistration>[0], identifiers: Record<string, string>, name?: string) =>
  lookUpRegistration(board, { supplier: supplierOf(identifiers, name) }, DECIDED_AT)

describe("the fact", () => {
  test("is null when no register that assigns an identifier of the supplier is imported", () => {
    expect(look(NO_REGISTERS, { uei: UEI }, NAME)).toBeNull()
    expect(look(registerBoard(["GLEIF_LEI"], []), { uei: UEI }, NAME)).toBeNull()
    expect(look(registerBoard(["UK_COMPANIES_HOUSE"], []), { uei: UEI, lei: LEI, cik: CIK }, NAME)).toBeNull()
  })

  for (const [why, state] of [
    ["is too old", { health: "STALE" }],
    ["could not be read", { health: "SCHEMA_BREAK" }],
    ["is switched off", { health: "DISABLED" }],
    ["goes stale while the decision would be valid", { staleAt: formatInstant(DECIDED_AT + 59 * MINUTE) }],
  ] as const) {
    test(`is null when the register ${why}: its absence is no finding`, () => {
      expect(look(registerBoard(US, [], state), { uei: UEI, lei: LEI }, NAME)).toBeNull()
    })
  }

  test("says what was looked up, in which snapshot, and what came of it", () => {
    const board = registerBoard(
      ["US_SAM_ENTITY"],
      [registered("US_SAM_ENTITY", "uei", UEI, "HARBOR LIGHT INSTRUMENTS, LLC")],
    )
    expect(look(board, { uei: UEI.toLowerCase() }, NAME)).toMatchObject({
      source_id: "US_SAM_ENTITY",
      snapshot_id: "snp_us_sam_entity",
      found: true,
      name_agrees: true,
      lookups: [
        {
          scheme: "uei",
          value: UEI,
          found: true,
          registered_name: "HARBOR LIGHT INSTRUMENTS, LLC",
          status: "ACTIVE",
          is_current: true,
          name_agrees: true,
          name_score: 1,
          stale_at: formatInstant(DECIDED_AT + 30 * DAY),
        },
      ],
    })
  })

  test("is of every identifier that can be looked up: one of another firm is not hidden behind a good one", () => {
    const board = registerBoard(US, [
      registered("GLEIF_LEI", "lei", LEI, NAME),
      registered("US_SAM_ENTITY", "uei", UEI, "Quiet Meadow Tools LLC"),
    ])
    for (const name of [NAME, undefined]) {
      const fact = look(board, { lei: LEI, uei: UEI }, name)
      expect(fact).toMatchObject({ source_id: "US_SAM_ENTITY", found: true, name_agrees: false })
      expect(fact?.lookups?.map(({ scheme, name_agrees }) => [scheme, name_agrees])).toEqual([
        ["lei", true],
        ["uei", false],
      ])
    }
  })

  test("a number missing from the SEC's file proves nothing; one that is there counts", () => {
    expect(look(registerBoard(["US_SEC_EDGAR"], []), { cik: CIK }, NAME)).toBeNull()
    const board = registerBoard(["US_SEC_EDGAR"], [registered("US_SEC_EDGAR", "cik", CIK, NAME)])
    expect(look(board, { cik: "320193" }, NAME)).toMatchObject({ found: true, name_agrees: true })
  })

  test("a registration that ended since the register was published no longer stands; on its last day it does", () => {
    for (const [expires, stands] of [
      ["2026-11-19", false],
      ["2026-11-20", true],
      ["2026-11-21", true],
    ] as const) {
      const board = registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", UEI, NAME, { expires })])
      expect(look(board, { uei: UEI }, NAME)?.lookups?.[0]?.is_current).toBe(stands)
    }
  })

  test("a register whose bytes are damaged is not asked further, and is no finding", () => {
    const damaged = {
      ...registerBoard(["US_SAM_ENTITY"], []),
      find: () => {
        throw new RegisterDamaged("a checksum differs")
      },
    }
    expect(look(damaged, { uei: UEI }, NAME)).toBeNull()
  })

  test("an entry of another form is not read as an empty one", () => {
    const entry = registered("US_SAM_ENTITY", "uei", UEI, NAME, { legal_names: [] })
    expect(look(registerBoard(["US_SAM_ENTITY"], [entry]), { uei: UEI }, NAME)).toBeNull()
  })
})

describe("a decision", () => {
  test("with a registration of the same name has no reservation about the identity, and shows the register as evidence", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    shop.useRegisters(
      registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, supplier.legal_name ?? "")]),
    )
    const { request, response, facts } = await buyChecked(shop, { request: { supplier, risk_policy: HIGH } })
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

  test("is held when the registered name is another one", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    shop.useRegisters(
      registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, "Quiet Meadow Tools LLC")]),
    )
    const { response } = await buyChecked(shop, { request: { supplier, risk_policy: HIGH } })
    expect([response.decision, response.reason_codes[0]]).toEqual(["HOLD", "SUPPLIER_NAME_MISMATCH"])
    expect(response.risk_signals).toContain("SUPPLIER_NAME_MISMATCH")
  })

  test("carries a condition when the identifier is in no imported register", async () => {
    shop.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
    const { response } = await buyChecked(shop, { request: { supplier: newSupplier(), risk_policy: HIGH } })
    expect([response.decision, response.reason_codes]).toEqual(["ALLOW_WITH_CONDITIONS", ["REGISTRATION_NOT_FOUND"]])
  })

  test("states a registration that no longer stands", async () => {
    const supplier = newSupplier()
    const { uei = "" } = supplier.identifiers
    const lapsed = { status: "EXPIRED", is_current: false }
    const entry = registered("US_SAM_ENTITY", "uei", uei, supplier.legal_name ?? "", lapsed)
    shop.useRegisters(registerBoard(["US_SAM_ENTITY"], [entry]))
    const { response } = await buyChecked(shop, { request: { supplier, risk_policy: HIGH } })
    expect(response.coverage.limitations).toContain("REGISTRATION_NOT_CURRENT")
  })
})

describe("a supplier without a legal name", () => {
  const nameless = () => {
    const { legal_name: _, ...supplier } = newSupplier()
    return supplier
  }

  test("is refused before any quote when no register has one", async () => {
    const { status, code } = await shop.refused(freshRequest({ request: { supplier: nameless() } }))
    expect([status, code]).toEqual([422, "LEGAL_NAME_REQUIRED"])
    shop.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
    expect((await shop.refused(freshRequest({ request: { supplier: nameless() } }))).code).toBe("LEGAL_NAME_REQUIRED")
  })

  test("is screened by the name its identifier is registered under", async () => {
    const supplier = nameless()
    const { uei = "" } = supplier.identifiers
    const entry = registered("US_SAM_ENTITY", "uei", uei, "Vostok Meridian Trading LLC")
    shop.useRegisters(registerBoard(["US_SAM_ENTITY"], [entry]))
    const { response, facts } = await buyChecked(shop, { request: { supplier, risk_policy: HIGH } })
    expect([response.decision, response.reason_codes[0]]).toEqual(["BLOCK", "RESTRICTED_PARTY_MATCH"])
    expect(facts.registration).toMatchObject({ found: true, name_agrees: true })
  })

  test("is not decided when the register went between quote and payment, and nothing is charged", async () => {
    const supplier = nameless()
    const { uei = "" } = supplier.identifiers
    const board = registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, NAME)])
    let asked = 0
    // Gone once the paid call has passed its checks: the computing step then finds nothing.
    shop.useRegisters({
      states: (at) => {
        asked += 1
        return asked > 2 ? [] : board.states(at)
      },
      find: board.find,
    })
    const before = await shop.state()
    await expect(shop.buy(freshRequest({ request: { supplier, risk_policy: HIGH } }))).rejects.toThrow(
      /503.*SOURCE_UNAVAILABLE/s,
    )
    const after = await shop.state()
    expect([after.transfers, after.deliveries]).toEqual([before.transfers, before.deliveries])
  })
})

test("eligibility says whether the registration would be looked at", async () => {
  const ask = async (supplier: unknown) => {
    const answer = await shop.house.post(
      { schema_version: "1.0.0", supplier },
      {},
      "/v1/us/decision-gates/release-payment-to-supplier/eligibility",
    )
    const { coverage } = (await answer.json()) as { coverage: { limitations: string[] } }
    return coverage.limitations.includes("ENTITY_REGISTRATION_NOT_CHECKED")
  }
  expect(await ask(newSupplier())).toBe(true)
  shop.useRegisters(registerBoard(["US_SAM_ENTITY"], []))
  expect(await ask(newSupplier())).toBe(false)
})
