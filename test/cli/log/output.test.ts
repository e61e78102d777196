import { expect, test } from "bun:test"
import { LogOutput, WAITING_CHARACTERS_MAX } from "../../../src/cli/log/output.ts"

/** A stream whose writes succeed or fail when the test says so. */
function stream() {
  const writes: { text: string; succeed(): void; fail(): void }[] = []
  const output = new LogOutput(
    (text) =>
      new Promise((resolve, reject) => {
        writes.push({ text, succeed: resolve, fail: () => reject(new Error("EPIPE")) })
      }),
    (lines) => `dropped ${lines}\n`,
  )
  const last = () => writes.at(-1)
  return { output, writes, last, turn: () => Bun.sleep(0) }
}

test("lines that cannot be written are counted, and the next write starts with their number", async () => {
  const { output, writes, last, turn } = stream()
  output.write("a\nb\n")
  last()?.fail()
  await turn()
  output.write("c\n")
  // The line break ends a line that the failed write may have cut.
  expect(last()?.text).toBe("\ndropped 2\nc\n")
  last()?.fail()
  await turn()
  output.write("d\n")
  expect(last()?.text).toBe("\ndropped 3\nd\n")
  last()?.succeed()
  await turn()
  output.write("e\n")
  expect(last()?.text).toBe("e\n")
  expect(writes).toHaveLength(4)
})

test("the buffer for a slow reader has a limit; when the reader continues, the number of lost lines follows at once", async () => {
  const { output, writes, last, turn } = stream()
  const half = `${"x".repeat(WAITING_CHARACTERS_MAX / 2 - 1)}\n`
  output.write(half)
  output.write(half)
  for (let i = 0; i < 5; i++) output.write("late\n")
  expect(writes.map(({ text }) => text)).toEqual([half, half])
  for (const { succeed } of writes) succeed()
  await turn()
  expect(writes).toHaveLength(3)
  expect(last()?.text).toBe("dropped 5\n")
})

test("close waits for the reader, up to a limit", async () => {
  const { output, last } = stream()
  expect(await output.settled(0)).toBe(true)
  output.write("last\n")
  expect(await output.settled(20)).toBe(false)
  const settled = output.settled(10_000)
  last()?.succeed()
  expect(await settled).toBe(true)
})
