/** Measures what a payer can do to a listed name before it is missed, and how many names of other parties alert. */
import { join } from "node:path"
import type { Party } from "../../../src/sources/records/party.ts"
import type { NameIndex } from "../../../src/sources/screening/name-index.ts"
import type { ScreenQuery, ScreenResult } from "../../../src/sources/screening/screen.ts"
import { quantile } from "../statistics.ts"
import { DODGES } from "./dodges.ts"
import { sequence } from "./name-variants.ts"
import { genericNames, householdNames, namesOfSixOrigins } from "./ordinary-names.ts"
import { personNames } from "./published-parties.ts"
import { type RegisterFirm, sampledFirms } from "./register-firms.ts"

/** The screening of one checkout of this project. */
export interface Engine {
  readonly screen: (index: NameIndex, query: ScreenQuery) => ScreenResult
  readonly indexOf: (parties: readonly Party[]) => NameIndex
}

export async function engineOf(checkout: string): Promise<Engine> {
  const folder = join(checkout, "src/sources/screening")
  const [{ NameIndex: Index }, { screen }] = await Promise.all([
    import(join(folder, "name-index.ts")),
    import(join(folder, "screen.ts")),
  ])
  return { screen, indexOf: (parties) => new Index({ snapshotIds: {}, parties }) }
}

/** Tolerance MEDIUM. */
const THRESHOLD = 0.8
const query = (name: string, type: ScreenQuery["type"]): ScreenQuery => ({
  ...{ name, type, identifiers: [], countries: [], threshold: THRESHOLD },
})

interface DodgeCase {
  readonly party: Party
  readonly listed: string
  readonly name: string
}

/** The variants of each class, from strong Latin names that are spread over the lists; one name of a party. */
export function dodgeCases(parties: readonly Party[]): ReadonlyMap<string, readonly DodgeCase[]> {
  const cases = new Map<string, DodgeCase[]>()
  for (const [at, [label, { types, count, dodge }]] of Object.entries(DODGES).entries()) {
    const next = sequence(20_261_130 + at)
    const order = parties.map((party) => ({ party, rank: next() })).sort((a, b) => a.rank - b.rank)
    const found: DodgeCase[] = []
    for (const { party } of order) {
      if (found.length === count) break
      if (!types.includes(party.type)) continue
      const strong = party.names.filter(({ kind, text }) => kind !== "weak" && kind !== "native" && text.length >= 3)
      const listed = strong[Math.floor(next() * strong.length)]?.text
      if (listed === undefined || /[^\x20-\x7e]/.test(listed)) continue
      const name = dodge(listed, next, party)
      if (name !== null && name.toLowerCase() !== listed.toLowerCase()) found.push({ party, listed, name })
    }
    cases.set(label, found)
  }
  return cases
}

const typeOf = ({ type }: Party): ScreenQuery["type"] => (type === "person" || type === "unknown" ? "person" : "org")

/** More parties of equal names than a result shows count as found. */
function isFound({ party, name }: DodgeCase, { screen }: Engine, index: NameIndex): boolean {
  const { hits, hitCount } = screen(index, query(name, typeOf(party)))
  const isParty = ({ sourceId, entryId }: Pick<Party, "sourceId" | "entryId">) =>
    sourceId === party.sourceId && entryId === party.entryId
  return hitCount > hits.length || hits.some(isParty)
}

export interface DodgeRow {
  readonly label: string
  readonly cases: number
  readonly missed: readonly DodgeCase[]
}

export function dodgeRows(
  engine: Engine,
  index: NameIndex,
  cases: ReadonlyMap<string, readonly DodgeCase[]>,
): DodgeRow[] {
  return [...cases].map(([label, some]) => ({
    ...{ label, cases: some.length, missed: some.filter((each) => !isFound(each, engine, index)) },
  }))
}

export interface AlertGroup {
  readonly label: string
  readonly type: ScreenQuery["type"]
  /** Null where the register of firms is not here. */
  readonly names: readonly string[] | null
}

export function alertGroups(lists: string, firms: readonly RegisterFirm[] | null): AlertGroup[] {
  const usPersons = personNames(lists, "negatives_us.csv").filter((name) => /^\p{Script=Latin}/u.test(name))
  return [
    { label: "20,000 firms of a register", type: "org", names: firms && sampledFirms(firms, 20_000) },
    { label: "500 British firms", type: "org", names: firms && sampledFirms(firms, 500, "GB") },
    { label: "household names and generic names", type: "org", names: [...householdNames(), ...genericNames()] },
    { label: "1,000 US persons", type: "person", names: usPersons.slice(0, 1000) },
    { label: "300 names of six origins", type: "person", names: namesOfSixOrigins() },
  ]
}

interface Alert {
  readonly name: string
  readonly matched: string
  readonly score: number
}

export function alertsOf({ screen }: Engine, index: NameIndex, { names, type }: AlertGroup): Alert[] {
  return (names ?? []).flatMap((name) => {
    const [hit] = screen(index, query(name, type)).hits
    return hit ? [{ name, matched: hit.matchedName, score: hit.score }] : []
  })
}

interface Times {
  readonly p50: number
  readonly p99: number
  readonly worst: number
}

const ROUNDS = 5

/** Microseconds for each engine: their queries alternate, and each name counts with its shortest time. */
export function interleavedTimes(
  engines: readonly (readonly [Engine, NameIndex])[],
  names: readonly string[],
): Times[] {
  const least = engines.map(() => new Float64Array(names.length).fill(Number.POSITIVE_INFINITY))
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, name] of names.entries())
      for (const [which, [{ screen }, index]] of engines.entries()) {
        const start = performance.now()
        screen(index, query(name, at % 2 === 0 ? "org" : "person"))
        least[which]![at] = Math.min(least[which]![at]!, (performance.now() - start) * 1000)
      }
  return least.map((times) => {
    const all = [...times]
    return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), worst: Math.max(...all) }
  })
}

/** 350 characters, sixteen words, all of them on many names of the lists. */
export const PATHOLOGICAL =
  "INTERNATIONAL GENERAL TRADING INDUSTRIAL DEVELOPMENT CONSTRUCTION ENGINEERING INVESTMENT MANAGEMENT SERVICES TECHNOLOGY PETROCHEMICAL SHIPPING TRANSPORTATION ORGANIZATION ASSOCIATION".padEnd(
    350,
    ".",
  )

/** The listed names that do not find their own party. */
export function lostNames({ screen }: Engine, index: NameIndex, parties: readonly Party[]): string[] {
  return parties.flatMap((party) =>
    party.names.flatMap(({ text }) => {
      const { hits, hitCount, state } = screen(index, query(text, party.type === "unknown" ? null : typeOf(party)))
      const isFound = hitCount > hits.length || hits.some(({ entryId }) => entryId === party.entryId)
      return isFound || state === "INSUFFICIENT" ? [] : [text]
    }),
  )
}
