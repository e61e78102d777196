import { describe, expect } from "bun:test"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import * as commonWords from "../../../src/sources/screening/common-words.ts"
import * as consonantSkeleton from "../../../src/sources/screening/consonant-skeleton.ts"
import { EVIDENCE, NEEDED, OTHER_FORMS } from "../../../src/sources/screening/evidence.ts"
import { legalFormBits, MISTYPED_FORMS } from "../../../src/sources/screening/legal-forms.ts"
import * as letterTables from "../../../src/sources/screening/letter-tables.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import * as nameParts from "../../../src/sources/screening/name-parts.ts"
import {
  CONTAINED,
  PARAMETER_DIGEST,
  parameters,
  SCORE,
  SEARCH,
  TIERS,
  WORDS,
} from "../../../src/sources/screening/parameters.ts"
import { FIRST_SIGNALS, LAST_SIGNALS, READING_PATTERNS } from "../../../src/sources/screening/readings.ts"
import { MEANING } from "../../../src/sources/screening/same-meaning.ts"
import { EARLIER_SCORERS, SCORER, type Scorer } from "../../../src/sources/screening/scorer.ts"
import { type ScreenResult, screen } from "../../../src/sources/screening/screen.ts"
import * as tokenSimilarity from "../../../src/sources/screening/token-similarity.ts"
import { SHORT_FORM_ROWS, SPELLING_ROWS } from "../../../src/sources/screening/words/person-words.ts"
import { PLACE_WORDS } from "../../../src/sources/screening/words/place-words.ts"
import { REGISTER_WORDS } from "../../../src/sources/screening/words/register-words.ts"
import { TITLE_WORDS } from "../../../src/sources/screening/words/title-words.ts"
import { TRADE_ROWS } from "../../../src/sources/screening/words/trade-words.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { TRICKS } from "./name-tricks.ts"
import { CROWD, party, query } from "./sample-parties.ts"

const test = slowTests(import.meta.path)

test("the parameter digest stays the same until someone changes a parameter or table on purpose", () => {
  expect(PARAMETER_DIGEST).toBe(
    "sha256:6eaf74870b0da245396d8f56d2e6b24d04ed28498985c01905f4872db55f0c64" as typeof PARAMETER_DIGEST,
  )
})

/** Whoever changes a table keeps the old one for the earlier scorers, or removes those that need it. */
test("each earlier scorer has the parameters of its digest", () => {
  for (const scorer of EARLIER_SCORERS)
    expect(digestOf(parameters(scorer) as never) as string).toBe(scorer.parameterDigest)
})

/** A table in the form of the digest: sets as arrays, maps as objects, patterns as their text. */
function plain(value: unknown): unknown {
  if (value instanceof RegExp) return value.source
  if (value instanceof Set) return [...value]
  if (value instanceof Map) return Object.fromEntries(value)
  if (Array.isArray(value)) return value.map(plain)
  return value
}

/** `value` and everything below it. */
function within(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(within)] : [value]
}

describe("the digest contains every table that a score depends on", () => {
  const held = new Set(within(parameters()).map((value) => canonicalize(value as never)))
  const tables: Readonly<Record<string, unknown>> = {
    ...commonWords,
    ...letterTables,
    ...consonantSkeleton,
    ...tokenSimilarity,
    ...nameParts,
    ...{ LEGAL_FORM_BITS: legalFormBits(), MISTYPED_FORMS, SCORE, SEARCH, CONTAINED, TIERS },
    ...{ WORDS, EVIDENCE, NEEDED, MEANING, OTHER_FORMS, FIRST_SIGNALS, LAST_SIGNALS, READING_PATTERNS },
    ...{ SHORT_FORM_ROWS, SPELLING_ROWS, PLACE_WORDS, REGISTER_WORDS, TITLE_WORDS, TRADE_ROWS },
  }
  const names = Object.keys(tables).filter((name) => typeof tables[name] === "object")

  test("more than 18 tables are checked", () => expect(names.length).toBeGreaterThan(18))

  test.each(names.filter((name) => !["ABBREVIATIONS", "PHRASES", "DIGIT_END"].includes(name)))("%s", (name) => {
    expect(held).toContain(canonicalize(plain(tables[name]) as never))
  })

  test("the separator words, each one separately", () => {
    for (const word of [...nameParts.ABBREVIATIONS, ...nameParts.PHRASES]) expect(held).toContain(canonicalize(word))
  })

  test("a change of any entry changes the digest", () => {
    for (const [name, table] of Object.entries(parameters().tables)) {
      const changed = { ...parameters(), tables: { ...parameters().tables, [name]: { ...table, changed: "x" } } }
      expect(digestOf(changed)).not.toBe(PARAMETER_DIGEST)
    }
  })
})

/** The scorer's results for fixed names on a fixed list, to the fourth decimal. */
function behaviour(scorer: Scorer): string {
  const listed = ["Karvolan Maritime Trading LLC", "OOO Promstroy Grupp", "Banco Pellworth, S.A.", "Delvik 44"]
  const parties = [
    ...listed.map((name, at) => party({ name, entryId: `org-${at}` })),
    party({ name: "KARVOLAN, Ivan Petrovich", entryId: "person-1", type: "person" }),
    party({ names: [{ text: "Pelworth", kind: "weak" }], entryId: "weak-1", type: "person" }),
    party({ name: "Nordvik Star", entryId: "vessel-1", type: "vessel" }),
    ...CROWD,
  ]
  const index = new NameIndex({ snapshotIds: {}, parties }, scorer)
  const requests = [...listed, "Ivan Karvolan", "I. Karvolan", "Karvolan I.P.", "Nordvik Star", "Pelworth"].flatMap(
    (name) => [
      name,
      name.slice(1),
      name.replace("v", "w"),
      name.replace("l", "xz"),
      name.split(" ").reverse().join(" "),
      `${name} Services`,
      ...Object.values(TRICKS).map((trick) => trick(name)),
    ],
  )
  const told = ({ state, hits, nearMisses }: ScreenResult) => [
    state,
    ...[...hits, ...nearMisses].map(({ entryId, score, tier }) => [entryId, score, tier]),
  ]
  const types = [null, "person", "org"] as const
  return digestOf(requests.flatMap((name) => types.map((type) => told(screen(index, query(name, { type })))))).slice(
    7,
    23,
  )
}

test("the behaviour belongs to its version: whoever changes this digest raises SCORER_VERSION in the same commit", () => {
  expect(Object.fromEntries([SCORER, ...EARLIER_SCORERS].map((one) => [one.version, behaviour(one)]))).toEqual({
    "svc-name-score/1.5.0": "de739587f9d3440d",
    "svc-name-score/1.4.0": "157a65a64e7b1078",
    "svc-name-score/1.3.0": "157a65a64e7b1078",
  })
})

test("every factor lowers a score and every tier limit can be reached", () => {
  for (const factor of [SCORE.singleTokenOverlap, SCORE.numberDiffers, SCORE.weakAlias, SCORE.typeDiffers])
    expect(factor).toBeLessThan(1)
  expect(TIERS.nearMissMin).toBeLessThan(TIERS.blockScoreMin)
})

test("a legal form belongs to exactly one class", () => {
  for (const bits of legalFormBits().values()) expect(Number.isInteger(Math.log2(bits))).toBe(true)
})
