import { expect, test } from "bun:test"
import { countryOfAlpha3, countryOfName, isAlpha2 } from "../../../src/sources/records/country-codes.ts"

test.each([
  ["Korea, North", "KP"],
  ["Congo, Democratic Republic of the", "CD"],
  ["Virgin Islands, British", "VG"],
  ["Region: Gaza", "PS"],
  ["Burma", "MM"],
  [" united kingdom ", "GB"],
])("reads OFAC's %p", (name, code) => {
  expect(countryOfName(name)).toBe(code)
})

test.each(["undetermined", "Region: Crimea", "None Identified", "", "Netherlands Antilles"])(
  "%p is not a country",
  (name) => {
    expect(countryOfName(name)).toBeNull()
  },
)

test("reads alpha-3 and alpha-2 codes and refuses the publishers' codes for unknown", () => {
  expect(countryOfAlpha3("PRK")).toBe("KP")
  expect(countryOfAlpha3("XKS")).toBe("XK")
  expect(countryOfAlpha3("XUN")).toBeNull()
  expect(isAlpha2("HK")).toBe(true)
  expect(isAlpha2("XX")).toBe(false)
})
