/** Each row of the tables of trade words and of persons' names: any two of its words find each other beside a rare word. */
import { describe, expect, test } from "bun:test"
import { sequence } from "../../../scripts/bench/screening/name-variants.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { MEANING, meaningsFor, meanTheSame } from "../../../src/sources/screening/same-meaning.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { SHORT_FORM_ROWS, SPELLING_ROWS } from "../../../src/sources/screening/words/person-words.ts"
import { TRADE_ROWS } from "../../../src/sources/screening/words/trade-words.ts"
import { indexOf, party, query } from "./sample-parties.ts"

interface Pair {
  readonly listed: string
  readonly written: string
  /** No other name of the test has it. */
  readonly rare: string
}

/** Rare words that do not resemble each other. */
function pairsOf(words: readonly (readonly [string, string])[]): Pair[] {
  const next = sequence(20_261_130)
  const letter = (from: string) => from[Math.floor(next() * from.length)]!
  const syllable = () => letter("bdfgklmnprtvz") + letter("aeiou")
  return words.map(([listed, written]) => ({ listed, written, rare: Array.from({ length: 6 }, syllable).join("") }))
}

const bothWays = (rows: readonly (readonly string[])[]) =>
  rows.flatMap((row) => row.flatMap((a) => row.filter((b) => b !== a).map((b) => [a, b] as const)))

/** Pairs whose listed name the written one does not find. */
function missed(
  pairs: readonly Pair[],
  type: "person" | "org",
  nameOf: (word: string, rare: string) => string,
): string[] {
  const parties = pairs.map(
    ({ listed, rare }, at): Party => party({ name: nameOf(listed, rare), type, entryId: `pair-${at}` }),
  )
  const index = indexOf(...parties)
  return pairs.flatMap(({ listed, written, rare }, at) => {
    const { hits } = screen(index, query(nameOf(written, rare), { type }))
    return hits.some(({ entryId }) => entryId === `pair-${at}`) ? [] : [`${listed} ${written}`]
  })
}

describe("words of one row", () => {
  test("trade words: the listed firm is found under each other word", () => {
    const pairs = pairsOf(bothWays(TRADE_ROWS))
    expect(pairs.length).toBeGreaterThan(2_000)
    expect(missed(pairs, "org", (word, rare) => `${rare} ${word}`)).toEqual([])
  })

  test("spellings of a name: the listed person is found under each other one", () => {
    const pairs = pairsOf(bothWays(SPELLING_ROWS))
    expect(missed(pairs, "person", (word, rare) => `${rare} ${word}`)).toEqual([])
  })

  test("short forms: the listed person is found under the short form, and one listed by it under the long one", () => {
    const pairs = SHORT_FORM_ROWS.flatMap(([long = "", ...shorts]) =>
      shorts.flatMap((short) => [[long, short] as const, [short, long] as const]),
    )
    expect(missed(pairsOf(pairs), "person", (word, rare) => `${rare} ${word}`)).toEqual([])
  })

  test("are less than equal, so an equal name is the better hit", () => {
    for (const similarity of Object.values(MEANING)) expect(similarity).toBeLessThan(1)
  })

  test("of firms do not count in the name of a person, and the other way round", () => {
    expect(meaningsFor.person().get("bank")?.has("banco") ?? false).toBe(false)
    expect(meaningsFor.org().get("joseph")?.has("joe") ?? false).toBe(false)
    expect(meanTheSame("bank", "banco")).toBe(true)
    expect(meanTheSame("joseph", "joe")).toBe(true)
  })
})
