import { expect, test } from "bun:test"
import { checkSupplierIdentifiers, isLei } from "../../src/checks/supplier-identifiers.ts"

const LEI = "5493001KJTIIGC8Y1R12"
const UEI = "ZQGGHJH74DW7"

test("published LEIs pass ISO 7064 MOD 97-10", () => {
  for (const lei of [LEI, "HWUPKR0MPOU8FGXBT394", "INR2EJN1ERAN0W5ZP974"])
    expect([lei, isLei(lei)]).toEqual([lei, true])
})

test("a digit exchanged for a digit, or a letter for a letter, is always noticed in an LEI", () => {
  const digits = "0123456789"
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  const noticed = [...LEI].flatMap((character, at) =>
    [...(digits.includes(character) ? digits : letters)]
      .filter((other) => other !== character)
      .map((other) => isLei(`${LEI.slice(0, at)}${other}${LEI.slice(at + 1)}`)),
  )
  expect(noticed.length).toBeGreaterThan(200)
  expect(noticed).not.toContain(true)
})

test("suppliers are keyed by the strongest identifier, whatever else is sent beside it", () => {
  const key = (identifiers: Record<string, string>) => checkSupplierIdentifiers(identifiers).supplierKey
  expect(key({ cik: "320193", cage: "1ABC5", uei: UEI, lei: LEI })).toBe(`lei:${LEI}`)
  expect(key({ cik: "320193", cage: "1ABC5", uei: UEI })).toBe(`uei:${UEI}`)
  expect(key({ cik: "320193", cage: "1ABC5" })).toBe("cage:1ABC5")
  expect(key({ cik: "320193" })).toBe("cik:0000320193")
})

test("spellings of one identifier have one key", () => {
  const key = (identifiers: Record<string, string>) => checkSupplierIdentifiers(identifiers).supplierKey
  expect(key({ uei: UEI.toLowerCase() })).toBe(key({ uei: UEI }))
  expect(key({ cik: "0000320193" })).toBe(key({ cik: "320193" }))
})

test("an EIN is accepted beside another identifier and identifies nobody alone", () => {
  expect(checkSupplierIdentifiers({ ein: "12-3456789" })).toMatchObject({ faults: [], supplierKey: null })
  expect(checkSupplierIdentifiers({ ein: "12-3456789", uei: UEI }).identifiers).toEqual([
    { kind: "uei", value: UEI, assurance: "FORMAT_ONLY" },
    { kind: "ein", value: "123456789", assurance: "FORMAT_ONLY" },
  ])
})

test.each([
  ["duns", "123456789"],
  ["UEI", UEI],
  ["uei", "0QGGHJH74DW7"],
  ["uei", "OQGGHJH74DW7"],
  ["uei", "ZQGGHJH74DW"],
  ["cage", "1ABCI"],
  ["cage", "1ABC"],
  ["cik", "0"],
  ["cik", "12345678901"],
  ["ein", "1-23456789"],
  ["lei", "5493001KJTIIGC8Y1R13"],
  ["constructor", "x"],
])("%s %s is a fault with its pointer", (kind, value) => {
  const { faults, supplierKey } = checkSupplierIdentifiers({ [kind]: value })
  expect(faults).toEqual([kind])
  expect(supplierKey).toBeNull()
})

test("none at all has no key and no fault", () => {
  expect(checkSupplierIdentifiers({})).toEqual({ identifiers: [], faults: [], supplierKey: null })
})
