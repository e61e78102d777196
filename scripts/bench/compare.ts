/**
 * Two builds side by side: each round measures both one after the other, in changing order, so that a slow phase of the machine affects both. Each
 * has its own data and its own chain.
 */
import { inTurns } from "./in-turns.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { residentMib, type Server } from "./processes.ts"
import { measurePurchaseCosts, type PurchaseCosts } from "./purchase-costs.ts"
import { CEILINGS, type Driven, driven, type LoadOptions, ROWS, type Row, roundExtent, warmUpExtent } from "./rows.ts"
import { median, quantile } from "./statistics.ts"

export interface Compared<T> {
  readonly base: T
  readonly own: T
}

/**
 * What the rounds measure of each build. `main` and `processor`: microseconds of the main thread and of all threads for one answer. `ofRaw`: ratio of
 * the rate to that of the raw row with the least work for such a request, in the same round.
 */
const FIGURES = ["perSecond", "main", "processor", "p99", "ofRaw"] as const

/** Null where a figure cannot be read, or where the row has none. */
export type Figures = Readonly<Record<(typeof FIGURES)[number], number | null>>

export interface ComparedRow {
  readonly name: string
  /** One for each round. */
  readonly rounds: readonly Compared<Figures>[]
  /** Medians of the rounds. */
  readonly figures: Compared<Figures>
  /** Medians of the rounds' ratios, own to base. */
  readonly ratios: Figures
}

interface Builds extends Compared<MeasuredSystem> {
  readonly raw: Server
}

/** Measures rows of the service. */
export async function compareRows(builds: Builds, options: LoadOptions, rows: readonly Row[]): Promise<ComparedRow[]> {
  const warmUp = warmUpExtent(options)
  const measured = rows.map((row) => ({ row, ceiling: ceilingOf(row), rounds: [] as Compared<Figures>[] }))
  for (const { row, ceiling } of measured) {
    await ceiling?.prepare(builds.own, warmUp)(builds.raw.origin)
    for (const system of [builds.base, builds.own]) await row.prepare(system, warmUp)(system.server.origin)
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const { row, ceiling, rounds } of measured) {
      rounds.push(await oneRound({ builds, options, row, ceiling, round }))
    }
  }
  return measured.map(({ row, rounds }) => comparedRow(row.name, rounds))
}

function ceilingOf({ name }: Row): Row | null {
  const found = CEILINGS.find(([own]) => own === name)
  return (found && ROWS.find((row) => row.name === found[1])) ?? null
}

interface Round {
  readonly builds: Builds
  readonly options: LoadOptions
  readonly row: Row
  readonly ceiling: Row | null
  /** From 0. */
  readonly round: number
}

async function oneRound({ builds, options, row, ceiling, round }: Round): Promise<Compared<Figures>> {
  const extent = roundExtent(options)
  const ofRaw = ceiling?.prepare(builds.own, extent)
  const ofBase = row.prepare(builds.base, extent)
  const ofOwn = row.prepare(builds.own, extent)
  const raw = ofRaw ? await driven(builds.raw, ofRaw) : null
  const [base, own] = await inTurns(
    round,
    async () => figuresOf(await driven(builds.base.server, ofBase), raw),
    async () => figuresOf(await driven(builds.own.server, ofOwn), raw),
  )
  return { base, own }
}

function figuresOf({ perSecond, main, processor, times }: Driven, raw: Driven | null): Figures {
  return { perSecond, main, processor, p99: quantile(times, 0.99), ofRaw: raw && perSecond / raw.perSecond }
}

export function comparedRow(name: string, rounds: readonly Compared<Figures>[]): ComparedRow {
  const ratiosOf = ({ base, own }: Compared<Figures>) =>
    figures((figure) => {
      const [before, after] = [base[figure], own[figure]]
      return before === null || after === null ? null : after / before
    })
  return {
    name,
    rounds,
    figures: { base: medians(rounds.map(({ base }) => base)), own: medians(rounds.map(({ own }) => own)) },
    ratios: medians(rounds.map(ratiosOf)),
  }
}

function figures(value: (figure: keyof Figures) => number | null): Figures {
  return Object.fromEntries(FIGURES.map((figure) => [figure, value(figure)])) as Figures
}

function medians(rounds: readonly Figures[]): Figures {
  return figures((figure) => {
    const known = rounds.flatMap((round) => round[figure] ?? [])
    return known.length === 0 ? null : median(known)
  })
}

export interface ComparedCosts extends Compared<PurchaseCosts> {
  readonly name: string
}

/** For each row of purchases. The servers of both systems must have ended. */
export async function compareCosts(
  { base, own }: Compared<MeasuredSystem>,
  rows: readonly Row[],
): Promise<ComparedCosts[]> {
  const costs: ComparedCosts[] = []
  for (const { name, bought } of rows) {
    if (bought === null) continue
    costs.push({
      name,
      base: await measurePurchaseCosts(base, bought),
      own: await measurePurchaseCosts(own, bought),
    })
  }
  return costs
}

/** MiB of both servers; null without /proc. */
export function compareResident({ base, own }: Compared<MeasuredSystem>): Compared<number> | null {
  const [before, after] = [residentMib(base.server.pid), residentMib(own.server.pid)]
  return before === null || after === null ? null : { base: before, own: after }
}
