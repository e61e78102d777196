import { describe, expect } from "bun:test"
import fc from "fast-check"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { nameProblemsOf } from "../../../src/sources/screening/query-forms.ts"
import { screen, screenWallet, TOLERANCE_THRESHOLD } from "../../../src/sources/screening/screen.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const test = slowTests(import.meta.path)

const NAME = "Karvolan Maritime Trading LLC"
const best = (index: NameIndex, ...ask: Parameters<typeof query>) => screen(index, query(...ask)).hits[0]

test.each([NAME, "Карволан Maritime", "Karvоlan", "K".repeat(351), "w ".repeat(40), "Karvo?lan"])(
  "a name has the same problems with and without a search: %s",
  (name) => {
    const found = screen(indexOf(party({ name: NAME })), query(name)).nameProblems
    expect(nameProblemsOf({ name, type: query(name).type })).toEqual(found)
    expect(found.length > 0).toBe(name !== NAME && name !== "Карволан Maritime")
  },
)

describe("a listed organisation is found", () => {
  const index = indexOf(party({ name: NAME }))

  test.each([
    ["exactly", NAME, "EXACT_NAME", 1],
    ["with another legal form", "Karvolan Maritime Trading Inc.", "FUZZY_NAME", 0.97],
    ["without its legal form", "KARVOLAN MARITIME TRADING", "EXACT_NAME", 1],
    ["in another word order", "Trading Maritime Karvolan LLC", "EXACT_NAME", 1],
    ["abbreviated", "Karvolan Maritime Trdg LLC", "EXACT_NAME", 1],
  ] as const)("%s", (_, name, basis, score) => {
    expect(best(index, name)).toMatchObject({ entryId: "1", basis, score })
  })

  test.each(["Karvolan Maritme Trading LLC", "Karvoaln Maritime Trading LLC", "Karvolan Maritime Trading LC"])(
    "with one wrong letter: %s",
    (name) => {
      const hit = best(index, name)
      expect(hit?.entryId).toBe("1")
      expect(hit?.score).toBeGreaterThan(0.9)
    },
  )

  test.each([
    "Karvolanmaritime Trading",
    "Karvo lan Maritime Trading",
    "KarvolanMaritimeTrading",
    "KARVOLANMARITIMETRADINGLLC",
  ])("with other spaces: %s", (name) => {
    expect(best(index, name)?.score).toBeGreaterThan(0.9)
  })

  test("in Cyrillic", () => {
    expect(best(index, "ООО Карволан Маритиме Традинг")?.score).toBeGreaterThan(0.8)
  })

  test("but an unrelated firm that shares its common words is CLEAR", () => {
    expect(screen(index, query("Pellworth Maritime Trading LLC")).state).toBe("CLEAR")
  })
})

