import { describe, expect, test } from "bun:test"
import { TIERS } from "../../../src/sources/screening/parameters.ts"
import { corroborate, type NameEvidence, tierOf } from "../../../src/sources/screening/tier.ts"
import { party } from "./sample-parties.ts"

const SILENT = {
  identifier: "ABSENT",
  country: "ABSENT",
  address: "ABSENT",
  birth_date: "ABSENT",
  type: "MATCH",
} as const
const strong: NameEvidence = {
  basis: "EXACT_NAME",
  score: 0.95,
  informationSum: 1.5,
  corroboration: SILENT,
  identifierScheme: null,
  sharesBirthDay: false,
}

describe("a name of a blocked organisation blocks exactly at its limits", () => {
  test.each([
    ["at both limits", {}, "BLOCK"],
    ["score below .95", { score: 0.9499 }, "HOLD"],
    ["information below 1.5", { informationSum: 1.4999 }, "HOLD"],
    ["a weak alias", { basis: "WEAK_ALIAS" }, "HOLD"],
    ["country conflict", { corroboration: { ...SILENT, country: "CONFLICT" } }, "HOLD"],
    ["identifier conflict", { corroboration: { ...SILENT, identifier: "CONFLICT" } }, "HOLD"],
    ["type conflict", { corroboration: { ...SILENT, type: "CONFLICT" } }, "HOLD"],
    ["type not stated", { corroboration: { ...SILENT, type: "ABSENT" } }, "HOLD"],
    ["at the threshold", { score: 0.8 }, "HOLD"],
    ["below the threshold", { score: 0.7999 }, "NEAR_MISS"],
  ] as const)("%s: %p is %s", (_, change, tier) => {
    expect(tierOf(party({}), { ...strong, ...change }, 0.8)).toBe(tier)
  })
})

describe("a name of a blocked person blocks by a day of birth, or by two of: year of birth, country, rare name", () => {
  const rare = { ...strong, informationSum: TIERS.personBlockInformationMin }
  const common = { ...rare, informationSum: TIERS.personBlockInformationMin - 0.0001 }
  test.each([
    ["a rare name alone", rare, {}, "HOLD"],
    ["a rare name and country", rare, { country: "MATCH" }, "BLOCK"],
    ["a common name and country", common, { country: "MATCH" }, "HOLD"],
    ["a common name and year of birth", common, { birth_date: "MATCH" }, "HOLD"],
    ["a common name, year of birth and country", common, { birth_date: "MATCH", country: "MATCH" }, "BLOCK"],
    ["a rare name and year of birth", rare, { birth_date: "MATCH" }, "BLOCK"],
    ["a common name and day of birth", { ...common, sharesBirthDay: true }, { birth_date: "MATCH" }, "BLOCK"],
    [
      "a common name, day of birth and another country",
      { ...common, sharesBirthDay: true },
      { birth_date: "MATCH", country: "CONFLICT" },
      "HOLD",
    ],
    ["a rare name, country and another date of birth", rare, { country: "MATCH", birth_date: "CONFLICT" }, "HOLD"],
  ] as const)("%s", (_, evidence, agrees, tier) => {
    const corroboration = { ...SILENT, ...agrees }
    expect(tierOf(party({ type: "person" }), { ...evidence, corroboration }, 0.8)).toBe(tier)
  })
})

test("parties of the other lists keep their own measure", () => {
  expect(tierOf(party({ measure: "hold" }), strong, 0.8)).toBe("HOLD")
  expect(tierOf(party({ measure: "condition" }), strong, 0.8)).toBe("CONDITION")
})

test("countries agree if one is shared and conflict if both sides state countries and share none", () => {
  const country = (query: string[], listed: string[]) =>
    corroborate({ type: "org", identifiers: [], countries: query }, party({ countries: listed }), false).country
  expect(country(["US"], ["IR", "US"])).toBe("MATCH")
  expect(country(["US"], ["IR"])).toBe("CONFLICT")
  expect(country([], ["IR"])).toBe("ABSENT")
  expect(country(["US"], [])).toBe("ABSENT")
})

test("an entry of unknown type neither agrees nor conflicts", () => {
  const type = (listed: "org" | "vessel" | "unknown") =>
    corroborate({ type: "org", identifiers: [], countries: [] }, party({ type: listed }), false).type
  expect([type("org"), type("vessel"), type("unknown")]).toEqual(["MATCH", "CONFLICT", "ABSENT"])
})
