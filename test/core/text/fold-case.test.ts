import { expect, test } from "bun:test"
import fc from "fast-check"
import { foldCase } from "../../../src/core/text/fold-case.ts"

/** The whole folding, for any text. */
const folded = (text: string) =>
  text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ")

test("a text of ASCII is folded like every other text", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => foldCase(text) === folded(text)))
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))
  expect(foldCase(ascii)).toBe(folded(ascii))
})

test("all spellings of the same letters have one form", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => foldCase(text) === folded(text)))
  expect(foldCase("STRASSE Ⅷ Ｋ")).toBe(foldCase("straße viii K"))
  expect(foldCase("ΟΔΟΣ")).toBe("οδοσ")
})
