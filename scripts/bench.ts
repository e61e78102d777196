/**
 * Measures the speed of the compiled program against a raw Bun server, on the same machine at the same time: ratios are comparable between
 * machines, requests per second are not. Loopback only, limited in time and count, leaves nothing behind.
 *
 *   bun scripts/bench.ts [--lists DIR]... [--rounds N] [--milliseconds N] [--connections N] [--unpinned] [--json]
 *   bun scripts/bench.ts --row NAME... [--rounds N]
 *   bun scripts/bench.ts --compare FILE [--row NAME]... [--rounds N] [--starts N] [--unpinned] [--json]
 *   bun scripts/bench.ts --growth [--agents N]
 *   bun scripts/bench.ts --growth --payments [--sales N]
 *
 * --row measures only this row, and may be repeated, so that there is time for more rounds. --lists names folders of published OFAC files for
 * the screening rows. Each server runs on one core and the client, with the chain, on another; with --unpinned all share all cores, so that the
 * servers may use more than one thread. --compare measures another build too, for example that of the commit before: each round measures both one
 * after the other. --growth measures only Agent ID, on a directory that is filled to 1,000, 10,000, 100,000 and 1,000,000 identities (up
 * to N; a million takes about ten minutes and 3 GB of the temporary folder). With --payments it measures the money path on a directory of 10 to
 * 1,000,000 sales to one buyer, all about one supplier, a tenth of them open.
 * dist/bizauth is measured as it is; build it first.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { dataPaths } from "../src/data/data-paths.ts"
import { startChain } from "../test/fixtures/chain.ts"
import { measurePairs } from "./bench/agents.ts"
import { measureAppends } from "./bench/appends.ts"
import { measureBundles } from "./bench/bundles.ts"
import { compareBuilds } from "./bench/compare-builds.ts"
import { compareReport } from "./bench/compare-report.ts"
import { type Growth, growthTable, measureGrowth } from "./bench/growth.ts"
import { withServers } from "./bench/measured-servers.ts"
import type { MeasuredSystem } from "./bench/measured-system.ts"
import { saleStatements } from "./bench/noted-purchases.ts"
import { measurePaymentsGrowth, type PaymentsGrowth, paymentsGrowthTable } from "./bench/payments-growth.ts"
import { isPinned, leaveUnpinned, pinSelf, residentMib } from "./bench/processes.ts"
import { measurePurchaseCosts } from "./bench/purchase-costs.ts"
import { measureRedeems } from "./bench/redeems.ts"
import {
  judge,
  judgeRows,
  type PurchaseReport,
  type Report,
  type RowsReport,
  type RunReport,
  rowsReport,
  textReport,
} from "./bench/report.ts"
import { measureRows, ROWS, type Row, rowsNamed } from "./bench/rows.ts"
import { measureScreening } from "./bench/screening.ts"
import { coldStarts, wallTimes } from "./bench/starts.ts"

const { values: given } = parseArgs({
  options: {
    lists: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "1000" },
    connections: { type: "string", default: "32" },
    signed: { type: "string", default: "7000" },
    row: { type: "string", multiple: true, default: [] },
    compare: { type: "string" },
    starts: { type: "string", default: "20" },
    unpinned: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
    agents: { type: "string", default: "1000000" },
    payments: { type: "boolean", default: false },
    sales: { type: "string", default: "1000000" },
  },
})
const number = (text: string, max: number, min = 1): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw new RangeError(`${text} is not ${min} to ${max}`)
  return value
}
const options = {
  rounds: number(given.rounds, 50),
  milliseconds: number(given.milliseconds, 10_000),
  connections: number(given.connections, 1000),
  signed: number(given.signed, 50_000),
}
/** An interval needs two pairs. */
const starts = number(given.starts, 200, 2)
const binary = join(import.meta.dir, "..", "dist", "bizauth")
for (const file of [binary, given.compare ?? []].flat())
  if (!existsSync(file)) {
    console.error(`${file} is missing; run: bun scripts/build.ts`)
    process.exit(2)
  }
