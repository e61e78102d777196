import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  letterSet,
  lettersApart,
  shortTypoSimilarity,
  tokenSimilarity,
  typoSimilarity,
} from "../../../src/sources/screening/token-similarity.ts"

test.each([
  ["qadhafi", "gadafi"],
  ["mohammed", "muhammad"],
  ["karvolan", "karvolna"],
  ["karvolan", "karvollan"],
  ["yusuf", "yousef"],
])("%s and %s may be the same word", (a, b) => {
  expect(tokenSimilarity(a, b)).toBeGreaterThan(0.7)
})

test.each([
  ["61398", "61399"],
  ["ab", "ac"],
  ["bank", "tank"],
  ["karvolan", "delta"],
  ["x".repeat(41), "x".repeat(40)],
])("%s and %s are different words", (a, b) => {
  expect(tokenSimilarity(a, b)).toBe(0)
})

test("a different first letter counts more than a different inner letter", () => {
  expect(tokenSimilarity("narvolan", "karvolan")).toBeLessThan(tokenSimilarity("kartolan", "karvolan"))
})

const word = fc.stringMatching(/^[a-z]{1,39}$/)

test("similarity is between 0 and 1, and 1 only for equal words", () => {
  fc.assert(
    fc.property(word, word, (a, b) => {
      const similarity = tokenSimilarity(a, b)
      expect(similarity).toBeGreaterThanOrEqual(0)
      expect(similarity).toBeLessThanOrEqual(1)
      expect(similarity === 1).toBe(a === b)
    }),
  )
})

test("one missing letter in a word of seven or more keeps it above the pairing minimum", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{7,20}$/), fc.nat(), (long, at) => {
      const place = 1 + (at % (long.length - 1))
      expect(tokenSimilarity(long.slice(0, place) + long.slice(place + 1), long)).toBeGreaterThan(0.7)
    }),
  )
})

test("short words are similar with one edit, but not with two", () => {
  expect(shortTypoSimilarity("lc", "llc")).toBeGreaterThan(0.5)
  expect(shortTypoSimilarity("bnak", "bank")).toBeGreaterThan(0.5)
  expect(shortTypoSimilarity("bank", "bulk")).toBe(0)
})

test("only the last unmatched words may differ by two edits anywhere", () => {
  expect(typoSimilarity("metxalluwgical", "metallurgical", true)).toBeGreaterThan(0.8)
  expect(typoSimilarity("vlkto", "vektor", true)).toBeGreaterThan(0.6)
  expect(typoSimilarity("vlkto", "vektor", false)).toBe(0)
  expect(typoSimilarity("bnk", "bulk", true)).toBe(0)
  expect(typoSimilarity("l", "al", true)).toBeGreaterThan(0.5)
  expect(typoSimilarity("l", "al", false)).toBe(0)
})

test("words too long for comparison are never similar", () => {
  expect(typoSimilarity("x".repeat(41), "x".repeat(40), true)).toBe(0)
})

test("words with more than four different letters are never similar by two edits, so the filter loses nothing", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-h]{1,12}$/), fc.stringMatching(/^[a-h]{1,12}$/), fc.boolean(), (a, b, last) => {
      if (typoSimilarity(a, b, last) > 0) expect(lettersApart(letterSet(a), letterSet(b))).toBeLessThanOrEqual(4)
    }),
    { numRuns: 2000 },
  )
})
