import { expect, test } from "bun:test"
import { WIDTH_MAX, Width } from "../../../../src/store/engine/postgres/width.ts"

function places(width: Width): number {
  let count = 0
  while (width.mayBegin) {
    width.begin()
    count++
  }
  for (let ended = 0; ended < count; ended++) width.end()
  return count
}

test("four at first, fewer after conflicts, never none, and slowly more after successes", () => {
  const width = new Width()
  expect(places(width)).toBe(4)
  width.conflicted()
  expect(places(width)).toBe(2)
  for (let n = 0; n < 20; n++) width.conflicted()
  expect(places(width)).toBe(1)
  for (let n = 0; n < 16; n++) width.succeeded()
  expect(places(width)).toBe(2)
  for (let n = 0; n < 2_000; n++) width.succeeded()
  expect(places(width)).toBe(WIDTH_MAX)
})
