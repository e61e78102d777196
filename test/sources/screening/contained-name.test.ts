/** A listed name inside a longer one is found, whatever the other words. The rule must not apply to names with too little information. */
import { describe, expect, test } from "bun:test"
import { SCORE, TIERS } from "../../../src/sources/screening/parameters.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const NAME = "Karvolan Maritime Trading"

/** Words around a name. None of them looks like a part of it. */
const AROUND_NAME: readonly ((name: string) => string)[] = [
  (name) => `Pellworth Supplies for ${name}`,
  (name) => `Law Offices of ${name}`,
  (name) => `Global ${name}`,
  (name) => `${name} ref 4711`,
  (name) => `${name} Trading LLC`,
  (name) => `The ${name} Foundation`,
]

const FORMS: readonly string[] = [
  NAME,
  `Global ${NAME}`,
  `Pfandlhuber ${NAME}`,
  `Pellworth Northern ${NAME}`,
  `${NAME} Logistics Brandwick`,
  `Pellworth Supplies for ${NAME}`,
  `dba ${NAME}`,
  `Pellworth Foods dba ${NAME}`,
  `Pellworth Foods (${NAME})`,
  `(${NAME})`,
  `${NAME} Vladivostok`,
  `${NAME}, Vladivostok`,
  `${NAME} ref 4711`,
  `${NAME} - Invoice 12`,
  `${NAME} Invoice 12`,
  `The Very Long and Honourable House of Pellworth Supplies for ${NAME} ref 4711`,
]

describe("a query that contains a listed organisation's whole name is at least a possible match", () => {
  const index = indexOf(party({ name: `${NAME} LLC`, entryId: "listed" }))

  test.each(FORMS)("%s", (name) => {
    for (const type of ["org", null] as const)
      for (const threshold of [0.75, 0.8, 0.85]) {
        const { state, hits } = screen(index, query(name, { type, threshold }))
        expect(["MATCH", "POSSIBLE_MATCH"]).toContain(state)
        expect(hits.map(({ entryId }) => entryId)).toContain("listed")
      }
  })

  test("never blocks for this reason, because the other words may make it another party", () => {
    const { hits } = screen(index, query(`Global ${NAME}`))
    expect(hits).toMatchObject([{ tier: "HOLD", score: SCORE.containedName, basis: "FUZZY_NAME" }])
    expect(SCORE.containedName).toBeLessThan(TIERS.blockScoreMin)
  })

  test("shows its words as pairs, the other words and the rule in its explanation", () => {
    const { hits } = screen(index, query(`Pellworth Supplies for ${NAME} ref 4711`))
    const { explanation } = hits[0]!
    expect(explanation.pairs.map(({ query: requests, listed }) => [requests, listed])).toEqual([
      ["karvolan", "karvolan"],
      ["maritime", "maritime"],
      ["trading", "trading"],
    ])
    expect(explanation.queryLeftOver).toEqual(["pellworth", "supplies", "for", "ref", "4711"])
    expect(explanation.multipliers).toEqual([{ rule: "NAME_CONTAINED", factor: SCORE.containedName }])
    expect(explanation).toMatchObject({ queryLeftOverWeight: 0, listedLeftOver: [], listedLeftOverWeight: 0 })
  })

  test("is still scored by the other multipliers: another legal form, another type", () => {
    const scoreOf = (entry: Parameters<typeof party>[0], requests: string) =>
      screen(indexOf(party(entry)), query(requests, { threshold: 0.65 })).hits[0]?.score
    expect(scoreOf({ name: `${NAME} LLC` }, `Global ${NAME} GmbH & Co. KG`)).toBeCloseTo(
      SCORE.containedName * SCORE.legalFormDiffers,
      4,
    )
    expect(scoreOf({ name: NAME, type: "vessel" }, `Global ${NAME}`)).toBeCloseTo(
      SCORE.containedName * SCORE.typeDiffers,
      4,
    )
  })
})

describe("a query that contains a listed person's whole name is a possible match, in the list's order or in the usual order", () => {
  const index = indexOf(party({ name: "KARVOLAN, Marek Ostap", type: "person", entryId: "listed" }))

  test.each(
    ["KARVOLAN Marek Ostap", "Marek Ostap Karvolan"].flatMap((name) => AROUND_NAME.map((around) => around(name))),
  )("%s", (name) => {
    for (const type of ["org", null] as const)
      for (const threshold of [0.75, 0.8]) {
        const { hits } = screen(index, query(name, { type, threshold }))
        expect([type, threshold, hits.map(({ entryId, tier }) => [entryId, tier])]).toEqual([
          type,
          threshold,
          [["listed", "HOLD"]],
        ])
      }
  })

  test("but not with the words in a third order, apart, or without one of them", () => {
    for (const requests of ["Marek Karvolan Ostap", "Marek Ostap Brandwick Karvolan", "Ostap Karvolan"])
      expect(screen(index, query(`Pellworth Ostermann Supplies for ${requests} Delvik Foods`)).hits).toEqual([])
  })

  test("and also with the words joined", () => {
    expect(screen(index, query("MarekOstapKarvolan", { type: "person" })).hits).toHaveLength(1)
  })
})

