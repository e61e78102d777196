import { expect, test } from "bun:test"
import { below, belowChosen, isRepeatable, type Place, WHOLE } from "../../../src/core/sensitive/place.ts"

const SEED = `${"abandon ".repeat(11)}about`
const at = (names: readonly string[], from: Place = WHOLE) => names.reduce(belowChosen, from).pointer

test("a place ends before a name that is a secret or bank data, or that makes the pointer too long", () => {
  expect(at(["note", "a/b", "~"])).toBe("/note/a~1b/~0")
  for (const name of ["GB82 WEST 1234 5698 7654 32", `sk_live_${"a1B2".repeat(6)}`, SEED, "x".repeat(600)]) {
    expect(at(["note", name, "deep"])).toBe("/note")
  }
  expect(below(below([SEED].reduce(belowChosen, WHOLE), 0), "known")).toEqual({ pointer: "", isCut: true })
})

test("the words of a seed phrase, or a sort code and its account, as names in one another are not repeated", () => {
  const words = SEED.split(" ")
  expect(at(words)).toBe(`/${words.slice(0, 11).join("/")}`)
  expect(at(["20-00-00", "55779911"])).toBe("/20-00-00")
  expect(isRepeatable(`/${words.join("/")}`)).toBe(false)
})
