import { expect, test } from "bun:test"
import { nameForm, WORDS_MAX } from "../../../src/sources/screening/name-form.ts"

test.each([
  ["karvolan trading l.l.c.", "karvolan trading"],
  ["ooo karvolan", "karvolan"],
  ["karvolan intl shpg & trdg co., ltd.", "karvolan international shipping and trading"],
  ["u.s. karvolan corp", "united states karvolan"],
  ["k4rv0lan", "karvolan"],
  ["k a r v o l a n ltd", "karvolan"],
  ["2nd karvolan", "second karvolan"],
  ["o'neil karvolan", "oneil karvolan"],
  ["karvolan companny limitd", "karvolan"],
])("an organisation's %s is compared as %s", (text, tokens) => {
  expect(nameForm(text, "org").tokens.join(" ")).toBe(tokens)
})

test("titles are removed from a person's name, but never the last two words", () => {
  expect(nameForm("dr. ivan karvol jr", "person").tokens).toEqual(["ivan", "karvol"])
  expect(nameForm("general karvol", "person").tokens).toEqual(["general", "karvol"])
})

test("a person's initials stay separate", () => {
  expect(nameForm("j r r karvol", "person").tokens).toEqual(["j", "r", "r", "karvol"])
})

test("equal legal forms have equal bits in any spelling", () => {
  const bits = (text: string) => nameForm(text, "org").legalForms
  expect(bits("karvolan ltd")).toBe(bits("karvolan limited"))
  expect(bits("karvolan gmbh")).toBe(bits("karvolan l.l.c."))
  expect(bits("karvolan ltd")).not.toBe(bits("karvolan inc"))
})

test("the numbers of a name do not depend on their order", () => {
  expect(nameForm("unit 61398 section 2", "org").numbers).toBe(nameForm("section 2 unit 61398", "org").numbers)
})

test.each([
  ["ab llc", false],
  ["limited company", false],
  ["llc", false],
  ["", false],
  ["...", false],
  ["ibm", true],
])("%p can be screened: %p", (text, screenable) => {
  expect(nameForm(text, "org").screenable).toBe(screenable)
})

test("words that every plain object has as properties are ordinary words", () => {
  expect(nameForm("constructor hasownproperty tostring", "org").tokens).toEqual([
    "constructor",
    "hasownproperty",
    "tostring",
  ])
})

test("a word too long for comparison is reported", () => {
  expect(nameForm("k".repeat(39), "org").longWord).toBe(false)
  expect(nameForm("k".repeat(40), "org").longWord).toBe(true)
})

test("the seventeenth word is cut and reported", () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `karv${"abcdefghijklmnopq"[at]}`).join(" ")
  expect(nameForm(words(WORDS_MAX), "org").cut).toBe(false)
  const over = nameForm(words(WORDS_MAX + 1), "org")
  expect(over.cut).toBe(true)
  expect(over.tokens).toHaveLength(WORDS_MAX)
})