test("many aliases do not lower the weight of a party's name", () => {
  const names = ["Karvolan", ...Array.from({ length: 12 }, (_, at) => `Karvolan Q${at}zx`)]
  const crowd = Array.from({ length: 400 }, (_, at) => party({ name: `Pfandl${at}x Trading`, entryId: `crowd-${at}` }))
  const famous = party({ names: names.map((text) => ({ text, kind: "aka" })), entryId: "famous" })
  const { hits } = screen(indexOf(famous, ...crowd), query("Global Karvolan Supplies"))
  expect(hits.map(({ entryId, tier }) => [entryId, tier])).toEqual([["famous", "HOLD"]])
})

describe("any number of legal forms around a listed name does not hide it", () => {
  test.each(["LLC", "Company", "Ltd", "GmbH"])("%s", (form) => {
    const index = indexOf(
      party({ name: "Kelo OOO", entryId: "short" }),
      party({ name: "Promzernobank Public Joint Stock Company", entryId: "long" }),
    )
    for (const times of [2, 8, 12, 14, 20, 30])
      for (const [name, entryId] of [
        ["Kelo OOO", "short"],
        ["Promzernobank Public Joint Stock Company", "long"],
      ] as const) {
        const { hits } = screen(index, query(`Pellworth ${`${form} `.repeat(times)}${name}`))
        expect([form, times, hits.map((hit) => hit.entryId)]).toEqual([form, times, [entryId]])
      }
  })
})

test("a listed name with a separator phrase in it is found inside a longer name", () => {
  const index = indexOf(party({ name: "44th Light Division of the Karvolan Army", entryId: "listed" }))
  for (const requests of [
    "Pellworth Supplies for 44th Light Division of the Karvolan Army",
    "44th Light Division of the Karvolan Army Foods",
  ])
    expect([requests, screen(index, query(requests)).hits.map(({ entryId }) => entryId)]).toEqual([
      requests,
      ["listed"],
    ])
})

describe("a listed name of two letters and a word is found inside a longer name", () => {
  test.each(["Global AB Karvolan", "Pellworth Supplies for AB Karvolan", "AB Karvolan ref 4711"])("%s", (name) => {
    const { hits } = screen(indexOf(party({ name: "AB Karvolan", entryId: "listed" })), query(name))
    expect(hits.map(({ entryId }) => entryId)).toContain("listed")
  })
})

describe("a query does not contain", () => {
  const clear = (listed: Parameters<typeof party>[0], requests: string) =>
    expect(screen(indexOf(party(listed)), query(requests)).state).toBe("CLEAR")

  test("a name with its words in another order", () =>
    clear({ name: NAME }, `Northern Trading Pellworth Karvolan Brandwick`))
  test("a name with its words apart", () =>
    clear({ name: NAME }, `Brandwick Karvolan Pellworth Maritime Foods Ostermann Trading`))
  test("a name with one word missing", () =>
    clear({ name: NAME }, "Global Pellworth Brandwick Ostermann Maritime Trading"))
  test("a name of words that many listed names have", () => {
    const many = Array.from({ length: 400 }, (_, at) =>
      party({ name: `Trading International Q${at}ZX`, entryId: `many-${at}` }),
    )
    const index = indexOf(party({ name: "Trading International" }), ...many)
    expect(screen(index, query("Pellworth Trading International Foods")).state).toBe("CLEAR")
    expect(screen(index, query("Trading International")).state).toBe("POSSIBLE_MATCH")
  })
  test("one short word", () => clear({ name: "Kelo" }, "Pellworth Kelo Brandwick Foods"))
  test("one short word beside an article", () => clear({ name: "La Kelo" }, "Pellworth La Kelo Brandwick Foods"))
  test("one listed word that is two words in the query", () =>
    clear({ name: "Karvolan" }, "Karvo Lan Foods Brandwick, Inc."))
  test("a ship's name of one word", () =>
    clear({ name: "Karvolan", type: "vessel" }, "Pellworth Karvolan Brandwick Foods"))
  test("a weak alias", () =>
    clear({ names: [{ text: "Karvolan Maritime", kind: "weak" }] }, "Pellworth Karvolan Maritime Brandwick Foods"))
  test("one word that is listed with a legal form", () =>
    clear({ name: "Karvolan LLC" }, "Pellworth Karvolan Brandwick Foods"))
})

test("one short word is found if the listed legal form is next to it", () => {
  const index = indexOf(party({ name: "Kelo OJSC", entryId: "listed" }))
  const found = (name: string) => screen(index, query(name)).hits.map(({ entryId }) => entryId)
  expect(found("Pellworth Supplies for Kelo OJSC ref 4711")).toEqual(["listed"])
  expect(found("Pellworth Supplies for Kelo Brandwick OJSC")).toEqual([])
})

test("an organisation's whole name of one rare word is found inside a firm's name, but not inside a person's name", () => {
  const index = indexOf(party({ name: "Promzernobank", entryId: "listed" }))
  const found = (name: string, type: "org" | "person" | null) =>
    screen(index, query(name, { type })).hits.map(({ entryId }) => entryId)
  expect(found("Pellworth Supplies for Promzernobank ref 4711", "org")).toEqual(["listed"])
  expect(found("Pellworth Supplies for Promzernobank ref 4711", null)).toEqual(["listed"])
  expect(found("Pellworth Ivan Brandwick Promzernobank", "person")).toEqual([])
})
