import { expect, test } from "bun:test"
import { EARLIER_SCORERS, nextScorer, SCORER, scorerOf } from "../../../src/sources/screening/scorer.ts"

test("the next scorer is another one than those in use, and no delivery can name it yet", () => {
  const { version, parameterDigest } = nextScorer()
  for (const one of [SCORER, ...EARLIER_SCORERS]) {
    expect(version).not.toBe(one.version)
    expect(parameterDigest).not.toBe(one.parameterDigest)
  }
  expect(scorerOf(version, parameterDigest)).toBeNull()
})
