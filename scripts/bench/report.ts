import type { Pairs } from "./agents.ts"
import type { NodeUse } from "./counting-proxy.ts"
import type { PurchaseCosts } from "./purchase-costs.ts"
import { CEILINGS, type LoadOptions, type RowResult } from "./rows.ts"
import type { ScreeningTimes } from "./screening.ts"
import { screeningReport } from "./screening.ts"
import type { ColdStarts } from "./starts.ts"
import { median, quantile } from "./statistics.ts"

export interface RunReport {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly pinned: boolean; readonly bun: string }
  readonly options: LoadOptions
}

export interface RowsReport extends RunReport {
  readonly rows: readonly RowResult[]
  /** One for each row of purchases. */
  readonly purchases: readonly PurchaseReport[]
}

export interface PurchaseReport extends PurchaseCosts {
  readonly name: string
  /** Of one sale, run by the source beside this file. */
  readonly statements: number
}

export interface Report extends RowsReport {
  /** Null if it was not measured. */
  readonly identity: IdentityRates | null
  /** Authorization tokens redeemed and committed, per second. */
  readonly redeems: number
  readonly coldStart: ColdStarts
  /** MiB of the server after the load; null without /proc. */
  readonly loadedMib: number | null
  /** Milliseconds of each run, process start included. */
  readonly verify: readonly number[]
  readonly version: readonly number[]
  /** Null if no lists were named. */
  readonly screening: ScreeningTimes | null
}

interface IdentityRates {
  readonly pairs: Pairs
  /** Key events appended to the log and committed, per second. */
  readonly appends: number
  /** Milliseconds of each bundle verified offline. */
  readonly bundles: readonly number[]
}

interface Target {
  readonly name: string
  readonly requests: string
  /** Null if it was not measured in this run. */
  readonly found: number | null
  readonly met: boolean | null
}

/** The project's speed targets, and whether this run met them. */
export function judge({ rows, coldStart, screening }: Pick<Report, "rows" | "coldStart" | "screening">): Target[] {
  const idle = coldStart.idleMib.length === 0 ? null : median(coldStart.idleMib)
  return [
    ...judgeRows(rows),
    below("screening p50, ms", screening === null ? null : median(screening.warm), 0.15),
    below("cold start to first answer, ms", median(coldStart.times), 60),
    below("resident when idle, MiB", idle, 80),
  ]
}

/** The targets that are ratios to raw. */
export function judgeRows(rows: readonly RowResult[]): Target[] {
  const ratio = (name: string) => rows.find((row) => row.name === name)?.ratio ?? null
  return [
    atLeast("status, ratio to raw", ratio("status"), 0.5),
    atLeast("jwks, ratio to raw", ratio("jwks"), 0.5),
    atLeast("verify, ratio to raw", ratio("verify"), 0.15),
    atLeast("unpaid quote, ratio to raw", ratio("unpaid quote"), 0.05),
    atLeast("company check, quote, ratio to raw", ratio("company check, quote"), 0.1),
    atLeast("UK payment, quote, ratio to raw", ratio("UK payment, quote"), 0.1),
    atLeast("kept answer, ratio to raw", ratio("kept answer"), 0.1),
    atLeast("recover, ratio to raw", ratio("recover"), 0.1),
    atLeast("plan, ratio to raw", ratio("plan"), 0.06),
    atLeast("Beacon event, ratio to raw", ratio("Beacon event"), 0.03),
  ]
}

function atLeast(name: string, found: number | null, limit: number): Target {
  return { name, requests: `at least ${limit}`, found, met: found === null ? null : found >= limit }
}

function below(name: string, found: number | null, limit: number): Target {
  return { name, requests: `under ${limit}`, found, met: found === null ? null : found < limit }
}

