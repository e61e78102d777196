/**
 * Measures whether the search finds what it should and nothing else: recall on changed listed names, alerts on other names, F1 on labelled
 * pairs.
 */
import type { Party } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { TIERS } from "../../../src/sources/screening/parameters.ts"
import {
  type ScreenQuery,
  type ScreenResult,
  screen,
  TOLERANCE_THRESHOLD,
} from "../../../src/sources/screening/screen.ts"
import { AROUND, givenFirst } from "./around-names.ts"
import {
  isDev,
  joinedWords,
  type Next,
  otherForm,
  randomTypo,
  respelled,
  sequence,
  shuffled,
  slip,
  twoRandomTypos,
  twoSlips,
  withoutMiddle,
} from "./name-variants.ts"
import { type Firm, labelledPairs, personNames, samFirms, sanctionsParties } from "./published-parties.ts"
import type { Block, BlockRow, Case, PairRow, Quality, Row } from "./quality.ts"

export const THRESHOLDS = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95] as const
/** Sample sizes: listed names for each kind of change, parties of each type for each form around a name, and unlisted persons. */
interface Sample {
  readonly names: number
  readonly contained: number
  readonly persons: number
}
const WHOLE: Sample = { names: 2000, contained: 2000, persons: Number.POSITIVE_INFINITY }

const VARIANTS: Readonly<Record<string, (name: string, next: Next) => string | null>> = {
  exact: (name) => name,
  "word order": shuffled,
  "one typo": randomTypo,
  "typo and order": (name, next) => shuffled(randomTypo(name, next), next),
  transliteration: respelled,
  joined: joinedWords,
  "middle dropped": withoutMiddle,
  "typo, no middle": (name, next) => {
    const short = withoutMiddle(name)
    return short === null ? null : randomTypo(short, next)
  },
  "legal form": otherForm,
  "two typos": twoRandomTypos,
  "one slip": slip,
  "two slips": twoSlips,
}

const ask = (index: NameIndex, name: string, rest: Partial<ScreenQuery> = {}): ScreenResult =>
  screen(index, { name, type: null, identifiers: [], countries: [], threshold: TIERS.nearMissMin, ...rest })

interface Listed {
  readonly party: Party
  readonly text: string
}

/** Strong Latin names, one for each entry, spread over the list. */
export function listedNames(parties: readonly Party[], count: number): Listed[] {
  const next = sequence(20_240_718)
  const order = parties.map((party) => ({ party, rank: next() })).sort((a, b) => a.rank - b.rank)
  const found: Listed[] = []
  for (const { party } of order) {
    const strong = party.names.filter(({ kind, text }) => kind !== "weak" && kind !== "native" && text.length >= 5)
    if (strong.length > 0) found.push({ party, text: strong[Math.floor(next() * strong.length)]!.text })
    if (found.length === count) break
  }
  return found
}

const typeOf = ({ type }: Party): ScreenQuery["type"] => (type === "person" || type === "org" ? type : null)

function recallCases(index: NameIndex, listed: readonly Listed[], variant: string, typed = true): Case[] {
  const next = sequence(variant.length * 7919 + variant.charCodeAt(0))
  const cases: Case[] = []
  for (const { party, text } of listed) {
    const name = VARIANTS[variant]!(text, next)
    if (name === null) continue
    const { hits } = ask(index, name, { type: typed ? typeOf(party) : null })
    const hit = hits.find(({ sourceId, entryId }) => sourceId === party.sourceId && entryId === party.entryId)
    cases.push({ dev: isDev(`${party.sourceId}${party.entryId}`), score: hit?.score ?? 0 })
  }
  return cases
}

