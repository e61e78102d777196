/**
 * How well the search does on the publishers' own lists. The limits are what was measured less the noise of the sample, so
 * that a change that loses matches or floods reviewers fails here.
 */
import { beforeAll, describe, expect, test } from "bun:test"
import type { Party } from "../../../src/sources/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { type ScreenResult, screen } from "../../../src/sources/screening/screen.ts"
import { LISTS, ofacParties, personNames, samFirms } from "./published-lists.ts"
import { query } from "./sample-parties.ts"

const skipped = LISTS === undefined
if (skipped) console.log("screening quality is not measured: BIZAUTH_LISTS does not name the folder of published lists")

/** A fixed sequence of numbers in [0, 1): the same sample on every run. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** One letter replaced, left out, added or exchanged with the next, anywhere in the name. */
function withTypo(name: string, next: () => number): string {
  for (;;) {
    const at = Math.floor(next() * name.length)
    const kind = Math.floor(next() * 4)
    const letter = String.fromCharCode(65 + Math.floor(next() * 26))
    if (!/[A-Za-z]/.test(name[at]!)) continue
    const before = name.slice(0, at)
    const after = name.slice(at + 1)
    if (kind === 3 && !/^[A-Za-z]/.test(after)) continue
    const changed = [
      before + letter + after,
      before + after,
      before + letter + name.slice(at),
      before + after[0] + name[at] + after.slice(1),
    ][kind]!
    if (changed !== name) return changed
  }
}

function shuffled(name: string, next: () => number): string {
  const words = name.split(" ")
  for (let at = words.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[words[at], words[other]] = [words[other]!, words[at]!]
  }
  return words.join(" ")
}

describe.skipIf(skipped)("on the OFAC list of July 2021", () => {
  let index: NameIndex
  let sample: { readonly entryId: string; readonly name: string }[]
  let next: () => number

  beforeAll(() => {
    const parties = ofacParties(`${LISTS}/us_ofac_sdn/2021-07-full`)
    index = new NameIndex({ snapshotIds: {}, parties })
    next = sequence(20_210_707)
    sample = sampleOf(parties, 200, next)
  })

  const recall = (variant: (name: string) => string): number =>
    sample.filter(({ entryId, name }) =>
      screen(index, query(variant(name))).hits.some((hit) => hit.entryId === entryId),
    ).length / sample.length

  test("every listed organisation is found by its exact name", () => {
    expect(recall((name) => name)).toBe(1)
  })

  test("at least 95 of 100 are found with one wrong letter", () => {
    expect(recall((name) => withTypo(name, next))).toBeGreaterThanOrEqual(0.95)
  })

  test("at least 99 of 100 are found in another word order", () => {
    expect(recall((name) => shuffled(name, next))).toBeGreaterThanOrEqual(0.99)
  })

  test("every one is found with another legal form behind it", () => {
    expect(recall((name) => `${name.replace(/,? (?:LLC|LTD\.?|INC\.?|CO\.|CORP\.?|S\.A\.)$/i, "")} GmbH`)).toBe(1)
  })

  test("fewer than 15 of 1000 real American firms alert, and none blocks that is not on the list by that name", () => {
    const firms = samFirms(`${LISTS}/us_sam/SAM_Exclusions_Public_Extract_20049.ZIP`)
    const results = everyNth(firms, 500).map(({ name, countries }) => screen(index, query(name, { countries })))
    expect(results.length).toBe(500)
    expect(alertRate(results)).toBeLessThan(0.015)
    for (const hit of results.flatMap((result) => result.hits.filter(({ tier }) => tier === "BLOCK")))
      expect(hit.basis).toBe("EXACT_NAME")
  })

  test("fewer than 15 of 1000 ordinary person names alert and none blocks", () => {
    const names = everyNth(personNames(`${LISTS}/matching/negatives_us.csv`), 2000)
    const results = names.map((name) => screen(index, query(name, { type: "person" })))
    expect(alertRate(results)).toBeLessThan(0.015)
    expect(results.filter((result) => result.state === "MATCH")).toEqual([])
  })
})

/** Strong names of organisations, at most one per entry. */
function sampleOf(parties: readonly Party[], size: number, next: () => number) {
  const organisations = parties.filter((party) => party.type === "org")
  return Array.from({ length: size }, () => {
    const party = organisations[Math.floor(next() * organisations.length)]!
    const strong = party.names.filter((name) => name.kind !== "weak")
    return { entryId: party.entryId, name: strong[Math.floor(next() * strong.length)]!.text }
  })
}

/** `count` items spread over the whole file. */
const everyNth = <T>(items: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!)

const alertRate = (results: readonly ScreenResult[]): number =>
  results.filter((result) => result.hits.length > 0).length / results.length
