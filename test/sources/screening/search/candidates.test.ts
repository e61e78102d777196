/** No name that reaches the least score is left out before it is compared: the search is held against the score of every listed name. */
import { expect, test } from "bun:test"
import {
  type Next,
  randomTypo,
  sequence,
  shuffled,
  slip,
  twoRandomTypos,
} from "../../../../scripts/bench/screening/name-variants.ts"
import { samParties, sanctionsParties } from "../../../../scripts/bench/screening/published-parties.ts"
import type { Party } from "../../../../src/sources/records/party.ts"
import { foldName } from "../../../../src/sources/screening/fold.ts"
import { SameMeaning } from "../../../../src/sources/screening/listed-meanings.ts"
import { PERSON } from "../../../../src/sources/screening/listed-names.ts"
import { type NameClass, nameForms } from "../../../../src/sources/screening/name-form.ts"
import { NameIndex } from "../../../../src/sources/screening/name-index.ts"
import { TIERS } from "../../../../src/sources/screening/parameters.ts"
import { NameScorer } from "../../../../src/sources/screening/score.ts"
import { Candidates } from "../../../../src/sources/screening/search/candidates.ts"
import { atLength } from "../../../fixtures/long.ts"
import { party } from "../sample-parties.ts"

const LISTS = process.env["BIZAUTH_LISTS"]

const pick = <T>(items: readonly T[], next: Next): T => items[Math.floor(next() * items.length)]!
const SYLLABLES = "ka ro mi sta len vor du pe shi an bri to gul ez ny al qua fe zin or".split(" ")
const TRADES = "trading shipping bank oil group holding air industries petroleum services of the al fund capital".split(
  " ",
)

const wordOf = (next: Next): string =>
  Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(SYLLABLES, next)).join("")
const letterOf = (next: Next): string => pick([..."abkmrs"], next)

/** A name of a firm, or `Given M. Family` of a person. Its words come from few, so that many names share one. */
function inventedNames(count: number, next: Next): Party[] {
  const words = Array.from({ length: count / 4 }, () => wordOf(next))
  return Array.from({ length: count }, (_, at): Party => {
    const isPerson = at % 2 === 0
    const rare = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(words, next))
    const other = isPerson ? letterOf(next) : pick(TRADES, next)
    const name = (next() < 0.6 ? [...rare, other] : next() < 0.3 ? [pick(["2", "47"], next), ...rare] : rare).join(" ")
    return party({ entryId: String(at), type: isPerson ? "person" : "org", name })
  })
}

/** Two neighbouring letters of a word of seven letters are two others, or one. */
function neighboursChanged(name: string, next: Next): string {
  const at = name.search(/[a-z]{7}/i)
  return at < 0 ? name : `${name.slice(0, at + 3)}${pick(["xj", "x"], next)}${name.slice(at + 5)}`
}

const CHANGES: readonly ((name: string, next: Next) => string)[] = [
  ...[(name: string) => name, shuffled, randomTypo, twoRandomTypos, slip, neighboursChanged],
  (name) => name.replace(/^(\w)\w+ /, "$1 "),
  (name) => name.replace(/ \w+$/, ""),
  (name, next) => `${name} ${pick(TRADES, next)}`,
  (name, next) => `${randomTypo(name, next)} ${letterOf(next)}`,
  (name, next) => `${wordOf(next)} ${name}`,
]

/** Names that score and were not found, for queries that change listed names. */
function missedBy(parties: readonly Party[], queries: number, next: Next): { missed: string[]; reached: number } {
  const { tables } = new NameIndex({ snapshotIds: {}, parties })
  const scorer = new NameScorer(tables, new SameMeaning(tables.vocabulary))
  const candidates = new Candidates(tables, scorer)
  const missed: string[] = []
  let reached = 0
  for (let n = 0; n < queries; n++) {
    const text = pick(CHANGES, next)(pick(pick(parties, next).names, next).text, next)
    const nameClass: NameClass = pick(["person", "org", "unknown"], next)
    for (const form of nameForms(foldName(text).readings[0] ?? "", nameClass)) {
      if (form.tokens.length === 0) continue
      scorer.load(form, form.tokens)
      const found = new Set(candidates.names.subarray(0, candidates.find()))
      for (let name = 0; name < tables.names; name++) {
        const person = form.nameClass !== "org" && tables.types[tables.party[name]!] === PERSON
        if (scorer.score(name, person) < TIERS.nearMissMin) continue
        reached++
        if (found.has(name) && scorer.bound.mayReach(name, person)) continue
        const listed = tables.partyAt(tables.party[name]!).names[tables.ordinal[name]!]!.text
        missed.push(`${nameClass}: ${text} / ${listed}`)
      }
    }
  }
  return { missed, reached }
}

test("invented names: none is missed", () => {
  const next = sequence(20_261_201)
  const { missed, reached } = missedBy(inventedNames(1200, next), atLength(6000, 60_000), next)
  expect(missed).toEqual([])
  expect(reached).toBeGreaterThan(6000)
}, 120_000)

/** Two common words resemble each other. The first name has one of them, and a rare word that is two edits from the other. */
function alikeWords(next: Next): Party[] {
  const others = Array.from({ length: 400 }, (_, at) => `${at % 2 === 0 ? "mohamed" : "mohammed"} ${wordOf(next)}${at}`)
  const names = ["mohammed rohated", ...others]
  return names.map((name, at) => party({ entryId: String(at), type: "person", name }))
}

test("a name is found if a word with two edits also resembles a word that pairs with another one", () => {
  const { search } = new NameIndex({ snapshotIds: {}, parties: alikeWords(sequence(1)) })
  for (const text of ["mohammed mohamed", "mohamed mohammed"])
    expect(search.find(nameForms(text, "person")).map((match) => match.party)).toEqual([0])
})

test.skipIf(LISTS === undefined)(
  "published names: none is missed",
  () => {
    const parties = [...sanctionsParties(LISTS!), ...samParties(LISTS!)]
    const { missed, reached } = missedBy(parties, atLength(150, 3000), sequence(4711))
    expect(missed).toEqual([])
    expect(reached).toBeGreaterThan(60)
  },
  300_000,
)
