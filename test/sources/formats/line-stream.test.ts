import { describe, expect, test } from "bun:test"
import { scanLines } from "../../../src/sources/formats/line-stream.ts"

const LINE_BYTES_MAX = 20

async function scan(bytes: Uint8Array, chunkBytes: number) {
  const lines: string[] = []
  const numbers: number[] = []
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const { tooLong, hasForeignBytes } = await scanLines(chunks(), LINE_BYTES_MAX, (line, number) => {
    lines.push(line)
    numbers.push(number)
  })
  expect(numbers).toEqual(lines.map((_, at) => at + 1))
  return { lines, tooLong, hasForeignBytes }
}

const text = (given: string) => new TextEncoder().encode(given)

describe("the line reader reads lines", () => {
  for (const [what, given, lines] of [
    ["with an end each", "a\nbc\n\nd\n", ["a", "bc", "", "d"]],
    ["without an end of the last line", "a\nbc", ["a", "bc"]],
    ["with the ends of another system", "a\r\nbc\r\n\r\n", ["a", "bc", ""]],
    ["with letters of several bytes", "Größe\nМир\n株式\n", ["Größe", "Мир", "株式"]],
    ["in an empty text", "", []],
  ] as const) {
    for (const chunkBytes of [1, 2, 3, 7, 1000]) {
      test(`${what}, in chunks of ${chunkBytes} bytes`, async () => {
        expect(await scan(text(given), chunkBytes)).toEqual({
          lines: [...lines],
          tooLong: false,
          hasForeignBytes: false,
        })
      })
    }
  }
})

for (const [what, given] of [
  ["first", `${"x".repeat(21)}\na\n`],
  ["middle", `a\n${"x".repeat(21)}\nb\n`],
  ["last", `a\n${"x".repeat(21)}`],
] as const) {
  for (const chunkBytes of [1, 5, 1000]) {
    test(`a ${what} line over the limit stops the reader, in chunks of ${chunkBytes} bytes`, async () => {
      expect((await scan(text(given), chunkBytes)).tooLong).toBe(true)
    })
  }
}

test("a line of exactly the limit is read", async () => {
  for (const chunkBytes of [1, 1000]) {
    const { lines, tooLong } = await scan(text(`${"x".repeat(20)}\n${"y".repeat(20)}`), chunkBytes)
    expect([lines.length, tooLong]).toEqual([2, false])
  }
})

test("bytes that are not UTF-8 are reported", async () => {
  expect(await scan(Uint8Array.from([0x61, 0xff, 0x0a]), 1000)).toMatchObject({
    lines: ["a\ufffd"],
    hasForeignBytes: true,
  })
})