describe("tiers and states", () => {
  test("a strong rare name of a blocked organisation is BLOCK and MATCH", () => {
    const result = screen(indexOf(party({ name: NAME })), query(NAME))
    expect(result).toMatchObject({ state: "MATCH", bestScore: 1, hits: [{ tier: "BLOCK" }] })
    expect(result.hits[0]?.explanation.informationSum).toBeGreaterThanOrEqual(1.5)
  })

  test.each([
    ["another country", { countries: ["IR"] }, { countries: ["US"] }],
    ["no stated type", {}, { type: null }],
    [
      "an unlike LEI",
      { identifiers: [{ scheme: "lei", value: "A".repeat(20) }] },
      { identifiers: [{ scheme: "lei", value: "B".repeat(20) }] },
    ],
    ["a ship of that name", { type: "vessel" as const }, {}],
    [
      "a weak alias",
      {
        names: [
          { text: "Other Name", kind: "primary" as const },
          { text: NAME, kind: "weak" as const },
        ],
      },
      {},
    ],
  ])("%s turns BLOCK into HOLD and never into CLEAR", (_, entry, ask) => {
    const result = screen(indexOf(party({ name: NAME, ...entry })), query(NAME, ask))
    expect(result).toMatchObject({ state: "POSSIBLE_MATCH", hits: [{ tier: "HOLD" }] })
  })

  test("a single rare word has too little information to block", () => {
    expect(best(indexOf(party({ name: "Karvolan" })), "Karvolan")).toMatchObject({ score: 1, tier: "HOLD" })
  })

  test("a different number means another party", () => {
    const index = indexOf(party({ name: "Karvolan Unit 61398" }))
    expect(screen(index, query("Karvolan Unit 61399")).state).toBe("CLEAR")
    expect(best(index, "Karvolan Unit 61398")?.score).toBe(1)
  })

  test("lists that hold or add a condition never block", () => {
    expect(screen(indexOf(party({ name: NAME, measure: "hold" })), query(NAME)).state).toBe("POSSIBLE_MATCH")
    expect(screen(indexOf(party({ name: NAME, measure: "condition" })), query(NAME)).state).toBe("PROGRAM_CONDITION")
  })

  test("a person blocks only with more evidence than the name", () => {
    const index = indexOf(
      party({ name: "KARVOL, Ivan Petrovich", type: "person", birthDates: ["27 Dec 1966"], countries: ["RU"] }),
    )
    const ask = (rest: object) => best(index, "Ivan Petrovich Karvol", { type: "person", ...rest })?.tier
    expect(ask({})).toBe("HOLD")
    expect(ask({ birthDates: ["1966-12-27"] })).toBe("BLOCK")
    expect(ask({ countries: ["RU"] })).toBe("HOLD")
    expect(ask({ countries: ["RU"], birthDates: ["1966-12-27"] })).toBe("BLOCK")
    expect(ask({ countries: ["RU"], birthDates: ["1970-01-01"] })).toBe("HOLD")
    expect(ask({ countries: ["US"], birthDates: ["1966-12-27"] })).toBe("HOLD")
  })

  test("the tolerance of the query makes the same name a hit or a near miss", () => {
    const index = indexOf(party({ name: "Karvolan Maritime" }))
    const at = (threshold: number) => screen(index, query("Karvolan Maritime Pim", { threshold }))
    const score = at(TOLERANCE_THRESHOLD.LOW).bestScore
    expect(score).toBeGreaterThanOrEqual(0.65)
    expect(at(score)).toMatchObject({ state: "POSSIBLE_MATCH", nearMisses: [] })
    expect(at(score + 0.0001)).toMatchObject({ state: "CLEAR", hits: [], nearMisses: [{ tier: "NEAR_MISS", score }] })
  })

  test.each([0.6, 1.1, Number.NaN])("threshold %p is refused", (threshold) => {
    expect(() => screen(indexOf(), query(NAME, { threshold }))).toThrow(RangeError)
  })
})

describe("an uncertain result is not CLEAR", () => {
  test.each(["AB LLC", "", "   ", "Limited Company", "X Y"])("%p has too little information: INSUFFICIENT", (name) => {
    expect(screen(indexOf(), query(name)).state).toBe("INSUFFICIENT")
  })

  test("an index without names is never CLEAR", () => {
    expect(screen(new NameIndex({ snapshotIds: {}, parties: [] }), query("Pellworth Foods")).state).toBe("INSUFFICIENT")
  })

  test("a script without a table is SCRIPT_UNSUPPORTED, with the reason", () => {
    expect(screen(indexOf(), query("華為技術"))).toMatchObject({
      state: "SCRIPT_UNSUPPORTED",
      nameProblems: ["SCRIPT_WITHOUT_TABLE"],
    })
  })

  test("a condition on a partly read name does not let it pass", () => {
    const index = indexOf(party({ name: NAME, measure: "condition" }))
    expect(screen(index, query(`${NAME} 華為`))).toMatchObject({
      state: "SCRIPT_UNSUPPORTED",
      hits: [{ tier: "CONDITION" }],
    })
  })
})

describe("identifiers", () => {
  const lei = { scheme: "lei", value: "549300ABCDEF12345678" }

  test("an equal LEI blocks under any name and in any country", () => {
    const index = indexOf(party({ identifiers: [lei], countries: ["IR"] }))
    const result = screen(index, query("Pellworth Foods", { identifiers: [lei], countries: ["US"] }))
    expect(result).toMatchObject({ state: "MATCH", bestScore: 1 })
    expect(result.hits[0]).toMatchObject({ basis: "IDENTIFIER", tier: "BLOCK", explanation: { identifier: lei } })
    expect(result.hits[0]?.corroboration).toMatchObject({ identifier: "MATCH", country: "CONFLICT" })
  })

  test("an equal national number of another country is HOLD", () => {
    const index = indexOf(party({ identifiers: [{ scheme: "registration", value: "1234567" }], countries: ["IR"] }))
    const ask = { identifiers: [{ scheme: "registration", value: "1234567" }] }
    expect(best(index, "Pellworth Foods", { ...ask, countries: ["US"] })?.tier).toBe("HOLD")
    expect(best(index, "Pellworth Foods", { ...ask, countries: ["IR"] })?.tier).toBe("BLOCK")
  })

  test("an identifier of a condition list is a condition", () => {
    const index = indexOf(party({ identifiers: [lei], measure: "condition" }))
    expect(screen(index, query("Pellworth Foods", { identifiers: [lei] })).state).toBe("PROGRAM_CONDITION")
  })

  test("a wallet is found in any letter case, with the worst entry first", () => {
    const wallet = `0x${"a1B2".repeat(10)}`
    const holder = (entryId: string, measure: "block" | "hold") =>
      party({ entryId, measure, identifiers: [{ scheme: "wallet", value: wallet, currency: "ETH" }] })
    const index = indexOf(holder("7", "hold"), holder("8", "block"))
    expect(screenWallet(index, wallet.toLowerCase())).toMatchObject({
      entryId: "8",
      tier: "BLOCK",
      basis: "IDENTIFIER",
    })
    expect(screenWallet(index, `0x${"0".repeat(40)}`)).toBeNull()
    expect(() => screenWallet(index, "0x1234")).toThrow(TypeError)
  })
})

