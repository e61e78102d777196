/**
 * Measures how the money path scales with its rows: units of the store, and quotes and recoveries over HTTP, on one directory that is
 * filled step by step.
 */
import { cpSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { openDatabase } from "../../db/open.ts"
import { formatInstant, MINUTE, SECOND } from "../../src/core/time.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { delegationUse } from "../../src/store/buyers/delegation-use.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { takeAbandoned } from "../../src/store/payments/attempt-leases.ts"
import { owedAttempts, takeDuePolls } from "../../src/store/payments/attempt-watch.ts"
import { findAttemptByPayload } from "../../src/store/payments/attempts.ts"
import { newestMined } from "../../src/store/payments/mined-nonces.ts"
import { noncesOfAttempt } from "../../src/store/payments/relayer-ledger.ts"
import { unsettledValue } from "../../src/store/payments/unsettled-value.ts"
import { dropStrayHolds } from "../../src/store/sales/holds.ts"
import { findRequestRecord } from "../../src/store/sales/requests.ts"
import { readSupplierSet } from "../../src/store/sales/supplier-sets.ts"
import type { Chain } from "../../test/fixtures/chain.ts"
import { CHAIN_ID, type GrownNames, grownId } from "../../test/fixtures/grown-row.ts"
import { untilOpened } from "../demo/until-opened.ts"
import { endWatches, fillPayments, freeOpen, leaseOpen, namesOf, renewNonces } from "./fill-payments.ts"
import { inTurns } from "./in-turns.ts"
import { type MeasuredSystem, openMeasuredSystem } from "./measured-system.ts"
import { pinSelf, type Server, startServer } from "./processes.ts"
import { type Driven, driven, type LoadOptions, type Row, roundExtent, rowsNamed, warmUpExtent } from "./rows.ts"
import { median } from "./statistics.ts"
import { timeUnit } from "./time-units.ts"

/** Number of sales in the directories that the larger ones are compared with. */
const QUOTED_WITH = 10
const RECOVERED_AT = 100
const SALES = [QUOTED_WITH, RECOVERED_AT, 10_000, 100_000, 1_000_000] as const

/** Far above the filled amounts, so that a quote reads the usage and no limit refuses it. */
const LIMITS = { max_total_amount: "999999999999", max_requests_per_day: 1_000_000 }
/**
 * Lease of the servers, the longest that they accept. The filled attempts have the same lease, so that no server works on them during the
 * measurement.
 */
const LEASE_SECONDS = 600

export interface PaymentsGrowth {
  /** Number of attempts, and of records of the one supplier. */
  readonly sales: number
  readonly open: number
  readonly megabytes: number
  /** Median milliseconds for each unit of the store. */
  readonly units: Readonly<Record<string, number>>
  readonly rates: Readonly<Record<Kind, Rates>>
}

interface Rates {
  /** Answers per second. */
  readonly perSecond: number
  /** Ratio of it to that at {@link QUOTED_WITH} or {@link RECOVERED_AT} sales. */
  readonly ratio: number
  /** Same, of the microseconds of the main thread for an answer; null where they cannot be read. */
  readonly mainRatio: number | null
}

const KINDS = ["quote", "recover"] as const
type Kind = (typeof KINDS)[number]
/** The rows of the benchmark that are measured. */
const MEASURED: Readonly<Record<Kind, string>> = { quote: "unpaid quote", recover: "recover" }

interface PaymentsGrowthRun {
  readonly binary: string
  /** Of the data directories and logs. */
  readonly folder: string
  readonly chain: Chain
  /** Larger sizes are omitted. */
  readonly most: number
  /** Called after each size. */
  readonly report: (grown: PaymentsGrowth) => void
}

/** Fills the scene's directory up to each size and measures there. */
export async function measurePaymentsGrowth(run: PaymentsGrowthRun, options: LoadOptions): Promise<void> {
  const { binary, folder, chain, most, report } = run
  const system = await openMeasuredSystem(binary, folder, chain, LIMITS)
  await system.server.stop()
  const names = namesOf(system.bought)
  const path = dataPaths(system.data).database
  const small = { quote: join(folder, `with-${QUOTED_WITH}`), recover: join(folder, `at-${RECOVERED_AT}`) }
  let filled = 0
  for (const sales of SALES.filter((each) => each <= Math.max(most, RECOVERED_AT))) {
    fillPayments(path, filled, sales, names)
    filled = sales
    const { units, open } = measureUnits(path, sales, names)
    if (sales === QUOTED_WITH) cpSync(system.data, small.quote, { recursive: true })
    if (sales === RECOVERED_AT) cpSync(system.data, small.recover, { recursive: true })
    if (sales < RECOVERED_AT) continue
    const rates = await measureRates(run, system, small, options)
    report({ sales, open, megabytes: statSync(path).size / 1e6, units, rates })
  }
}

function measureUnits(path: string, sales: number, names: GrownNames) {
  const database = openDatabase(path)
  database.run("PRAGMA synchronous = OFF")
  const now = Date.now()
  const open = database
    .query<{ n: number }, []>(
      "SELECT count(*) AS n FROM payment_attempt WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED')",
    )
    .get()
  const time = (unit: () => Unit<unknown>) => timeUnit(database, unit)
  leaseOpen(database, now + MINUTE)
  const allLeased = time(() =>
    takeAbandoned({ owner: "bench", until: formatInstant(now + MINUTE) }, formatInstant(now)),
  )
  freeOpen(database)
  const allFree = time(() => takeAbandoned({ owner: "bench", until: formatInstant(now + MINUTE) }, formatInstant(now)))
  const units = {
    ...lookUps(sales, names, now, time),
    "takeAbandoned, all leased": allLeased,
    "takeAbandoned, takes 64": allFree,
  }
  database.close(true)
  return { units, open: open?.n ?? 0 }
}

function lookUps(
  sales: number,
  { payer, asset, delegationId, organizationId, supplierKey, supplierEntityId, supplierNameKey, relayer }: GrownNames,
  now: number,
  time: (unit: () => Unit<unknown>) => number,
): Record<string, number> {
  const n = Math.ceil(sales / 2)
  const at = formatInstant(now)
  const day = `${at.slice(0, 10)}T00:00:00.000Z`
  return {
    findRequestRecord: time(() => findRequestRecord("p", "scope", `key-${n}`)),
    findAttemptByPayload: time(() => findAttemptByPayload(grownId("drq", n), `sha-att-${n}`)),
    dropStrayHolds: time(() => dropStrayHolds(at)),
    noncesOfAttempt: time(() => noncesOfAttempt(grownId("att", n))),
    "owedAttempts, at most ten": time(owedAttempts),
    readSupplierSet: time(() =>
      readSupplierSet(organizationId, { keys: [supplierKey], nameKey: supplierNameKey, entityId: supplierEntityId }),
    ),
    "newestMined, idle": time(() => newestMined(relayer)),
    delegationUse: time(() => delegationUse(delegationId, day)),
    unsettledValue: time(() => unsettledValue({ chainId: CHAIN_ID, asset, payer })),
    "takeDuePolls, none due": time(() => takeDuePolls({ now: "", latest: "~", nextPollAt: () => at })),
  }
}

/** Data directories of the servers that the grown one is compared with. */
type Small = Readonly<Record<Kind, string>>

/** Ratios of the grown directory to the small ones. Their servers run at the same time and are measured in turn. */
async function measureRates(run: PaymentsGrowthRun, system: MeasuredSystem, small: Small, options: LoadOptions) {
  const servers: Server[] = []
  const serve = async (data: string) => {
    const server = await serveFilled(run, system, data)
    servers.push(server)
    return server
  }
  const started = performance.now()
  try {
    const grown = await serve(system.data)
    const before = { quote: await serve(small.quote), recover: await serve(small.recover) }
    pinSelf("client")
    const measured = KINDS.map((kind) => ({ row: rowOf(kind), before: before[kind], pairs: [] as Pair[] }))
    for (const { row, before } of measured)
      for (const { origin } of [before, grown]) await row.prepare(system, warmUpExtent(options))(origin)
    for (let round = 0; round < options.rounds; round++)
      for (const { row, before, pairs } of measured) {
        const [ofBefore, ofGrown] = [
          row.prepare(system, roundExtent(options)),
          row.prepare(system, roundExtent(options)),
        ]
        pairs.push(
          await inTurns(
            round,
            () => driven(before, ofBefore),
            () => driven(grown, ofGrown),
          ),
        )
      }
    if (performance.now() - started > LEASE_SECONDS * SECOND)
      throw new Error("the rounds lasted longer than the leases of the filled attempts: measure fewer rounds")
    const [quote, recover] = measured.map(({ pairs }) => ratesOf(pairs))
    if (!quote || !recover) throw new TypeError("each kind is measured")
    return { quote, recover }
  } finally {
    pinSelf("all")
    for (const server of servers) await server.stop()
  }
}

async function serveFilled(
  { binary, folder }: PaymentsGrowthRun,
  { flags }: MeasuredSystem,
  data: string,
): Promise<Server> {
  const database = openDatabase(dataPaths(data).database)
  const now = Date.now()
  leaseOpen(database, now + LEASE_SECONDS * SECOND)
  renewNonces(database, now)
  endWatches(database)
  database.close(true)
  const command = [binary, "serve", "--data", data, ...flags, "--lease-seconds", String(LEASE_SECONDS)]
  const server = await startServer(command, join(folder, `${basename(data)}.log`))
  await untilOpened(server.origin)
  return server
}

function rowOf(kind: Kind): Row {
  const [row] = rowsNamed([MEASURED[kind]])
  if (!row) throw new TypeError("rowsNamed throws for a name without a row")
  return row
}

type Pair = readonly [before: Driven, grown: Driven]

function ratesOf(pairs: readonly Pair[]): Rates {
  const mains = pairs.flatMap(([before, grown]) =>
    before.main === null || grown.main === null ? [] : grown.main / before.main,
  )
  return {
    perSecond: median(pairs.map(([, grown]) => grown.perSecond)),
    ratio: median(pairs.map(([before, grown]) => grown.perSecond / before.perSecond)),
    mainRatio: mains.length === 0 ? null : median(mains),
  }
}

export function paymentsGrowthTable(grown: readonly PaymentsGrowth[]): string {
  const line = (head: string, cell: (one: PaymentsGrowth) => string) =>
    `${head.padEnd(34)}${grown.map((one) => cell(one).padStart(12)).join("")}\n`
  const rate = (kind: Kind, base: number) => [
    line(`${kind}/s`, ({ rates }) => rates[kind].perSecond.toFixed(0)),
    line(`${kind}, to that at ${base} beside it`, ({ rates }) => rates[kind].ratio.toFixed(3)),
    line(`${kind}, main thread to that at ${base}`, ({ rates }) => rates[kind].mainRatio?.toFixed(3) ?? ""),
  ]
  return [
    line("attempts, records of one supplier", ({ sales }) => sales.toLocaleString("en")),
    line("open attempts", ({ open }) => open.toLocaleString("en")),
    line("database, MB", ({ megabytes }) => megabytes.toFixed(0)),
    ...Object.keys(grown[0]?.units ?? {}).map((name) =>
      line(`${name}, ms`, ({ units }) => (units[name] ?? 0).toFixed(4)),
    ),
    ...rate("quote", QUOTED_WITH),
    ...rate("recover", RECOVERED_AT),
  ].join("")
}
