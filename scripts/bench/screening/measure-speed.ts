/**
 * Measures build and query times on all lists together, and on synthetic lists of any size. The time of a query is the minimum of several
 * rounds, because other processes only add time. For the same reason a build is reported in processor time.
 */
import type { Party } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { type ScreenQuery, screen, TOLERANCE_THRESHOLD } from "../../../src/sources/screening/screen.ts"
import { median, quantile } from "../statistics.ts"
import { listedNames } from "./measure-quality.ts"
import { randomTypo, respelled, sequence, shuffled, twoRandomTypos } from "./name-variants.ts"
import { personNames, samFirms, samParties, sanctionsParties } from "./published-parties.ts"

interface SpeedRow {
  readonly what: string
  readonly names: number
  readonly buildMs: number
  readonly memoryMib: number
  readonly p50Us: number
  readonly p95Us: number
  readonly p99Us: number
}

type Query = Pick<ScreenQuery, "name" | "type">

const ROUNDS = 10
const BUILDS = 5
/** Above this number of names a list is built once and queried three times, to limit the run time. */
const LARGE = 100_000
const LARGE_ROUNDS = 3
const MIB = 1024 * 1024

export function measureSpeed(lists: string): SpeedRow {
  const parties = [...sanctionsParties(lists), ...samParties(lists)]
  return speedOf("all lists", parties, queriesOf(parties, lists))
}

/** Listed names unchanged and changed, and the same number of unlisted names of persons and companies. */
function queriesOf(parties: readonly Party[], lists: string): Query[] {
  const next = sequence(1_000_003)
  const changes = [(name: string) => name, shuffled, randomTypo, twoRandomTypos, respelled]
  const listed = listedNames(parties, 2000).map(
    ({ party: { type }, text }, at): Query => ({
      name: changes[at % changes.length]!(text, next),
      type: type === "person" || type === "org" ? type : null,
    }),
  )
  const persons = personNames(lists, "negatives_us.csv").slice(0, 1000)
  const firms = samFirms(lists).slice(0, 1000)
  return [
    ...listed,
    ...persons.map((name): Query => ({ name, type: "person" })),
    ...firms.map(({ name }): Query => ({ name, type: "org" })),
  ]
}

function speedOf(what: string, parties: readonly Party[], queries: readonly Query[]): SpeedRow {
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const [index, firstMs] = processorMs(() => new NameIndex({ snapshotIds: {}, parties }))
  Bun.gc(true)
  const memoryMib = (process.memoryUsage.rss() - before) / MIB
  const large = index.size.names > LARGE
  const again = large ? [] : Array.from({ length: BUILDS - 1 }, () => processorMs(() => rebuilt(parties))[1])
  const least = new Float64Array(queries.length).fill(Number.POSITIVE_INFINITY)
  for (let round = 0; round < (large ? LARGE_ROUNDS : ROUNDS); round++)
    for (const [at, query] of queries.entries()) {
      const start = performance.now()
      screen(index, { ...query, identifiers: [], countries: [], threshold: TOLERANCE_THRESHOLD.MEDIUM })
      least[at] = Math.min(least[at]!, (performance.now() - start) * 1000)
    }
  const times = [...least]
  const [p50Us, p95Us, p99Us] = [0.5, 0.95, 0.99].map((part) => quantile(times, part)) as [number, number, number]
  return { ...{ what, names: index.size.names, buildMs: median([firstMs, ...again]), memoryMib, p50Us, p95Us, p99Us } }
}

const rebuilt = (parties: readonly Party[]) => new NameIndex({ snapshotIds: {}, parties })

export function processorMs<T>(work: () => T): [T, number] {
  const start = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(start)
  return [result, (user + system) / 1000]
}

/** List sizes. Each list has words drawn from the published lists with their frequency there. */
export const GROWTH_SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000] as const

export function measureGrown(lists: string, size: number): SpeedRow {
  const parties = syntheticParties([...sanctionsParties(lists), ...samParties(lists)], size)
  return speedOf(`${size} synthetic names`, parties, queriesOf(parties, lists))
}

/**
 * One name for each party, from the words of three listed names of its type. Every third word gets another ending, because a growing list
 * brings new words as well as old ones.
 */
function syntheticParties(real: readonly Party[], count: number): Party[] {
  const next = sequence(77)
  const types = ["person", "org"] as const
  const pools = types.map((type) =>
    real.filter((party) => party.type === type).flatMap(({ names }) => names.map(({ text }) => text.split(/\s+/))),
  )
  return Array.from({ length: count }, (_, at): Party => {
    const pool = pools[at % 2]!
    const length = pool[Math.floor(next() * pool.length)]!.length
    const words = Array.from({ length: Math.max(2, Math.min(length, 8)) }, () => {
      const from = pool[Math.floor(next() * pool.length)]!
      const word = from[Math.floor(next() * from.length)]!
      return next() < 1 / 3 ? `${word.slice(0, -1)}${String.fromCharCode(97 + Math.floor(next() * 26))}a` : word
    })
    return {
      ...{
        ...real[0]!,
        entryId: `synthetic-${at}`,
        type: types[at % 2]!,
        identifiers: [],
        birthDates: [],
        countries: [],
      },
      ...{ addresses: [], names: [{ text: words.join(" "), kind: "primary" }] },
    }
  })
}

const TARGETS = { p50Us: 60, p99Us: 800, buildMs: 1000 }

export function speedReport(row: SpeedRow): string {
  const judged = (value: number, target: number) =>
    `${value.toFixed(0)} (under ${target}: ${value < target ? "PASS" : "MISSED"})`
  return `speed, ${row.what}, ${row.names} names, word cache warm, least of ${ROUNDS} rounds
build, ms of processor   ${judged(row.buildMs, TARGETS.buildMs)}
memory of the index, MiB ${row.memoryMib.toFixed(0)}
query p50, us            ${judged(row.p50Us, TARGETS.p50Us)}
query p95, us            ${row.p95Us.toFixed(0)}
query p99, us            ${judged(row.p99Us, TARGETS.p99Us)}
`
}

export const GROWTH_HEAD = "growth      names  build ms   MiB   p50 us   p95 us   p99 us\n"

export const growthLine = ({ names, buildMs, memoryMib, p50Us, p95Us, p99Us }: SpeedRow): string =>
  `${String(names).padStart(17)}${buildMs.toFixed(0).padStart(10)}${memoryMib.toFixed(0).padStart(6)}${[p50Us, p95Us, p99Us].map((time) => time.toFixed(0).padStart(9)).join("")}\n`
