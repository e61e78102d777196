import { expect, test } from "bun:test"
import { companyIdentityGate } from "../../src/checks/company-identity.ts"
import { checkSupplierIdentifiers } from "../../src/checks/supplier-identifiers.ts"

const LEI = { lei: "5493001KJTIIGC8Y1R12" }
const UEI = { uei: "ZQGGHJH74DW7" }
const registered = { source_id: "GLEIF_LEI", snapshot_id: "s1", found: true, name_agrees: true }

function gate(identifiers: Record<string, string>, registration: typeof registered | null) {
  return companyIdentityGate({ ...checkSupplierIdentifiers(identifiers), registration })
}

test("without an imported register the identity is attested only, and the answer says what was not checked", () => {
  expect(gate(LEI, null)).toEqual({
    codes: ["IDENTITY_ATTESTED_ONLY"],
    limitations: ["ENTITY_REGISTRATION_NOT_CHECKED"],
    waived: null,
  })
})

test("identifiers without check digits are a limitation, unless one beside them has some", () => {
  expect(gate(UEI, registered).limitations).toEqual(["IDENTIFIER_FORMAT_ONLY"])
  expect(gate({ ...UEI, ...LEI }, registered).limitations).toEqual([])
})

test("what is not found cannot disagree about its name", () => {
  expect(gate(LEI, { ...registered, found: false, name_agrees: false }).codes).toEqual(["REGISTRATION_NOT_FOUND"])
  expect(gate(LEI, { ...registered, name_agrees: false }).codes).toEqual(["SUPPLIER_NAME_MISMATCH"])
  expect(gate(LEI, registered).codes).toEqual([])
})
