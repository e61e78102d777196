import { describe, expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { csvLine } from "../../src/cli/csv-line.ts"

const RUNS = /^[\s']*[=+\-@＝＋－＠]|^'*[\t\r]/
const withoutApostrophe = (cell: string) => (RUNS.test(cell) && cell.startsWith("'") ? cell.slice(1) : cell)

describe("csvLine", () => {
  test("another CSV reader reads every cell back exactly, after removing the apostrophe", () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r", "'", "=", "-", " ", "\t"),
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        const [read = []]: string[][] = parse(csvLine(cells), { record_delimiter: "\n" })
        expect(read.map(withoutApostrophe)).toEqual(cells)
      }),
      { numRuns: 1000 },
    )
  })

  const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\tx", "'=1", "＝1", "＋1", "－1", "＠A"]
  test.each(formulas)("%j is no longer a formula", (cell) => {
    const [read = []]: string[][] = parse(csvLine([cell, "x"]), { record_delimiter: "\n" })
    expect(read[0]).toBe(`'${cell}`)
  })

  test.each(["Karvolan-Maritime", "O'Neill", "'Abd al-Karim", "a=b", "0.9000", ""])(
    "%j is written unchanged",
    (cell) => {
      expect(csvLine([cell])).toBe(`${cell}\n`)
    },
  )
})
