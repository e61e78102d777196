import { describe, expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { readCsv } from "../../../src/sources/formats/csv-rows.ts"

function read(text: string) {
  const rows: { cells: string[]; line: number }[] = []
  const reading = readCsv(text, (cells, line) => rows.push({ cells, line }))
  return { rows, ...reading }
}

describe("readCsv", () => {
  test("reads any table to the same cells as csv-parse", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r\n", " ", "'", "-0-"), maxLength: 6 })
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(table, fc.constantFrom("\n", "\r\n"), (rows, lineEnd) => {
        const quoted = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
        const text = rows.map((row) => row.map(quoted).join(",") + lineEnd).join("")
        const other: string[][] = parse(text, { relax_column_count: true, record_delimiter: lineEnd })
        expect(read(text).rows.map((row) => row.cells)).toEqual(other)
        expect(other).toEqual(rows)
      }),
      { numRuns: 300 },
    )
  })

  test("reports the line on which a row begins, even after a cell with line ends", () => {
    expect(read('a,"b\n\nc"\nd,e\n').rows.map((row) => row.line)).toEqual([1, 4])
  })

  test("reports a row with a stray quote with its text and reads the next one", () => {
    const { rows, faults } = read('a,b\nc,""d", e"\nf,g\n')
    expect(rows.map((row) => row.cells)).toEqual([
      ["a", "b"],
      ["f", "g"],
    ])
    expect(faults).toEqual([{ line: 2, why: "bad quoting", text: 'c,""d", e"' }])
  })

  test("reports a text that ends inside quotes", () => {
    const { endedInsideQuotes, rows } = read('a,b\nc,"d\ne,f\n')
    expect(endedInsideQuotes).toBe(true)
    expect(rows).toHaveLength(1)
  })

  test("distinguishes a last row with a line end from one without", () => {
    expect(read("a,b\n").endedWithNewline).toBe(true)
    expect(read("a,b").endedWithNewline).toBe(false)
    expect(read("a,b").rows.map((row) => row.cells)).toEqual([["a", "b"]])
  })

  test("returns a blank line as a row with one empty cell, so that the caller's column count refuses it", () => {
    expect(read("a,b\n\nc,d\n").rows.map((row) => row.cells.length)).toEqual([2, 1, 2])
  })

  test("stops after a thousand faults instead of reading every line of a file that is not CSV", () => {
    expect(read('a"b\n'.repeat(5000)).faults).toHaveLength(1000)
  })
})
