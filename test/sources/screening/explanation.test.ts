/** A reviewer with only a hit's explanation and the published parameters computes the same score. */
import { expect, test } from "bun:test"
import { SCORE } from "../../../src/sources/screening/parameters.ts"
import { type ScreenHit, type ScreenQuery, screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

/** The formula of parameters.ts, applied to the explanation's values of four decimals. */
function byHand({ explanation, partyType }: ScreenHit, type: ScreenQuery["type"]): number {
  const { pairs, queryLeftOverWeight: requests, listedLeftOverWeight: listed, multipliers } = explanation
  const weight = pairs.reduce((sum, pair) => sum + pair.weight, 0)
  const agreed = pairs.reduce((sum, pair) => sum + pair.weight * pair.similarity, 0)
  const isPerson = partyType === "person" && type !== "org"
  const share = isPerson ? SCORE.unmatchedListedPerson : SCORE.unmatchedListedOther
  const against =
    SCORE.unmatchedQuery * requests +
    share * listed +
    SCORE.contradiction * Math.min(requests, listed) +
    SCORE.inexactAndMissing * Math.min(weight - agreed, listed)
  return multipliers.reduce((score, { factor }) => score * factor, agreed / (weight + against))
}

const ORGS = indexOf(
  party({ entryId: "1", name: "Karvolan Maritime Trading LLC" }),
  party({ entryId: "2", name: "Karvolan Unit 61398 Marine Services" }),
  party({ entryId: "3", name: "Global Karvolan Petroleum Export Company of Zubrowka" }),
  party({ entryId: "4", names: [{ text: "Karvolan Deep Water Fleet", kind: "weak" }] }),
  party({ entryId: "5", type: "vessel", name: "Karvolan Pride" }),
)
const PERSONS = indexOf(
  party({ entryId: "1", type: "person", name: "KESTRELEV, Marek Antonovich" }),
  party({ entryId: "2", type: "person", name: "ABU KARVOLAN, Idris Tamer Halwani" }),
)

const requests: readonly (readonly [name: string, type: ScreenQuery["type"]])[] = [
  ["Karvolan Maritime Trading", "org"],
  ["Karvolin Maritme Trading Ltd", "org"],
  ["Karvolan Maritime Trading Export", "org"],
  ["Karvolan Maritme Trading Export", "org"],
  ["Maritime Karvolan", "org"],
  ["Karvolan Unit Marine Services", "org"],
  ["Karvolan Marine Services", "org"],
  ["Global Karvolan Petroleum", "org"],
  ["Karvolan Deep Water Fleet", "org"],
  ["Karvolan Pride", "org"],
  ["Karvolan Pride", null],
  ["Marek Kestrelev", "person"],
  ["M. A. Kestrelev", "person"],
  ["Kestrelyev Marek Antonovich", null],
  ["Idris Karvolan", "person"],
]

test.each(requests)("the explanation of every hit for %s (%s) gives its score", (name, type) => {
  const index = type === "org" || name === "Karvolan Pride" ? ORGS : PERSONS
  const { hits, nearMisses } = screen(index, query(name, { type, threshold: 0.65 }))
  const compared = [...hits, ...nearMisses].filter(
    ({ explanation }) => !explanation.multipliers.some(({ rule }) => rule === "WORDS_JOINED"),
  )
  expect(hits.length).toBeGreaterThan(0)
  for (const hit of compared) {
    expect([hit.entryId, hit.matchedName, Math.abs(byHand(hit, type) - hit.score) < 0.001]).toEqual([
      hit.entryId,
      hit.matchedName,
      true,
    ])
  }
})

test("at least one of these hits has unmatched words on each side", () => {
  const all = requests.flatMap(([name, type]) => screen(ORGS, query(name, { type, threshold: 0.65 })).hits)
  expect(all.some(({ explanation }) => explanation.queryLeftOverWeight > 0)).toBe(true)
  expect(all.some(({ explanation }) => explanation.listedLeftOverWeight > 0)).toBe(true)
})
