import { expect, test } from "bun:test"
import type { RegisterLookup, RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { companyIdentityGate } from "../../../src/checks/us/company-identity.ts"
import { checkSupplierIdentifiers } from "../../../src/checks/us/supplier-identifiers.ts"

const LEI = { lei: "5493001KJTIIGC8Y1R12" }
const UEI = { uei: "ZQGGHJH74DW7" }
const registered = { source_id: "GLEIF_LEI", snapshot_id: "s1", found: true, name_agrees: true }

const lookup = (scheme: "lei" | "uei", changes: Partial<RegisterLookup> = {}): RegisterLookup => ({
  source_id: "US_SAM_ENTITY",
  snapshot_id: "s1",
  source_url: "https://register.example",
  source_version: "1",
  source_timestamp: "2026-11-01T00:00:00.000Z",
  retrieved_at: "2026-11-01T00:00:00.000Z",
  stale_at: "2026-12-01T00:00:00.000Z",
  parser_version: "p/1",
  raw_sha256: `sha256:${"0".repeat(64)}`,
  freshness: "FRESH",
  scheme,
  value: "1",
  found: true,
  registered_name: "Harbor Light Instruments LLC",
  status: "ACTIVE",
  is_current: true,
  name_agrees: true,
  name_score: 1,
  ...changes,
})

function gate(identifiers: Record<string, string>, registration: RegistrationFact | null) {
  return companyIdentityGate({ ...checkSupplierIdentifiers(identifiers), registration })
}

test("without an imported register the identity is attested only, and the answer states what was not checked", () => {
  expect(gate(LEI, null)).toEqual({
    codes: ["IDENTITY_ATTESTED_ONLY"],
    limitations: ["ENTITY_REGISTRATION_NOT_CHECKED"],
    waived: null,
  })
})

test("identifiers without check digits are a limitation, unless another identifier has check digits", () => {
  expect(gate(UEI, registered).limitations).toEqual(["IDENTIFIER_FORMAT_ONLY"])
  expect(gate({ ...UEI, ...LEI }, registered).limitations).toEqual([])
})

test("a registration that is not found cannot be a name mismatch", () => {
  expect(gate(LEI, { ...registered, found: false, name_agrees: false }).codes).toEqual(["REGISTRATION_NOT_FOUND"])
  expect(gate(LEI, { ...registered, name_agrees: false }).codes).toEqual(["SUPPLIER_NAME_MISMATCH"])
  expect(gate(LEI, registered).codes).toEqual([])
})

test("an identifier found in its register is more than a format check; one that no register was queried for is a limitation", () => {
  expect(gate(UEI, { ...registered, lookups: [lookup("uei")] }).limitations).toEqual([])
  expect(gate({ ...UEI, ...LEI }, { ...registered, lookups: [lookup("uei")] }).limitations).toEqual([
    "IDENTIFIER_NOT_CHECKED_IN_REGISTER",
  ])
  expect(gate({ ...UEI, ein: "123456789" }, { ...registered, lookups: [lookup("uei")] }).limitations).toEqual([])
})

test("a registration that is no longer current is a limitation", () => {
  const lookups = [lookup("uei", { status: "EXPIRED", is_current: false })]
  expect(gate(UEI, { ...registered, lookups })).toMatchObject({ codes: [], limitations: ["REGISTRATION_NOT_CURRENT"] })
})

test("one identifier can belong to another firm while a second one is in no register", () => {
  const lookups = [lookup("lei", { found: false, registered_name: null }), lookup("uei", { name_agrees: false })]
  const { codes } = gate({ ...UEI, ...LEI }, { ...registered, found: false, name_agrees: false, lookups })
  expect(codes).toEqual(["SUPPLIER_NAME_MISMATCH", "REGISTRATION_NOT_FOUND"])
})
