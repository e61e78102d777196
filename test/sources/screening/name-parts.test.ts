import { expect, test } from "bun:test"
import { namePartsOf, PARTS_MAX } from "../../../src/sources/screening/name-parts.ts"

test.each([
  ["harmless foods dba karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods d/b/a karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods d.b.a. karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods t/a karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods a.k.a. karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods formerly known as karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods c/o karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods/karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods; karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods | karvolan trading", ["harmless foods", "karvolan trading"]],
  ["harmless foods (karvolan trading)", ["harmless foods", "karvolan trading"]],
])("%s is screened whole and in parts", (name, parts) => {
  const { texts } = namePartsOf(name, "org")
  expect(texts[0]).toContain("harmless foods")
  expect(texts[0]).toContain("karvolan trading")
  for (const part of parts) expect(texts).toContain(part)
})

test("an insertion in brackets does not hide the name around it", () => {
  expect(namePartsOf("karvolan (branch 7) maritime", "org").texts).toContain("karvolan   maritime")
})

test("a plain name, or one with a slash in an abbreviation, is one text", () => {
  expect(namePartsOf("karvolan maritime", "org").texts).toEqual(["karvolan maritime"])
  expect(namePartsOf("maersk a/s", "org").texts).toEqual(["maersk a/s"])
})

test("parts without three letters are not screened separately", () => {
  expect(namePartsOf("karvolan (uk)", "org").texts).not.toContain("uk")
})

test("more parts than the limit are reported", () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, at) => `part${"abcdefghijklmnopqrst"[at]}`).join(";")
  expect(namePartsOf(words(PARTS_MAX - 1), "org")).toMatchObject({ tooMany: false })
  const over = namePartsOf(words(PARTS_MAX), "org")
  expect(over.tooMany).toBe(true)
  expect(over.texts).toHaveLength(PARTS_MAX)
})

test("a nickname in brackets does not divide a person's name; a person in brackets is screened separately", () => {
  const { texts } = namePartsOf("robert e. (bud) cramer jr.", "person")
  expect(texts).toEqual(["robert e. (bud) cramer jr.", "robert e.   cramer jr."])
  expect(namePartsOf("robert cramer (ivan karvolan)", "person").texts).toContain("ivan karvolan")
})

test("a comma divides two firms, but not a firm from its form or a person from the surname", () => {
  expect(namePartsOf("harmless foods, karvolan trading", "org").texts).toContain("karvolan trading")
  expect(namePartsOf("harmless foods, inc", "org").texts).not.toContain("inc")
  expect(namePartsOf("karvolan trading, harmless foods", "person").texts).toHaveLength(1)
})

test("a name that may itself contain a separator phrase is also screened with it", () => {
  expect(namePartsOf("44th light division of the karvolan army", "org").texts).toEqual([
    "44th light   the karvolan army",
    "44th light division of the karvolan army",
    "44th light",
    "the karvolan army",
  ])
})

test("spelled-out letters contain no separator", () => {
  expect(namePartsOf("s.t.a.t.e", "org").texts).toEqual(["s.t.a.t.e"])
})
