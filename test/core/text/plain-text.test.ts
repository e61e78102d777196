/** Text of a stranger is harmless in a line, and a joiner that belongs to a word stays in it. */
import { describe, expect, test } from "bun:test"
import { plainText } from "../../../src/core/text/plain-text.ts"

const ZWNJ = "\u200c"
const ZWJ = "\u200d"

describe("a joiner inside a word stays", () => {
  test.each([
    ["Arabic: Persian", `شرکت حمل${ZWNJ}ونقل می${ZWNJ}رود`],
    ["Arabic, after a mark of a vowel", `مِ${ZWNJ}ن`],
    ["Devanagari", `क्${ZWJ}ष त्${ZWNJ}र`],
    ["Bengali", `র${ZWJ}্য`],
    ["Gurmukhi", `ਕ੍${ZWJ}ਹ`],
    ["Gujarati", `ક્${ZWNJ}ષ`],
    ["Oriya", `କ୍${ZWNJ}ଷ`],
    ["Tamil", `க்${ZWNJ}ஷ`],
    ["Telugu", `క్${ZWNJ}ష`],
    ["Kannada", `ರ${ZWJ}್ಯ`],
    ["Malayalam", `ന്${ZWJ}റ`],
    ["Sinhala", `ශ්${ZWJ}රී`],
  ])("%s", (_, text) => {
    expect(plainText(text)).toBe(text)
  })
})

describe("every other mark that cannot be seen is shown", () => {
  test.each([
    ["a joiner between Latin letters", `Pay${ZWJ}ee`, "Pay\\u{200d}ee"],
    ["between Arabic and Latin letters", `می${ZWNJ}Ltd`, "می\\u{200c}Ltd"],
    ["at the begin and at the end of a word", `${ZWNJ}می رود${ZWJ}`, "\\u{200c}می رود\\u{200d}"],
    ["before a digit and after a point", `می${ZWNJ}۴.${ZWNJ}رود`, "می\\u{200c}۴.\\u{200c}رود"],
    ["two in a row", `می${ZWNJ}${ZWJ}رود`, "می\\u{200c}\\u{200d}رود"],
    ["between parts of a picture", `👩${ZWJ}💻`, "👩\\u{200d}💻"],
    [
      "marks that turn the direction inside an Arabic word",
      "م\u202eی\u200fر\u2067و",
      "م\\u{202e}ی\\u{200f}ر\\u{2067}و",
    ],
    ["a space without width inside an Arabic word", "م\u200bی", "م\\u{200b}ی"],
  ])("%s", (_, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  test("a joiner at the end of a cut text", () => {
    expect(plainText(`می${ZWNJ}رود`, 3)).toBe("می\\u{200c}… (3 more characters)")
  })
})
