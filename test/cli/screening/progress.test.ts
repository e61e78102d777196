import { expect, test } from "bun:test"
import { screenProgress } from "../../../src/cli/screening/progress.ts"

function progressOn(isWatched: boolean, share: number | null) {
  const written: string[] = []
  const clock = { now: 0 }
  const terminal = { err: (text: string) => void written.push(text), isWatched }
  return { progress: screenProgress({ terminal, now: () => clock.now, share: () => share }), written, clock }
}

test("an interactive terminal shows share, count and speed on one line, at most once every quarter second", () => {
  const { progress, written, clock } = progressOn(true, 0.257)
  progress.add(256)
  expect(written).toEqual([])
  clock.now = 500
  progress.add(256)
  clock.now = 600
  progress.add(256)
  expect(written).toEqual(["\r\u001b[2K25 %  512 names  1024 a second"])
  clock.now = 1000
  progress.end()
  expect(written.slice(1)).toEqual(["\r\u001b[2K25 %  768 names  768 a second", "\n"])
})

test("a file of unknown length has no share", () => {
  const { progress, written } = progressOn(true, null)
  progress.end()
  expect(written[0]).toBe("\r\u001b[2K0 names  0 a second")
})

test("without a terminal nothing is drawn, and the count is still kept", () => {
  const { progress, written, clock } = progressOn(false, 0.5)
  clock.now = 10_000
  progress.add(256)
  progress.end()
  expect([written, progress.count()]).toEqual([[], 256])
})
