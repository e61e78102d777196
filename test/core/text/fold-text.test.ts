import { expect, test } from "bun:test"
import fc from "fast-check"
import { foldText, isPlainText } from "../../../src/core/text/fold-text.ts"

test("foldText turns the digits of every numbering system into ASCII", () => {
  const systems = Intl.supportedValuesOf("numberingSystem").filter((name) => name !== "hanidec")
  expect(systems.length).toBeGreaterThan(50)
  for (const numberingSystem of systems) {
    const written = new Intl.NumberFormat("en", { numberingSystem, useGrouping: false }).format(9876543210)
    expect([numberingSystem, foldText(written)]).toEqual([numberingSystem, "9876543210"])
  }
})

test.each([
  ["full width", "ＧＢ８２", "GB82"],
  ["bold, double-struck and monospaced", "𝐆𝐁𝟠𝟸", "GB82"],
  ["accents, composed or decomposed", "e\u0301é4\u0301", "ee4"],
  ["characters without width", "4\u200b1\u200d1\u2060\ufeff1\u00ad", "4111"],
  ["control characters", "4\u0000111\u0007", "4111"],
  ["dashes of every kind", "1\u20102\u20113\u20134\u20145\u22126\uff0d7", "1-2-3-4-5-6-7"],
  ["white space of every kind, and runs of it", "1\u00a02\t\n3\u2003 4\u30005", "1 2 3 4 5"],
  ["signs that become words, with spaces around them", "№41㉑", " No 41 21 "],
  ["letters of other scripts, unchanged", "карта 4", "карта 4"],
  ["a ligature of letters of other scripts, unchanged", "\ufdfa4", "\ufdfa4"],
])("foldText reads %s", (_, written, read) => expect(foldText(written)).toBe(read))

test("folding leaves plain text unchanged, and folding twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const read = foldText(text)
      if (isPlainText(text)) expect(read).toBe(text)
      expect(foldText(read)).toBe(read)
    }),
  )
})
