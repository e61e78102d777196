import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readCsv } from "../../../src/sources/formats/csv-rows.ts"
import { CsvBroken, type CsvRow, ROW_BYTES_MAX, streamCsv } from "../../../src/sources/formats/csv-stream.ts"

const encoder = new TextEncoder()

async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function read(content: string | Uint8Array, chunk = 7) {
  const rows: CsvRow[] = []
  try {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    for await (const some of streamCsv(inChunks(bytes, chunk))) rows.push(...some)
  } catch (error) {
    if (!(error instanceof CsvBroken)) throw error
    return { rows, broken: { line: error.line, why: error.message } }
  }
  return { rows, broken: null }
}

describe("streamCsv", () => {
  test("returns the same rows and first fault as for the whole text, in any chunks", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r\n", "\r", " "), maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (content, chunk) => {
        const whole: CsvRow[] = []
        const [fault] = readCsv(content, (cells, line) => whole.push({ cells, line })).faults
        const streamed = await read(content, chunk)
        expect(streamed.broken?.line).toBe(fault?.line)
        expect(streamed.rows).toEqual(whole.filter(({ line }) => line < (fault?.line ?? Number.POSITIVE_INFINITY)))
      }),
      { numRuns: 2000 },
    )
  })

  test("removes a byte order mark from the first cell only", async () => {
    const { rows } = await read("\ufeffa,b\n\ufeffc,d\n")
    expect(rows.map(({ cells }) => cells[0])).toEqual(["a", "\ufeffc"])
  })

  test.each([1, 5, 1000])("reports the row that is not UTF-8 after those before it, chunks of %d", async (chunk) => {
    const latin = Buffer.concat([encoder.encode('a,é\nb,"x\ny"\n'), Buffer.from("c,caf\xe9\nd,e\n", "latin1")])
    const { rows, broken } = await read(latin, chunk)
    expect(rows.map(({ cells }) => cells[0])).toEqual(["a", "b"])
    expect(broken).toEqual({ line: 4, why: "the row is not UTF-8; save the file as UTF-8" })
  })

  test("refuses UTF-16 on its first line", async () => {
    expect((await read(Buffer.from("\ufeffa,b\n", "utf16le"))).broken?.line).toBe(1)
  })

  test("ends at the row limit after an open quote instead of reading the rest of the file into memory", async () => {
    let given = 0
    async function* endless() {
      yield encoder.encode('a,b\nc,"d\n')
      for (; given < 1000; given++) yield encoder.encode("e,f\n".repeat(1000))
    }
    const rows: CsvRow[] = []
    const reading = (async () => {
      for await (const some of streamCsv(endless())) rows.push(...some)
    })()
    expect(reading).rejects.toThrow(`longer than ${ROW_BYTES_MAX} bytes; close its quote`)
    await reading.catch((error: CsvBroken) => expect(error.line).toBe(2))
    expect([rows.length, given]).toEqual([1, Math.floor(ROW_BYTES_MAX / 4000)])
  })
})
