import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readCsv } from "../../../src/sources/formats/csv-rows.ts"
import { scanCsv } from "../../../src/sources/formats/csv-scan.ts"
import { ROW_BYTES_MAX } from "../../../src/sources/formats/csv-stream.ts"

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function scan(content: string | Uint8Array, size = 7) {
  const rows: [line: number, ...cells: string[]][] = []
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  const ended = await scanCsv(pieces(bytes, size), (cells, line) => rows.push([line, ...cells]))
  return { rows, ...ended }
}

function strict(text: string) {
  const rows: [line: number, ...cells: string[]][] = []
  const reading = readCsv(text, (cells, line) => rows.push([line, ...cells]))
  return { rows, ...reading }
}

describe("scanCsv", () => {
  test("agrees with the strict reader on any text, in any chunks", async () => {
    const part = fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "a", "é", '","', "𝄞", ' "')
    const texts = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(""))
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 50 }), async (text, size) => {
        const ours = await scan(text, size)
        const theirs = strict(text)
        expect(ours.endedInsideQuotes).toBe(theirs.endedInsideQuotes)
        expect(ours.rows).toEqual(theirs.rows)
        // A quote that is open to the end is a fault of the file, not of one row.
        expect(ours.faults).toBe(theirs.faults.length - (theirs.endedInsideQuotes ? 1 : 0))
        expect(ours.endedWithNewline).toBe(theirs.endedWithNewline)
        expect(ours.firstFaults.map(({ line }) => line)).toEqual(
          theirs.faults
            .slice(0, ours.endedInsideQuotes ? -1 : undefined)
            .map(({ line }) => line)
            .slice(0, 6),
        )
      }),
      { numRuns: 3000 },
    )
  })

  test("reads a cell of several lines, and counts its lines", async () => {
    const { rows } = await scan('"a","b\r\nc"\r\n"d","e"\r\n')
    expect(rows).toEqual([
      [1, "a", "b\r\nc"],
      [3, "d", "e"],
    ])
  })

  test("an open quote loses only its own row", async () => {
    const behind = Array.from({ length: 2000 }, (_, row) => `"${row}","${"x".repeat(50)}"\r\n`)
    const { rows, faults, firstFaults, endedInsideQuotes } = await scan(`"a","b\r\n${behind.join("")}`, 4096)
    expect([faults, firstFaults[0]?.line, endedInsideQuotes]).toEqual([1, 1, false])
    expect(rows).toHaveLength(2000)
    expect(rows.at(-1)?.[0]).toBe(2001)
  })

  test("stops at a row without an end instead of filling memory", async () => {
    let given = 0
    async function* endless() {
      for (; given < 100; given += 1) yield new Uint8Array(ROW_BYTES_MAX).fill(97)
    }
    const { stopped, firstFaults } = await scanCsv(endless(), () => {})
    expect([stopped, given < 5, firstFaults.at(-1)?.why]).toEqual([true, true, expect.stringContaining("no line end")])
  })

  test("stops at text that is not CSV", async () => {
    const { stopped, faults } = await scan('a"\n'.repeat(30_000), 65_536)
    expect([stopped, faults]).toEqual([true, 20_001])
  })

  test("replaces and reports bytes that are not UTF-8, and drops a byte order mark", async () => {
    const latin = await scan(new Uint8Array([0xef, 0xbb, 0xbf, 0x41, 0xe9, 0x0a]), 2)
    expect([latin.rows, latin.hasForeignBytes]).toEqual([[[1, "A\ufffd"]], true])
    expect((await scan("caf\u00e9\n")).hasForeignBytes).toBe(false)
  })
})