/** Primary names as people write them, queried as an organisation's name. The result is the lowest score over the spellings of the form. */
function containedCases(index: NameIndex, parties: readonly Party[], form: string): Case[] {
  return parties.map(({ sourceId, entryId, type, names: [primary] }) => {
    const name = type === "person" ? givenFirst(primary!.text) : primary!.text
    const scores = AROUND[form]!.map((around) => {
      const { hits } = ask(index, around(name), { type: "org" })
      return hits.find((hit) => hit.sourceId === sourceId && hit.entryId === entryId)?.score ?? 0
    })
    return { dev: isDev(`${sourceId}${entryId}`), score: Math.min(...scores) }
  })
}

/** Returns the names that block somebody by name and country. Each is queried with every country of the persons it hits. */
export function blockedByCountry(parties: readonly Party[], names: readonly string[]): string[] {
  const index = new NameIndex({ snapshotIds: {}, parties })
  const countriesOf = new Map(parties.map(({ sourceId, entryId, countries }) => [`${sourceId} ${entryId}`, countries]))
  const query = { type: "person", threshold: TOLERANCE_THRESHOLD.MEDIUM } as const
  return names.filter((name) => {
    const { hits } = ask(index, name, query)
    const countries = new Set(hits.flatMap(({ sourceId, entryId }) => countriesOf.get(`${sourceId} ${entryId}`) ?? []))
    return [...countries].some((country) => ask(index, name, { ...query, countries: [country] }).state === "MATCH")
  })
}

function alertCases(index: NameIndex, names: readonly string[], type: ScreenQuery["type"]): Case[] {
  return names.map((name) => {
    const result = ask(index, name, { type })
    return { dev: isDev(name), score: result.nameProblems.length > 0 ? 0 : result.bestScore }
  })
}

function rowOf(name: string, cases: readonly Case[]): Row {
  const shares = (of: readonly Case[]) =>
    THRESHOLDS.map((threshold) => of.filter(({ score }) => score >= threshold).length / Math.max(1, of.length))
  return {
    name,
    cases: cases.length,
    all: shares(cases),
    dev: shares(cases.filter(({ dev }) => dev)),
    test: shares(cases.filter(({ dev }) => !dev)),
  }
}

const VARIANT_NAMES = Object.keys(VARIANTS)

export function measureQuality(lists: string, sample = WHOLE): Quality {
  const parties = sanctionsParties(lists)
  const index = new NameIndex({ snapshotIds: {}, parties })
  const sdn = listedNames(
    parties.filter(({ sourceId }) => sourceId === "US_OFAC_SDN"),
    sample.names,
  )
  const recall = VARIANT_NAMES.map((variant) => rowOf(variant, recallCases(index, sdn, variant)))
  const contained = (type: Party["type"]) => {
    const listed = parties.filter((party) => party.sourceId === "US_OFAC_SDN" && party.type === type)
    const step = Math.ceil(listed.length / sample.contained)
    const some = listed.filter((_, at) => at % step === 0)
    return Object.keys(AROUND).map((form) => rowOf(form, containedCases(index, some, form)))
  }
  const firms = samFirms(lists)
  const persons = (file: string) => alertCases(index, personNames(lists, file).slice(0, sample.persons), "person")
  const firmNames = firms.map(({ name }) => name)
  return {
    ...index.size,
    recall: [...recall, rowOf("UN treated", unTreatedCases(index, parties, lists))],
    contained: contained("org"),
    containedPersons: contained("person"),
    alerts: [
      rowOf("US persons", persons("negatives_us.csv")),
      rowOf("global persons", persons("negatives_global.csv")),
      rowOf("Congress", persons("positives_us_congress_untreated.csv")),
      rowOf("SAM firms", alertCases(index, firmNames, "org")),
    ],
    pairs: pairRows(parties, lists),
    blocks: blocksOf(index, firms),
  }
}

