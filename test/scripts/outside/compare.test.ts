import { expect, test } from "bun:test"
import { compare, type Shown } from "../../../scripts/outside/compare.ts"

const shown = (texts: Readonly<Record<string, string>>): Shown => new Map(Object.entries(texts))
const differencesOf = (before: string, after: string) =>
  compare(shown({ help: before }), shown({ help: after })).differences

test("equal texts are counted, in any order of names", () => {
  expect(compare(shown({ a: "1", b: "2" }), shown({ b: "2", a: "1" }))).toEqual({ equal: 2, differences: [] })
  expect(compare(shown({}), shown({}))).toEqual({ equal: 0, differences: [] })
})

test("an empty text is a text: only a missing name is missing", () => {
  expect(compare(shown({ a: "" }), shown({ a: "" }))).toEqual({ equal: 1, differences: [] })
  expect(compare(shown({ a: "", same: "1" }), shown({ same: "1", b: "" }))).toEqual({
    equal: 1,
    differences: ["  a: only before", "  b: only after"],
  })
})

test("a changed text shows the lines that went and those that came", () => {
  expect(differencesOf("one\ntwo\nthree", "one\n2\nthree")).toEqual(["  help\n    - two\n    + 2"])
  expect(differencesOf("one", "one\ntwo")).toEqual(["  help\n    + two"])
  expect(differencesOf("one\ntwo", "two")).toEqual(["  help\n    - one"])
})

test.each([
  ["order", "one\ntwo", "two\none"],
  ["number", "one\none", "one"],
])("a difference of the %s of equal lines is a difference", (_, before, after) => {
  expect(differencesOf(before, after)).toEqual(["  help\n    the same lines in another order or number"])
})

test("at most six lines of each side are shown, and long lines are cut", () => {
  const lines = (word: string) => Array.from({ length: 8 }, (_, at) => `${word} ${at}`).join("\n")
  const [many = ""] = differencesOf(lines("old"), lines("new"))
  expect(many.split("\n")).toHaveLength(1 + 6 + 6)
  expect(many).toContain("- old 5\n    + new 0")
  const [long = ""] = differencesOf("", "x".repeat(301))
  expect(long).toContain(`+ ${"x".repeat(300)}…`)
  expect(differencesOf("", "x".repeat(300))[0]).toEndWith("x".repeat(300))
})
