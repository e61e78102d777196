/** How payers write a name beside what belongs to it: each row of the readings, with names that it reads and names that it must leave alone. */
import { describe, expect, test } from "bun:test"
import type { NameClass } from "../../../src/sources/screening/name-form.ts"
import {
  ADDED_READINGS_MAX,
  addedReadings,
  imoNumberIn,
  READING_RULES,
} from "../../../src/sources/screening/readings.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

type Example = readonly [nameClass: NameClass, written: string, reading: string]

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  IMO: [
    ["org", "nordvik star imo 9074729", "nordvik star"],
    ["unknown", "nordvik star, imo no. 9074729", "nordvik star"],
  ],
  PURPOSE: [
    ["org", "payment to karvolan maritime", "karvolan maritime"],
    ["org", "beneficiary: karvolan maritime", "karvolan maritime"],
    ["org", "invoice 4711 karvolan maritime", "karvolan maritime"],
    ["person", "in favour of ivan karvol", "ivan karvol"],
  ],
  REFERENCE: [
    ["org", "karvolan maritime ref 471100", "karvolan maritime"],
    ["org", "karvolan maritime - invoice 4711", "karvolan maritime"],
    ["org", "karvolan maritime (acc. 47110815)", "karvolan maritime"],
    ["org", "karvolan maritime #47110", "karvolan maritime"],
    ["org", "karvolan maritime inv-2026-4711 po 88", "karvolan maritime"],
  ],
  VESSEL_PREFIX: [
    ["org", "mv nordvik star", "nordvik star"],
    ["org", "m/v nordvik star", "nordvik star"],
    ["org", "m/t nordvik star", "nordvik star"],
    ["unknown", "vessel nordvik star", "nordvik star"],
  ],
  FAMILY: [
    ["person", "ivan karvol & family", "ivan karvol"],
    ["org", "karvolan and sons", "karvolan"],
  ],
  BIRTH: [
    ["person", "ivan karvol (1966)", "ivan karvol"],
    ["person", "ivan karvol, b. 1966", "ivan karvol"],
    ["person", "ivan karvol dob 27 dec 1966", "ivan karvol"],
  ],
  LEGAL_FORM: [["org", "karvolan limitted", "karvolan limited"]],
  TITLE: [
    ["person", "general ivan karvol", "ivan karvol"],
    ["person", "hojatoleslam ivan karvol", "ivan karvol"],
  ],
  PLACE: [
    ["org", "karvolan maritime, vladivostok", "karvolan maritime"],
    ["org", "karvolan maritime - dubai uae", "karvolan maritime"],
    ["person", "ivan karvol tehran", "ivan karvol"],
  ],
  NUMERAL: [
    ["org", "nordvik star iv", "nordvik star 4"],
    ["org", "nordvik star 4", "nordvik star iv"],
  ],
  ABD: [
    ["person", "abdel karim karvol", "abdul karim karvol"],
    ["person", "abd-el-karim karvol", "abd al karim karvol"],
    ["person", "abdulkarim karvol", "abd al karim karvol"],
  ],
}

describe("each row of the readings", () => {
  test("has a source and an example", () => {
    expect(Object.keys(EXAMPLES)).toEqual(READING_RULES.map(({ rule }) => rule))
    for (const { source } of READING_RULES) expect(source.length).toBeGreaterThan(10)
  })

  const all = Object.entries(EXAMPLES).flatMap(([rule, some]) => some.map((one) => [rule, ...one] as const))
  test.each(all)("%s: a %s's name %p is also read as %p", (_, nameClass, written, reading) => {
    expect(addedReadings(written, nameClass).texts).toContain(reading)
  })

  test.each([
    ["person", "kanye west"],
    ["org", "bank of china"],
    ["org", "payment"],
    ["person", "doctor karvol"],
    ["org", "karvolan maritime"],
    ["org", "vessel"],
  ] as const)("takes nothing from the name of a %s: %s", (nameClass, name) => {
    expect(addedReadings(name, nameClass).texts).toEqual([])
  })

  test("together give a bounded number of readings", () => {
    const written = "payment to mv abdel karim karvol 4 & family, tehran iran ref 4711"
    for (const nameClass of ["person", "org", "unknown"] as const)
      expect(addedReadings(written, nameClass).texts.length).toBeLessThanOrEqual(ADDED_READINGS_MAX)
  })
})

describe("a reading finds a listed party and hides none", () => {
  const best = (listed: Parameters<typeof party>[0], ...ask: Parameters<typeof query>) =>
    screen(indexOf(party(listed)), query(...ask)).hits[0]

  test("the name as it is written is compared too", () => {
    for (const name of ["Payment To Karvolan LLC", "Vessel Invoice 4711", "Karvolan Tehran"])
      expect(best({ name }, name)).toMatchObject({ matchedName: name, score: 1 })
  })

  test("a number that looks like a reference may be a number of the name", () => {
    expect(best({ name: "Karvolan Unit 61398" }, "Karvolan Unit 61399")).toBeUndefined()
    expect(best({ name: "Nordvik Star 3", type: "vessel" }, "Nordvik Star 4")).toBeUndefined()
    expect(best({ name: "Nordvik Star III", type: "vessel" }, "Nordvik Star 3", { type: null })?.score).toBeGreaterThan(
      0.98,
    )
    expect(best({ name: "Karvolan Unit" }, "Karvolan Unit ref 61399")?.score).toBe(1)
    expect(best({ name: "Karvolan Unit 44" }, "Karvolan Unit 44 ref 61399")?.score).toBe(1)
  })
})

describe("an IMO number in a name", () => {
  const listed = party({
    name: "Nordvik Star",
    type: "vessel",
    identifiers: [{ scheme: "imo", value: "9074729", country: null }] as never,
  })

  test("is read only with its check digit", () => {
    for (const name of ["mv nordvik imo 9074729", "nordvik (imo no. 9074729)", "imo9074729 nordvik"])
      expect(imoNumberIn(name)).toBe("9074729")
    for (const name of ["mv nordvik imo 9074728", "nordvik 9074729", "imo 90747290"])
      expect(imoNumberIn(name)).toBeNull()
  })

  test("finds the ship under another name, and never conflicts", () => {
    const found = (name: string) => screen(indexOf(listed), query(name, { type: null })).hits[0]
    expect(found("Pellworth Pride IMO 9074729")).toMatchObject({ basis: "IDENTIFIER", matchedName: "Nordvik Star" })
    expect(found("Nordvik Star IMO 9321483")).toMatchObject({
      basis: "EXACT_NAME",
      corroboration: { identifier: "ABSENT" },
    })
  })
})
