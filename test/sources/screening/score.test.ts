/** The score rules that appear in an explanation, each with a name that needs it and a name that it must not change. */
import { describe, expect, test } from "bun:test"
import type { Party } from "../../../src/sources/records/party.ts"
import { type ScreenHit, screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const PERSON = { type: "person" } as const

/** The hit on the one listed party, or undefined if the name stays below 0.65. */
function hitOn(listed: Partial<Party> & { readonly name?: string }, name: string): ScreenHit | undefined {
  const index = indexOf(party({ ...listed, entryId: "listed" }))
  const { hits, nearMisses } = screen(index, query(name, { type: listed.type === "person" ? "person" : "org" }))
  return [...hits, ...nearMisses].find(({ entryId }) => entryId === "listed")
}
const scoreOf = (listed: Partial<Party> & { readonly name?: string }, name: string): number =>
  hitOn(listed, name)?.score ?? 0

describe("two typos in one word", () => {
  test("are found if every other word agrees", () => {
    expect(scoreOf({ ...PERSON, name: "DERAMCHI, Othman" }, "Othman Peramxchi")).toBeGreaterThanOrEqual(0.8)
    expect(scoreOf({ name: "Vektor Etalon" }, "Vlkto Etalon")).toBeGreaterThanOrEqual(0.75)
  })

  test("are not found if either name has another unmatched word", () => {
    expect(scoreOf({ ...PERSON, name: "DERAMCHI, Othman Said" }, "Othman Peramxchi")).toBeLessThan(0.65)
  })
})

test("a misspelt word next to a missing listed word lowers the score", () => {
  const whole = scoreOf({ ...PERSON, name: "BARRE, Marian" }, "Marion Barre")
  const absent = scoreOf({ ...PERSON, name: "BARRE OMAR, Marian" }, "Marion Barre")
  const exact = scoreOf({ ...PERSON, name: "BARRE OMAR, Marian" }, "Marian Barre")
  expect(whole).toBeGreaterThan(0.9)
  expect(absent).toBeLessThan(exact - (1 - whole))
})

describe("initials", () => {
  test("with one matching word stay below tolerance MEDIUM", () => {
    const hit = hitOn({ ...PERSON, name: "EKLUND, Robert" }, "Robert E")
    expect(hit?.explanation.multipliers.map(({ rule }) => rule)).toContain("INITIALS_ONLY")
    expect(hit?.score).toBeLessThan(0.8)
  })

  test("next to two matching words cost little", () => {
    expect(scoreOf({ ...PERSON, name: "EKLUND, Leif Robert" }, "Leif R. Eklund")).toBeGreaterThan(0.9)
  })
})

test("a patronymic that the list omits does not make another name", () => {
  const listed = { ...PERSON, name: "KARVOLAN, Sergey" }
  expect(scoreOf(listed, "Sergey Viktorovich Karvolan")).toBeGreaterThanOrEqual(0.8)
  expect(scoreOf(listed, "Sergey Brandwick Karvolan")).toBeLessThan(0.75)
})

test("a repeated word counts once", () => {
  expect(scoreOf({ ...PERSON, name: "KARVOLAN, Sergey" }, "Sergey Sergey Karvolan")).toBeGreaterThanOrEqual(0.85)
  expect(scoreOf({ name: "Karvolan Trading" }, "Karvolan Trading Karvolan Trading")).toBe(1)
})

test("a weak alias counts less when it is also misspelt", () => {
  const weak = { ...PERSON, names: [{ text: "Algrein", kind: "weak" as const }] }
  expect(scoreOf(weak, "Algrein")).toBe(0.9)
  expect(scoreOf(weak, "Algrien")).toBeLessThan(0.8)
})

describe("a mistyped legal form", () => {
  test.each([
    ["Orka Holding AD", "Orka Holding ED"],
    ["Dalian Haibo Freight Co. Ltd.", "Dalian Haibo Freight Ro. Ltd."],
    ["Open Joint Stock Company Muromtep", "Open Jokint Stock Company Muromtep"],
    ["Joint Stock Company Fortiana", "Jont Stock Company Fortiana"],
  ])("%s is found as %s", (name, requests) => expect(scoreOf({ name }, requests)).toBeGreaterThanOrEqual(0.8))

  test("is a word of the name if the listed name states no form", () => {
    expect(scoreOf({ name: "Orka Holding" }, "Orkka Holding ED")).toBeLessThan(
      scoreOf({ name: "Orka Holding AD" }, "Orkka Holding ED"),
    )
  })
})

test("numbers do not make a name rare enough to block", () => {
  const hit = hitOn({ name: "Vision 20-20, S.A." }, "VISION 20 20 INC")
  expect(hit).toMatchObject({ score: 1, tier: "HOLD" })
  expect(hit?.explanation.informationSum).toBeLessThan(1.5)
})