describe("the result is evidence", () => {
  test("its explanation gives the score again", () => {
    const index = indexOf(party({ name: "Karvolan Maritime Trading Offshore" }))
    const hit = best(index, "Karvolan Maritme Trading")!
    const { pairs, queryLeftOver, listedLeftOver, multipliers } = hit.explanation
    expect(pairs.map((pair) => pair.listed).sort()).toEqual(["karvolan", "maritime", "trading"])
    expect(queryLeftOver).toEqual([])
    expect(listedLeftOver).toEqual(["offshore"])
    expect(multipliers).toEqual([])
    const weight = pairs.reduce((sum, pair) => sum + pair.weight, 0)
    const agreed = pairs.reduce((sum, pair) => sum + pair.weight * pair.similarity, 0)
    const offshore = index.tables.vocabulary.weights[index.tables.vocabulary.idOf("offshore")!]!
    const inexact = Math.min(weight - agreed, offshore)
    expect(hit.score).toBeCloseTo(agreed / (weight + 0.25 * offshore + 0.3 * inexact), 3)
  })

  test("it is plain JSON and the same on every call, whatever was queried in between", () => {
    const index = indexOf(party({ name: NAME, countries: ["IR"] }))
    const ask = query("Karvolan Maritme Trading (UK) dba Karvolan", { countries: ["US"] })
    const first = screen(index, ask)
    expect(JSON.parse(JSON.stringify(first))).toEqual(first)
    screen(index, query("Global Trading Company"))
    expect(screen(index, ask)).toEqual(first)
    expect(first.parameterDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test("equal hits are in the order of source and entry, not in the order of the list", () => {
    const twin = (entryId: string) => party({ name: NAME, entryId })
    const order = (...ids: string[]) => screen(indexOf(...ids.map(twin)), query(NAME)).hits.map((hit) => hit.entryId)
    expect(order("30", "2", "10")).toEqual(["10", "2", "30"])
    expect(order("2", "10", "30")).toEqual(["10", "2", "30"])
  })

  test("hits over the limit are counted, and the worst are kept", () => {
    const held = Array.from({ length: 60 }, (_, at) => party({ name: NAME, entryId: `h${at}`, measure: "hold" }))
    const lei = { scheme: "lei", value: "549300ABCDEF12345678" }
    const index = indexOf(...held, party({ name: NAME, entryId: "worst", identifiers: [lei] }))
    const result = screen(index, query(NAME, { identifiers: [lei] }))
    expect(result.hitCount).toBe(61)
    expect(result.hits).toHaveLength(50)
    expect(result.hits[0]?.entryId).toBe("worst")
  })

  test("at most ten near misses are kept, and they are not hits", () => {
    const near = Array.from({ length: 14 }, (_, at) => party({ name: "Karvolan Maritime", entryId: `n${at}` }))
    const result = screen(indexOf(...near), query("Karvolan Maritme", { threshold: 1 }))
    expect(result.nearMisses).toHaveLength(10)
    expect(result).toMatchObject({ state: "CLEAR", hits: [], hitCount: 0 })
  })
})

test("any text gets a result", () => {
  const index = indexOf(party({ name: NAME }))
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.constantFrom("person", "org", null), (name, type) => {
      const result = screen(index, query(name, { type }))
      expect(result.bestScore).toBeGreaterThanOrEqual(0)
      expect(result.bestScore).toBeLessThanOrEqual(1)
    }),
  )
})
