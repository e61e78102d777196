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
  const { texts } = namePartsOf(name)
  expect(texts[0]).toContain("harmless foods")
  expect(texts[0]).toContain("karvolan trading")
  for (const part of parts) expect(texts).toContain(part)
})

test("an insertion in brackets does not hide the name around it", () => {
  expect(namePartsOf("karvolan (branch 7) maritime").texts).toContain("karvolan   maritime")
})

test("a plain name and an abbreviation with a slash are one text", () => {
  expect(namePartsOf("karvolan maritime").texts).toEqual(["karvolan maritime"])
  expect(namePartsOf("maersk a/s").texts).toEqual(["maersk a/s"])
})

test("parts without three letters are not screened on their own", () => {
  expect(namePartsOf("karvolan (uk)").texts).not.toContain("uk")
})

test("more parts than the limit are reported", () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, at) => `part${"abcdefghijklmnopqrst"[at]}`).join(";")
  expect(namePartsOf(words(PARTS_MAX - 1))).toMatchObject({ tooMany: false })
  const over = namePartsOf(words(PARTS_MAX))
  expect(over.tooMany).toBe(true)
  expect(over.texts).toHaveLength(PARTS_MAX)
})