if ((given.row.length > 0 || given.compare !== undefined) && (given.growth || given.lists.length > 0)) {
  console.error("--row and --compare measure rows only; leave out --growth and --lists")
  process.exit(2)
}
if (given.unpinned) leaveUnpinned()
if (given.growth && given.payments) await paymentsGrowth(number(given.sales, 1_000_000))
else if (given.growth) await growth(number(given.agents, 1_000_000))
else if (given.compare !== undefined) {
  const rows = given.row.length > 0 ? rowsNamed(given.row) : ROWS
  const report = {
    ...run(),
    ...(await compareBuilds({ base: resolve(given.compare), own: binary }, { ...options, starts }, rows)),
  }
  process.stdout.write(given.json ? `${JSON.stringify(report)}\n` : compareReport(report))
} else if (given.row.length > 0) {
  const report = await benchRows(rowsNamed(given.row))
  process.stdout.write(
    given.json ? `${JSON.stringify({ ...report, targets: judgeRows(report.rows) })}\n` : rowsReport(report),
  )
} else {
  const report = await bench()
  process.stdout.write(given.json ? `${JSON.stringify({ ...report, targets: judge(report) })}\n` : textReport(report))
}

async function growth(most: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bizauth-growth-"))
  const grown: Growth[] = []
  try {
    const report = (one: Growth) => {
      grown.push(one)
      console.error(`measured ${one.agents} agents`)
    }
    await measureGrowth({ binary, data: join(folder, "data"), most, report }, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  process.stdout.write(given.json ? `${JSON.stringify(grown)}\n` : growthTable(grown))
}

async function paymentsGrowth(most: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bizauth-growth-"))
  const chain = await startChain()
  const grown: PaymentsGrowth[] = []
  try {
    const report = (one: PaymentsGrowth) => {
      grown.push(one)
      console.error(`measured ${one.sales} sales`)
    }
    await measurePaymentsGrowth({ binary, folder, chain, most, report }, options)
  } finally {
    await chain.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  process.stdout.write(given.json ? `${JSON.stringify(grown)}\n` : paymentsGrowthTable(grown))
}

async function bench(): Promise<Report> {
  return withServers([binary], async ({ folder, systems, raw }) => {
    const system = only(systems)
    const rows = await measureRows(raw, system, options, ROWS)
    const bundles = await measureBundles(system.server.origin, system.agents)
    const pairs = await measurePairs(system.server.origin, options.connections, options.milliseconds * options.rounds)
    const loadedMib = residentMib(system.server.pid)
    await system.server.stop()
    const purchases = await purchaseReports(system, ROWS)
    pinSelf("all")
    const appends = await measureAppends(dataPaths(system.data).database, options.milliseconds * options.rounds)
    const redeems = await measureRedeems(dataPaths(system.data).database)
    const verify = [binary, "verify", system.deliveryFile, "--issuer", system.issuerFile]
    return {
      ...run(),
      rows,
      purchases,
      coldStart: await coldStarts([binary, "serve", "--data", system.data, ...system.flags], { folder, starts }),
      identity: { pairs, appends, bundles },
      redeems,
      loadedMib,
      verify: wallTimes(verify, starts),
      version: wallTimes([binary, "version"], starts),
      screening: given.lists.length === 0 ? null : measureScreening(given.lists),
    }
  })
}

async function benchRows(chosen: readonly Row[]): Promise<RowsReport> {
  return withServers([binary], async ({ systems, raw }) => {
    const system = only(systems)
    const rows = await measureRows(raw, system, options, chosen)
    await system.server.stop()
    return { ...run(), rows, purchases: await purchaseReports(system, chosen) }
  })
}

function only([system]: readonly MeasuredSystem[]): MeasuredSystem {
  if (!system) throw new TypeError("a binary has a system")
  return system
}

/** For each row of purchases. The system's server must have ended. */
async function purchaseReports(system: MeasuredSystem, rows: readonly Row[]): Promise<PurchaseReport[]> {
  const statements = await saleStatements(rows)
  const reports: PurchaseReport[] = []
  for (const { name, statements: count, bought } of statements)
    reports.push({ name, statements: count, ...(await measurePurchaseCosts(system, bought)) })
  return reports
}

function run(): RunReport {
  const [cpu] = cpus()
  const machine = { cpu: cpu?.model ?? "unknown", cores: cpus().length, pinned: isPinned(), bun: Bun.version }
  return { machine, options }
}
