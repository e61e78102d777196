import { expect, test } from "bun:test"
import { inputLines } from "../../src/agent/input-lines.ts"

async function linesOf(chunks: readonly string[], bytesMax = 8): Promise<(string | null)[]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk, "latin1")
  }
  const found: (string | null)[] = []
  for await (const line of inputLines(source(), bytesMax)) found.push(line)
  return found
}

test.each([
  ["two lines in one chunk", ["a\nb\n"], ["a", "b"]],
  ["a line in three chunks", ["a", "b", "c\n"], ["abc"]],
  ["a last line without an end", ["a\nb"], ["a", "b"]],
  ["empty lines", ["\n\n"], ["", ""]],
  ["nothing", [], []],
  ["a character cut by a chunk", ["\xc3", "\xa9\n"], ["é"]],
  ["a line of exactly the limit", ["12345678\n"], ["12345678"]],
  ["a line above the limit, and the next one", ["1234567", "89", "0\nb\n"], [null, "b"]],
  ["a last line above the limit", ["123456789"], [null]],
])("%s", async (_name, chunks, lines) => {
  expect(await linesOf(chunks)).toEqual(lines)
})