export function textReport(report: Report): string {
  const { identity, redeems, coldStart, loadedMib, verify, version, screening } = report
  const times = (values: readonly number[]) =>
    `median ${median(values).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms (${values.length} runs)`
  const mib = (value: number | null) => (value === null ? "not measured here" : `${value.toFixed(0)} MiB`)
  return `${rowsTable(report)}
${identity === null ? "" : identityLines(identity)}token redeem                 ${redeems.toFixed(0)} a second, each on the disk
cold start to first answer   ${times(coldStart.times)}
bizauth verify FILE          ${times(verify)}
bizauth version              ${times(version)}
resident when idle           ${mib(coldStart.idleMib.length === 0 ? null : median(coldStart.idleMib))}
resident after the load      ${mib(loadedMib)}

${screening === null ? "screening: name folders of published lists with --lists\n" : screeningReport(screening)}
${judge(report).map(verdict).join("")}`
}

/** The report of a run that measured some rows only, with the verdicts on these. */
export function rowsReport(report: RowsReport): string {
  const targets = judgeRows(report.rows).filter(({ found }) => found !== null)
  return `${rowsTable(report)}
${targets.map(verdict).join("")}`
}

function rowsTable(report: RowsReport): string {
  return `${runLines(report)}
${table(report.rows)}
${ceilingLines(report.rows)}${report.purchases.map(purchaseLine).join("")}`
}

export function runLines({ machine, options }: RunReport): string {
  const pinned = machine.pinned ? "server on core 0, client on core 1" : "not pinned to cores"
  return `${machine.cpu}, ${machine.cores} cores, Bun ${machine.bun}, ${pinned}
${options.connections} connections, ${options.rounds} rounds of at most ${options.milliseconds} ms a row
`
}

function purchaseLine({ name, atOnce, single, bytes, statements }: PurchaseReport): string {
  const node = ({ posts, questions }: NodeUse) => `${posts.toFixed(1)} posts with ${questions.toFixed(1)} questions`
  return `${name}: ${node(atOnce)} to the node at 16 at once, ${node(single)} one at a time, ${statements} statements, ${bytes.toFixed(0)} bytes of database\n`
}

function ceilingLines(rows: readonly RowResult[]): string {
  const found = (name: string) => rows.find((row) => row.name === name)
  return CEILINGS.map(([name, ceiling]) => {
    const [own, least] = [found(name)?.ratio, found(ceiling)?.ratio]
    if (own == null || least == null) return ""
    return `${name} reaches ${(own / least).toFixed(2)} of "${ceiling}", which is itself ${least.toFixed(3)} of raw\n`
  }).join("")
}

function identityLines({ pairs, appends, bundles }: IdentityRates): string {
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(pairs.times, share).toFixed(1))
  return `challenge and prove          ${pairs.perSecond.toFixed(0)} pairs a second, p50 ${p50} ms, p99 ${p99} ms (${pairs.answers} pairs)
log append                   ${appends.toFixed(0)} a second, each on the disk
export bundle verified       median ${median(bundles).toFixed(1)} ms, p99 ${quantile(bundles, 0.99).toFixed(1)} ms (${bundles.length} bundles)
`
}

function table(rows: readonly RowResult[]): string {
  const line = (cells: readonly string[]) =>
    `${cells[0]?.padEnd(30)}${cells
      .slice(1)
      .map((cell) => cell.padStart(10))
      .join("")}\n`
  return [
    line(["", "req/s", "ratio", "main us", "cpu us", "p50 ms", "p99 ms", "answers"]),
    ...rows.map(({ name, perSecond, ratio, main, processor, p50, p99, answers }) =>
      line([
        name,
        perSecond.toFixed(0),
        ratio === null ? "1" : ratio.toFixed(3),
        main === null ? "" : main.toFixed(1),
        processor === null ? "" : processor.toFixed(1),
        p50.toFixed(2),
        p99.toFixed(2),
        String(answers),
      ]),
    ),
  ].join("")
}

function verdict({ name, requests, found, met }: Target): string {
  const word = met === null ? "NOT MEASURED" : met ? "met" : "MISSED"
  return `${word.padEnd(14)}${name}: ${requests}${found === null ? "" : `, found ${found.toFixed(3)}`}\n`
}
