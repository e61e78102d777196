import { expect, test } from "bun:test"
import { consonantSkeleton } from "../../../src/sources/screening/consonant-skeleton.ts"

test.each([
  ["qadhafi", "gaddafi"],
  ["tchaikovsky", "chaykovski"],
  ["yusuf", "yousef"],
  ["alexander", "aleksander"],
  ["zhukov", "zukov"],
])("%s and %s have the same skeleton", (a, b) => {
  expect(consonantSkeleton(a)).toBe(consonantSkeleton(b))
})

test("words that sound different have different skeletons", () => {
  expect(consonantSkeleton("karvolan")).not.toBe(consonantSkeleton("marvolan"))
})
