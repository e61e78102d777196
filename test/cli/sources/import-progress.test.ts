import { expect, test } from "bun:test"
import { importProgress } from "../../../src/cli/sources/import-progress.ts"

function progressOn(drawsLines: boolean) {
  const written: string[] = []
  const clock = { now: 0 }
  const terminal = { err: (text: string) => void written.push(text), drawsLines }
  return { progress: importProgress(terminal, () => clock.now), written, clock }
}

const LINE = "\r\u001b[2K"

test("a terminal shows phase, share, rows and seconds on one line, and clears it at the end", () => {
  const { progress, written, clock } = progressOn(true)
  progress.tell("copying", 0, 0.1)
  clock.now = 100
  progress.tell("copying", 0, 0.2)
  clock.now = 12_400
  progress.tell("reading", 2000, 0.2512)
  progress.tell("indexing", 5_800_000, null)
  progress.end()
  expect(written).toEqual([
    `${LINE}copying  10 %  0 s`,
    `${LINE}reading  25 %  2000 rows  12 s`,
    `${LINE}indexing  5800000 rows  12 s`,
    LINE,
  ])
})

test("without a terminal nothing is drawn", () => {
  const { progress, written } = progressOn(false)
  progress.tell("reading", 2000, 0.5)
  progress.end()
  expect(written).toEqual([])
})
