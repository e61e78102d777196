/** A letter is read or reported and never dropped, so a name in a script without a table cannot be CLEAR. */
import { describe, expect } from "bun:test"
import fc from "fast-check"
import { foldName } from "../../../src/sources/screening/fold.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { atLength, SEED } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const test = slowTests(import.meta.path)

const index = indexOf(
  party({
    names: [
      { text: "Huaxin Optics", kind: "primary" },
      { text: "華信光學 研究所", kind: "native" },
    ],
    entryId: "han",
  }),
  party({
    names: [
      { text: "Choson Trading", kind: "primary" },
      { text: "조선무역회사", kind: "native" },
    ],
    entryId: "hangul",
  }),
  party({ names: [{ text: "बैंक ऑफ बड़ौदा", kind: "native" }], entryId: "devanagari" }),
)

/** Scripts of living and dead languages without a table. The five supported scripts are not among them. */
const UNREAD = (
  "Han Hangul Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tibetan Mongolian Georgian Armenian Devanagari Bengali Gurmukhi Gujarati " +
  "Oriya Tamil Telugu Kannada Malayalam Sinhala Ethiopic Cherokee Canadian_Aboriginal Ogham Runic Tagalog Limbu Tai_Le Balinese Javanese " +
  "Sundanese Batak Lepcha Ol_Chiki Glagolitic Coptic Tifinagh Yi Lisu Vai Bamum Syloti_Nagri Saurashtra Kayah_Li Rejang Cham Meetei_Mayek " +
  "Syriac Thaana Nko Samaritan Mandaic Gothic Deseret Shavian Osmanya Osage Adlam Chakma Newa Tirhuta Siddham Modi Takri Warang_Citi " +
  "Linear_B Cuneiform Egyptian_Hieroglyphs Nushu Tangut Hanifi_Rohingya Wancho Toto Vithkuqi"
).split(" ")

const lettersOf = (script: string): string[] => {
  const pattern = new RegExp(`^\\p{Script=${script}}$`, "u")
  const found: string[] = []
  for (let point = 0x370; point < 0x1f000 && found.length < 400; point++) {
    const letter = String.fromCodePoint(point)
    // A filler of Hangul is a letter that nobody sees. A name of nothing else is INSUFFICIENT, without a problem.
    const isVisible = /^\p{L}$/u.test(letter) && !/\p{Default_Ignorable_Code_Point}/u.test(letter)
    if (isVisible && pattern.test(letter)) found.push(letter)
  }
  return found
}

describe("a name with a word in", () => {
  test.each(UNREAD)("%s is never CLEAR", (script) => {
    const letters = lettersOf(script)
    expect(letters.length).toBeGreaterThan(0)
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        (word, beside) => {
          const name = beside ? `Pellworth ${word.join("")}` : word.join("")
          const { state, hits, nameProblems } = screen(index, query(name))
          expect(state).not.toBe("CLEAR")
          expect(hits.length + nameProblems.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 25 },
    )
  })
})

/** A short run reads one letter of this many; which one, the seed says. */
const APART = atLength(8, 1)

test(`${APART === 1 ? "every letter" : `one letter of ${APART}`} of Unicode is read as a letter or reported`, () => {
  const dropped: string[] = []
  for (let point = 0x41 + (SEED % APART); point <= 0x3134f; point += APART) {
    if (point >= 0xd800 && point < 0xe000) continue
    const letter = String.fromCodePoint(point)
    if (!/^\p{L}$/u.test(letter)) continue
    const { readings, problems } = foldName(`pell${letter}worth`)
    const kept = readings.some((reading) => /pell.+worth/.test(reading.replace(/ /g, "")))
    if (problems.length === 0 && !kept) dropped.push(`${point.toString(16)} ${letter}`)
  }
  expect(dropped.filter((letter) => !SILENT.test(letter.normalize("NFKC")))).toEqual([])
}, 60_000)

/** Marks of length and softness, which romanisations omit, and vowel signs that Unicode classes as letters when they are alone. */
const SILENT = /^[0-9a-f]+ (?:[ʹʺʻʼʽʾʿˈꞌꞋъьЪЬᲚ\u0621\u0626\u0640\u115f\u1160\s]|\p{M})+$/u

describe("a listed name in an unsupported script", () => {
  test.each([
    ["華信光學 研究所", "han"],
    ["華信光學研究所", "han"],
    ["조선무역회사", "hangul"],
    ["조선무역회사".normalize("NFD"), "hangul"],
    ["बैंक ऑफ बड़ौदा", "devanagari"],
    ["Pellworth / 조선무역회사", "hangul"],
  ])("%s is found by its own letters", (name, entryId) => {
    expect(screen(index, query(name)).hits.map((hit) => hit.entryId)).toContain(entryId)
  })

  test("with one letter less is another word, and still not CLEAR", () => {
    const { state, hits } = screen(index, query("조선무역회"))
    expect(hits).toEqual([])
    expect(state).toBe("SCRIPT_UNSUPPORTED")
  })

  test("with another vowel mark is another word", () => {
    expect(screen(index, query("बींक ऑफ बड़ौदा")).hits.map(({ score }) => score)).not.toContain(1)
  })
})
