import { expect, test } from "bun:test"
import { Vocabulary, vocabularyTables } from "../../../src/sources/screening/vocabulary.ts"

const WORDS = ["karvolan", "maritime", "trading", "industry", "qadhafi", "of", "limited"]
const vocabulary = new Vocabulary(
  vocabularyTables(WORDS, {
    names: 100,
    namesPerWord: Uint32Array.from([1, 40, 90, 20, 1, 80, 90]),
    parties: 60,
    partiesPerWord: Uint32Array.from([1, 30, 50, 15, 1, 50, 55]),
  }),
)
const meant = (word: string) => [...vocabulary.expand(word).words].map((id) => WORDS[id])

test.each([
  ["karvolan", "karvolan"],
  ["karvollan", "karvolan"],
  ["karvoaln", "karvolan"],
  ["gaddafi", "qadhafi"],
  ["indqstries", "industry"],
])("%s is a possible spelling of %s", (word, listed) => {
  expect(meant(word)).toContain(listed)
})

test("an unknown word has no meaning in the list", () => {
  expect(meant("zzyzx")).toEqual([])
})

test("rare words weigh more than common ones, and particles and company words least", () => {
  const weight = (word: string) => vocabulary.weights[WORDS.indexOf(word)]!
  expect(weight("karvolan")).toBeGreaterThan(weight("maritime"))
  expect(weight("maritime")).toBeGreaterThan(weight("trading"))
  expect(weight("trading")).toBeGreaterThan(weight("limited"))
  expect(weight("of")).toBe(0.15)
})

test("a misspelt company word weighs as little as the company word", () => {
  expect(vocabulary.expand("incorporatd").weight).toBe(0.12)
})
