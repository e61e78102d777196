import { expect, test } from "bun:test"
import { guess, nearest } from "../../src/core/nearest.ts"

test.each([
  ["serv", "serve"],
  ["verfy", "verify"],
  ["swerve", "serve"],
  ["exprot", "export"],
  ["serve", "serve"],
])("%s is read as %s", (typed, known) => {
  expect(nearest(typed, ["serve", "verify", "export", "import"])).toBe(known)
})

test("of two equally near words the first wins", () => {
  expect(nearest("xxport", ["export", "import"])).toBe("export")
  expect(nearest("mxport", ["import", "export"])).toBe("export")
  expect(nearest("port", ["import", "export"])).toBe("import")
})

test("without known words there is no nearest word", () => {
  expect(nearest("serve", [])).toBe("")
})

test.each([
  ["serv", "; did you mean serve?"],
  ["exprot", "; did you mean export?"],
  ["imp", "; did you mean import?"],
  ["im", ""],
  ["sevreee", ""],
  ["frobnicate", ""],
  ["x", ""],
])("%s is guessed only when a word is near: %p", (typed, guessed) => {
  expect(guess(typed, ["serve", "verify", "export", "import"])).toBe(guessed)
})

test("a guess is printed as the caller asks, and there is none without known words", () => {
  expect(guess("lisen", ["listen"], (word) => `--${word}`)).toBe("; did you mean --listen?")
  expect(guess("serve", [])).toBe("")
})
