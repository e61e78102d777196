import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { legalNameKey } from "../../src/core/legal-name-key.ts"

const NAME = "Harbor Light Instruments LLC"

describe("two spellings of one registered name have the same key", () => {
  test.each([
    ["case", "HARBOR LIGHT INSTRUMENTS llc"],
    ["punctuation", "Harbor-Light Instruments, L.L.C."],
    ["spacing", "  Harbor\u00a0Light\tInstrumentsLLC "],
    ["invisible characters", "Har\u200bbor\u00ad Li\u2060ght Instruments\ufe0f LLC\u034f"],
    ["compatibility forms", "\uff28arbor Light Instruments \uff2c\uff2c\uff23"],
    ["ligatures", "Harbor Light Instruments LLC".replace("st", "\ufb06")],
  ])("%s", (_, spelled) => {
    expect(legalNameKey(spelled)).toBe(legalNameKey(NAME))
  })

  test("composed and decomposed letters, and the two ways to write ß", () => {
    expect(legalNameKey("Caf\u00e9 Zu\u0308rich")).toBe(legalNameKey("Cafe\u0301 Z\u00fcrich"))
    expect(legalNameKey("Stra\u00dfe 1")).toBe(legalNameKey("STRASSE 1"))
  })
})

describe("another name has another key", () => {
  test.each([
    ["another word", "Harbor Light Implements LLC"],
    ["one more word", "Harbor Light Instruments Holdings LLC"],
    ["another legal form", "Harbor Light Instruments Inc"],
    ["words in another order", "Light Harbor Instruments LLC"],
    ["one more number", "Harbor Light Instruments 2 LLC"],
    ["a letter of another alphabet that looks the same", "H\u0430rbor Light Instruments LLC"],
  ])("%s", (_, other) => {
    expect(legalNameKey(other)).not.toBe(legalNameKey(NAME))
  })

  test("vowel signs, and accents without a composed letter, are part of the word", () => {
    expect(legalNameKey("\u0915\u093f")).not.toBe(legalNameKey("\u0915\u0940"))
    expect(legalNameKey("x\u0302 Corp")).not.toBe(legalNameKey("x Corp"))
  })
})

test("a name without a letter or digit has no key", () => {
  expect(legalNameKey(" -&. \u200b")).toBe("")
})

test("the key of a key is the same key", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
      const key = legalNameKey(name)
      expect(legalNameKey(key)).toBe(key)
    }),
  )
})

test("a sharp s counts as two letters, lower or upper case", () => {
  expect(["STRAẞE", "Straße", "STRASSE"].map(legalNameKey)).toEqual(["strasse", "strasse", "strasse"])
})

test("a sigma at the end of a word equals a sigma within a word", () => {
  expect(["ΟΔΟΣ ΑΕ", "Οδος ΑΕ", "οδοσ αε", "ΟΔΟΣΑΕ"].map(legalNameKey)).toEqual(Array(4).fill("οδοσαε"))
})

test("the key of a key is the same key, even for letters with a lower-case form that depends on their neighbours", () => {
  const letters = fc.constantFrom("Σ", "ς", "𝝇", "ꬰ", "ẞ", "ŉ", "İ", "ǰ", " ", ".", "a", "A", "\u0345", "\u03b9")
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), (names) => {
      const key = legalNameKey(names.join(""))
      expect(legalNameKey(key)).toBe(key)
    }),
    { numRuns: 2_000 },
  )
})
