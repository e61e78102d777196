/**
 * The search for names in Arabic letters was never measured, and it finds two of nine listed parties in Hebrew letters. So no such name
 * is CLEAR, whatever its letters sound like.
 */
import { describe, expect, test } from "bun:test"
import { nameProblemsOf } from "../../../src/sources/screening/query-forms.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const index = indexOf(
  party({ name: "KARVOLAN, Hasan Mahmud", type: "person", entryId: "person" }),
  party({ name: "Karvolan Maritime Trading LLC", entryId: "org" }),
)

describe("a name with an Arabic or Hebrew letter is never CLEAR and is SCRIPT_UNSUPPORTED", () => {
  test.each([
    ["Arabic", "شركة النور للتجارة"],
    ["Persian", "پتروشیمی گلستان"],
    ["Urdu", "ٹھیکیدار"],
    ["Pashto", "ښه ورځ"],
    ["Hebrew", "קאסם סולימאני"],
    ["Hebrew with points", "בַּנְק"],
    ["Hebrew beside Latin words", "Pellworth בנק Foods"],
    ["a Hebrew presentation form", "Pellworth \ufb31"],
    ["one word beside Latin ones", "Pellworth شركة Foods"],
    ["one letter", "Pellworth ع"],
    ["presentation forms", "\ufeb7\ufeae\ufedb\ufe94"],
    ["a mathematical letter", "Pellworth \u{1ee00}"],
    ["a letter within a Latin word", "Pellwoرth Foods"],
    ["character references", "Pellworth &#1588;&#1585;"],
    ["percent escapes", "%D8%B4%D8%B1%D9%83%D8%A9"],
  ])("%s", (_, name) => {
    for (const type of ["person", "org", null] as const) {
      const result = screen(index, query(name, { type }))
      expect([name, type, result.state]).toEqual([name, type, "SCRIPT_UNSUPPORTED"])
      expect(result.nameProblems).toContain("SCRIPT_UNSUPPORTED")
      expect(nameProblemsOf({ name, type })).toContain("SCRIPT_UNSUPPORTED")
    }
  })
})

test("a match in such a name is shown and decides", () => {
  const { state, hits, nameProblems } = screen(index, query("Karvolan Maritime Trading شركة"))
  expect(["MATCH", "POSSIBLE_MATCH"]).toContain(state)
  expect(hits.map(({ entryId }) => entryId)).toEqual(["org"])
  expect(nameProblems).toEqual(["SCRIPT_UNSUPPORTED"])
})

test("Arabic digits and marks are not letters, so a Latin name with them can be read", () => {
  expect(nameProblemsOf({ name: "Pellworth Foods ٢٠٢٦، ٣", type: "org" })).toEqual([])
})

test("a listed name in its own script is still found by its own letters", () => {
  const listed = indexOf(party({ names: [{ text: "شركة النور للتجارة", kind: "native" }], entryId: "native" }))
  const { state, hits } = screen(listed, query("شركة النور للتجارة"))
  expect([state, hits[0]?.entryId]).toEqual(["MATCH", "native"])
})
