/** The thread that draws the progress line while the main thread is blocked. */
import { expect } from "bun:test"
import { join } from "node:path"
import { drawUnlessEnded } from "../../src/cli/blocked-line.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { openTerminal } from "../fixtures/typed-lines.ts"

const test = slowTests(import.meta.path)

const CLEARED = "\r\u001b[2K"
const PROCESS = join(import.meta.dir, "../fixtures/threads/blocked-process.ts")

test("the line goes on with the size of the growing file, and nothing is drawn once the step has ended", async () => {
  using fresh = freshDirectory()
  const terminal = openTerminal(`'${process.execPath}' '${PROCESS}' ./growing`, {
    folder: fresh.path,
    environment: { PATH: process.env["PATH"] ?? "" },
  })
  expect(await terminal.exited).toBe(0)
  const drawn = terminal.shown().split(CLEARED).slice(1)
  expect(drawn[0]).toBe("copying (30.0 MB)")
  expect(drawn.at(-1)).toBe("the result\n")
  const shares = drawn
    .slice(1, -1)
    .flatMap((line) => /^copying {2}(\d+) % {2}\d+\.\d of 30\.0 MB$/.exec(line)?.[1] ?? [])
  expect(shares.length).toBeGreaterThan(1)
  expect(shares.map(Number)).toEqual(shares.map(Number).toSorted((a, b) => a - b))
})

test("a thread draws neither while the main thread writes, nor a step that has ended", () => {
  const lock = new Int32Array(new SharedArrayBuffer(8))
  const drawn: string[] = []
  const draw = (what: string, generation: number) => drawUnlessEnded({ lock, generation }, () => void drawn.push(what))
  draw("first", 0)
  Atomics.store(lock, 1, 1)
  draw("of a step that has ended", 0)
  Atomics.store(lock, 0, 1)
  draw("while the main thread writes", 1)
  Atomics.store(lock, 0, 0)
  draw("second", 1)
  expect(drawn).toEqual(["first", "second"])
})
