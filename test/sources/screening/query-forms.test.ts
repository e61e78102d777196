import { expect, test } from "bun:test"
import fc from "fast-check"
import { formsOf, nameProblemsOf } from "../../../src/sources/screening/query-forms.ts"

const types = fc.constantFrom("org" as const, "person" as const, null)
/** Words that become two or none, that join with their neighbours or that are as long as a compared word, and other names. */
const words = fc.oneof(
  fc.constantFrom(
    "us",
    "uk",
    "usa",
    "u",
    "s",
    "k",
    "a",
    "1st",
    "20th",
    "o0o",
    "ltd",
    "compny",
    "intl",
    "dba",
    "c/o",
    "&",
    "+",
    "c.o",
    "д",
  ),
  fc.constantFrom("x".repeat(38), "x".repeat(39), "x".repeat(40), "i".repeat(39), "limited liability company"),
  fc.string({ unit: "grapheme", maxLength: 45 }),
)
const names = fc
  .array(fc.tuple(words, fc.constantFrom(" ", " ", " ", ", ", ".", ". ", "-", "' ", "")), { maxLength: 12 })
  .map((parts) => parts.flat().join(""))

test("the problems of a name are those of its forms", () => {
  fc.assert(
    fc.property(names, types, (name, type) => {
      expect(nameProblemsOf({ name, type })).toEqual(formsOf({ name, type }, { weighsWords: false }).problems)
    }),
    { numRuns: 400 },
  )
})

test("a name at the limits of words is read, and one over them is reported", () => {
  const problems = (name: string) => nameProblemsOf({ name, type: "org" })
  const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ")
  expect(problems(numbered(16, "word"))).toEqual([])
  expect(problems(numbered(17, "word"))).toEqual(["TOO_MANY_WORDS"])
  expect(problems("x".repeat(39))).toEqual([])
  expect(problems("x".repeat(40))).toEqual(["TOO_LONG"])
  // Each becomes two words.
  expect(problems("acme us uk usa us uk usa us")).toEqual([])
  expect(problems("acme us uk usa us uk usa us uk us")).toEqual(["TOO_MANY_WORDS"])
})
