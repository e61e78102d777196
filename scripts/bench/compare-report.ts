import type { Compared, ComparedCosts, ComparedRow, Figures } from "./compare.ts"
import type { NodeUse } from "./counting-proxy.ts"
import type { SaleStatements } from "./noted-purchases.ts"
import { type RunReport, runLines } from "./report.ts"
import type { ColdStarts } from "./starts.ts"
import { changeOf } from "./statistics.ts"

export interface CompareReport extends RunReport {
  readonly rows: readonly ComparedRow[]
  readonly costs: readonly ComparedCosts[]
  readonly statements: readonly SaleStatements[]
  /** MiB after the load; null without /proc. */
  readonly resident: Compared<number> | null
  readonly starts: Compared<ColdStarts>
}

export function compareReport(report: CompareReport): string {
  const { rows, costs, statements, resident, starts } = report
  return `${runLines(report)}each figure: base, own, median of the rounds' ratios

${table(rows)}
${costs.map(costLines).join("")}${statements.map(statementLine).join("")}${startLine(starts)}${resident === null ? "" : `resident after the load, MiB: ${pair(resident, 1)}\n`}`
}

const COLUMNS = [
  { figure: "perSecond", head: "a second", digits: 0 },
  { figure: "main", head: "main us", digits: 1 },
  { figure: "processor", head: "cpu us", digits: 1 },
  { figure: "p99", head: "p99 ms", digits: 2 },
  { figure: "ofRaw", head: "of raw", digits: 3 },
] as const satisfies readonly { figure: keyof Figures; head: string; digits: number }[]

function table(rows: readonly ComparedRow[]): string {
  const heads = COLUMNS.map(({ head }) => `${head.padStart(18)}${"ratio".padStart(8)}`)
  const cell = (value: number | null, digits: number) => (value === null ? "" : value.toFixed(digits))
  const line = ({ name, figures: { base, own }, ratios }: ComparedRow) =>
    `${name.padEnd(22)}${COLUMNS.map(
      ({ figure, digits }) =>
        cell(base[figure], digits).padStart(9) +
        cell(own[figure], digits).padStart(9) +
        cell(ratios[figure], 3).padStart(8),
    ).join("")}\n`
  return [`${"".padEnd(22)}${heads.join("")}\n`, ...rows.map(line)].join("")
}

function costLines({ name, base, own }: ComparedCosts): string {
  const node = (how: "atOnce" | "single", what: keyof NodeUse) =>
    pair({ base: base[how][what], own: own[how][what] }, 1)
  return `${name}, 16 at once: posts to the node ${node("atOnce", "posts")}, questions ${node("atOnce", "questions")}
${name}, one at a time: posts to the node ${node("single", "posts")}, questions ${node("single", "questions")}
${name}, bytes of database: ${pair({ base: base.bytes, own: own.bytes }, 0)}
`
}

function statementLine({ name, statements }: SaleStatements): string {
  return `${name}: ${statements} statements, in the source of this folder\n`
}

function startLine({ base, own }: Compared<ColdStarts>): string {
  const { before, after, change, low, high } = changeOf(
    base.times.map((time, at) => ({ before: time, after: own.times[at] ?? Number.NaN })),
  )
  const ratio = (relative: number) => (1 + relative).toFixed(3)
  return `first answer, payments on: ${before.toFixed(1)} to ${after.toFixed(1)} ms, x ${ratio(change)} (95 %: ${ratio(low)} to ${ratio(high)}), ${base.times.length} starts each
`
}

function pair({ base, own }: Compared<number>, digits: number): string {
  return `${base.toFixed(digits)} to ${own.toFixed(digits)}, x ${(own / base).toFixed(3)}`
}