function blocksOf(index: NameIndex, firms: readonly Firm[]): BlockRow {
  const tiers = (firm: Firm, countries: readonly string[]) =>
    ask(index, firm.name, { type: "org", countries, threshold: TOLERANCE_THRESHOLD.MEDIUM }).hits
  const blocked = (countriesOf: (firm: Firm) => readonly string[]) =>
    firms.flatMap((firm): Block[] => {
      const hit = tiers(firm, countriesOf(firm)).find(({ tier }) => tier === "BLOCK")
      return hit ? [{ firm: firm.name, countries: firm.countries, listed: hit.matchedName, entryId: hit.entryId }] : []
    })
  const withoutCountry = blocked(() => [])
  const held = (block: Block) => {
    const hits = tiers({ name: block.firm, countries: [] }, block.countries)
    return hits.every(({ tier }) => tier !== "BLOCK") && hits.some(({ tier }) => tier === "HOLD")
  }
  return {
    ...{ firms: firms.length, withCountry: blocked(({ countries }) => countries), withoutCountry },
    heldByCountry: withoutCountry.filter(held),
  }
}

/** The fixture names no entry. So any hit on a UN entry with the unchanged name, otherwise any hit, counts as true. */
function unTreatedCases(index: NameIndex, parties: readonly Party[], lists: string): Case[] {
  const untreated = personNames(lists, "positives_un_untreated.csv")
  const entries = new Map<string, string[]>()
  for (const { entryId, sourceId, names } of parties)
    if (sourceId === "UK_SANCTIONS_LIST")
      for (const { text } of names) entries.set(plain(text), [...(entries.get(plain(text)) ?? []), entryId])
  return personNames(lists, "positives_un_treated.csv").flatMap((name, at) => {
    const truth = entries.get(plain(untreated[at]!))
    if (truth === undefined) return []
    const { hits } = ask(index, name, { type: "person" })
    const hit = hits.find(({ entryId }) => truth.includes(entryId))
    return [{ dev: isDev(untreated[at]!), score: hit?.score ?? 0 }]
  })
}

const plain = (name: string): string => name.toLowerCase().replace(/\s+/g, " ").trim()

/** The second name of each pair is listed together with the real lists, so that its words have the same weights as there. */
function pairCases(parties: readonly Party[], lists: string): (Case & { readonly same: boolean })[] {
  const pairs = labelledPairs(lists)
  const listed = pairs.map(
    ({ listed: text, type }, at): Party => ({
      ...parties[0]!,
      ...{ entryId: `pair-${at}`, type: type ?? "unknown", names: [{ text, kind: "primary" }] },
    }),
  )
  const index = new NameIndex({ snapshotIds: {}, parties: [...parties, ...listed] })
  return pairs.map(({ query, listed: text, type, same }, at) => {
    const { hits, nearMisses } = ask(index, query, { type })
    const hit = [...hits, ...nearMisses].find(({ entryId }) => entryId === `pair-${at}`)
    return { dev: isDev(query + text), score: hit?.score ?? 0, same }
  })
}

function pairRows(parties: readonly Party[], lists: string): PairRow[] {
  const cases = pairCases(parties, lists)
  const half = (dev: boolean) => cases.filter((each) => each.dev === dev)
  const dev = half(true)
  const grid = Array.from({ length: 31 }, (_, at) => (65 + at) / 100)
  const best = grid.reduce((a, b) => (f1Of("dev", dev, b).f1 > f1Of("dev", dev, a).f1 ? b : a))
  return [f1Of("all", cases, 0.7), f1Of("dev", dev, 0.7), f1Of("test", half(false), 0.7)].concat(
    f1Of("dev", dev, best),
    f1Of("test", half(false), best),
  )
}

function f1Of(
  half: PairRow["half"],
  cases: readonly (Case & { readonly same: boolean })[],
  threshold: number,
): PairRow {
  const said = cases.filter(({ score }) => score >= threshold)
  const right = said.filter(({ same }) => same).length
  const precision = right / Math.max(1, said.length)
  const recall = right / Math.max(1, cases.filter(({ same }) => same).length)
  return {
    half,
    cases: cases.length,
    threshold,
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
  }
}
