import { expect, test } from "bun:test"
import {
  checkSupplierIdentifiers,
  isLei,
  unusedIdentifierLimitations,
} from "../../../src/checks/us/supplier-identifiers.ts"

const LEI = "5493001KJTIIGC8Y1R12"
const UEI = "ZQGGHJH74DW7"

test("published LEIs pass ISO 7064 MOD 97-10", () => {
  for (const lei of [LEI, "HWUPKR0MPOU8FGXBT394", "INR2EJN1ERAN0W5ZP974"])
    expect([lei, isLei(lei)]).toEqual([lei, true])
})

test("an LEI with one digit replaced by another digit, or one letter by another letter, is always invalid", () => {
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

test("the supplier key comes from the strongest identifier, whatever else is sent with it", () => {
  const key = (identifiers: Record<string, string>) => checkSupplierIdentifiers(identifiers).supplierKey
  expect(key({ cik: "320193", cage: "1ABC5", uei: UEI, lei: LEI })).toBe(`lei:${LEI}`)
  expect(key({ cik: "320193", cage: "1ABC5", uei: UEI })).toBe(`uei:${UEI}`)
  expect(key({ cik: "320193", cage: "1ABC5" })).toBe("cage:1ABC5")
  expect(key({ cik: "320193" })).toBe("cik:0000320193")
})

test("two spellings of one identifier have the same key", () => {
  const key = (identifiers: Record<string, string>) => checkSupplierIdentifiers(identifiers).supplierKey
  expect(key({ uei: UEI.toLowerCase() })).toBe(key({ uei: UEI }))
  expect(key({ cik: "0000320193" })).toBe(key({ cik: "320193" }))
})

test("an EIN is accepted beside another identifier but identifies no supplier alone", () => {
  expect(checkSupplierIdentifiers({ ein: "12-3456789" })).toMatchObject({ invalid: [], unused: [], supplierKey: null })
  expect(checkSupplierIdentifiers({ ein: "12-3456789", uei: UEI }).identifiers).toEqual([
    { kind: "uei", value: UEI, assurance: "FORMAT_ONLY" },
    { kind: "ein", value: "123456789", assurance: "FORMAT_ONLY" },
  ])
})

test.each([
  ["LEI", "5493001KJTIIGC8Y1R13"],
  ["uei", "0QGGHJH74DW7"],
  ["uei", "OQGGHJH74DW7"],
  ["uei", "ZQGGHJH74DW"],
  ["cage", "1ABCI"],
  ["cage", "1ABC"],
  ["cik", "0"],
  ["cik", "12345678901"],
  ["ein", "1-23456789"],
  ["lei", "5493001KJTIIGC8Y1R13"],
])("%s %s is an invalid value of a supported name", (kind, value) => {
  expect(checkSupplierIdentifiers({ [kind]: value })).toEqual({
    identifiers: [],
    invalid: [kind],
    repeated: [],
    unused: [],
    supplierKey: null,
  })
})

test("an empty record has no key and no fault", () => {
  const nothing = { identifiers: [], invalid: [], repeated: [], unused: [], supplierKey: null }
  expect(checkSupplierIdentifiers({})).toEqual(nothing)
})

test("a supported name is recognised in any case", () => {
  expect(checkSupplierIdentifiers({ UEI, Ｌｅｉ: LEI })).toMatchObject({
    invalid: [],
    unused: [],
    supplierKey: `lei:${LEI}`,
  })
})

test("two names that are equal without case are reported, whatever they mean", () => {
  expect(checkSupplierIdentifiers({ lei: LEI, LEI }).repeated).toEqual(["lei"])
  expect(checkSupplierIdentifiers({ uei: UEI, Straße: "1", STRASSE: "2" }).repeated).toEqual(["Straße"])
})

test("unsupported names are returned as unused in sorted order, however long the record", () => {
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`name${at}`, "x"]))
  const { unused, supplierKey } = checkSupplierIdentifiers({ ...many, uei: UEI })
  expect([unused.length, supplierKey]).toEqual([31, `uei:${UEI}`])
  expect(unused).toEqual([...unused].sort())
})

test("an unused name is a limitation, percent-encoded outside letters, digits, dot, hyphen and underscore", () => {
  const given = { uei: UEI, duns: "1", "a.b-c_d": "2", "é %": "3", "~!'()*:/": "4", "\u{1F680}": "5", constructor: "6" }
  expect(unusedIdentifierLimitations(given)).toEqual([
    "IDENTIFIER_NOT_USED:a.b-c_d",
    "IDENTIFIER_NOT_USED:constructor",
    "IDENTIFIER_NOT_USED:duns",
    "IDENTIFIER_NOT_USED:%7E%21%27%28%29%2A%3A%2F",
    "IDENTIFIER_NOT_USED:%C3%A9%20%25",
    "IDENTIFIER_NOT_USED:%F0%9F%9A%80",
  ])
})
