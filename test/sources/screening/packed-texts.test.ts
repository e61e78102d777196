import { expect, test } from "bun:test"
import fc from "fast-check"
import { packTexts, TextTable, textAt } from "../../../src/sources/screening/packed-texts.ts"

test("every text is read back unchanged, from the block and from the table", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 30 }), (texts) => {
      const packed = packTexts(texts)
      const table = new TextTable(packed)
      expect(table.size).toBe(texts.length)
      for (const [at, text] of texts.entries()) {
        expect(textAt(packed, at)).toBe(text)
        expect([table.at(at), table.at(at)]).toEqual([text, text])
      }
    }),
  )
})

test("a table of many thousand texts finds each of them", () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `word ${at}`)
  const table = new TextTable(packTexts(texts))
  expect([0, 4095, 4096, 8191, 8192, 9999].map((at) => table.at(at))).toEqual(
    [0, 4095, 4096, 8191, 8192, 9999].map((at) => `word ${at}`),
  )
})
