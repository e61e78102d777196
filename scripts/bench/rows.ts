/**
 * Requests per second as ratios to a raw server. Each round measures raw, row, raw, row …, so that a slow phase of the machine affects
 * both.
 */
import { beaconEvents, plans } from "./agent-mode-requests.ts"
import { drive, get, type Measured } from "./load.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { processorTime, type Server } from "./processes.ts"
import { type BoughtProduct, COMPANY_CHECK, PAYMENT_DECISION, purchases } from "./purchases.ts"
import { companyCheckRequests, quoteRequests, recoveries, ukPaymentRequests, verifications } from "./requests.ts"
import { median, quantile } from "./statistics.ts"

export interface RowResult {
  readonly name: string
  readonly perSecond: number
  /** Median over the rounds of this row's ratio to the raw row measured just before it; null for raw itself. */
  readonly ratio: number | null
  /** Microseconds of the server's main thread for one answer; null where they cannot be read. */
  readonly main: number | null
  /** Same, of all its threads. */
  readonly processor: number | null
  readonly p50: number
  readonly p99: number
  readonly answers: number
}

export interface LoadOptions {
  readonly connections: number
  readonly rounds: number
  /** Maximum time of each row in each round. Purchases are counted instead. */
  readonly milliseconds: number
  /** Number of signed requests prepared for a row of a round. If they do not last for its time, the row ends earlier. */
  readonly signed: number
}

/** How much of a row one call does: a round, or the warm-up. */
interface Extent extends Pick<LoadOptions, "connections" | "milliseconds" | "signed"> {
  /** Number of purchases. */
  readonly sales: number
}

export interface Row {
  readonly name: string
  readonly server: "raw" | "service"
  /** The product, if the row is of whole purchases. */
  readonly bought: BoughtProduct | null
  /** Makes the requests before the clock runs. No server gets them twice. The returned function sends them. */
  readonly prepare: (system: MeasuredSystem, extent: Extent) => (origin: string) => Promise<Measured>
}

interface LoadRow extends Pick<Row, "name" | "server"> {
  readonly status: number
  /** At most `count`. */
  readonly requests: (count: number, system: MeasuredSystem) => readonly Uint8Array[]
  readonly repeat: boolean
}

function loadRow({ name, server, status, requests, repeat }: LoadRow): Row {
  return {
    name,
    server,
    bought: null,
    prepare: (system, { connections, milliseconds, signed }) => {
      const load = { requests: requests(signed, system), repeat, status, connections, milliseconds }
      return (origin) => drive(origin, load)
    },
  }
}

function purchaseRow(name: string, bought: BoughtProduct): Row {
  return {
    name,
    server: "service",
    bought,
    prepare: ({ payers }, { sales }) => purchases(payers, bought, sales),
  }
}

type Requests = LoadRow["requests"]

const reads =
  (document: string): Requests =>
  (_, { agents }) =>
    agents.map(({ agentId }) => get(`/v1/agent-identities/${agentId}${document}`))
/** Requests of all agents of the measured system. */
const signedBy =
  (made: (agents: MeasuredSystem["agents"], count: number) => readonly Uint8Array[]): Requests =>
  (count, { agents }) =>
    made(agents, count)
const verifies = signedBy(verifications)
const planned = signedBy(plans)
const events = signedBy(beaconEvents)
const recovers: Requests = (count, { bought }) => recoveries(bought, count)
const kept: Requests = (_, { executionId }) => [get(`/v1/us/executions/${executionId}`)]
const hello: Requests = () => [get("/")]

const HELLO = loadRow({ name: "raw Bun.serve hello", server: "raw", status: 200, requests: hello, repeat: true })

const LOADS: readonly LoadRow[] = [
  { name: "health", server: "service", status: 200, requests: () => [get("/livez")], repeat: true },
  { name: "status", server: "service", status: 200, requests: reads("/status"), repeat: true },
  { name: "jwks", server: "service", status: 200, requests: reads("/jwks.json"), repeat: true },
  { name: "raw, JSON, 1 signature", server: "raw", status: 200, requests: verifies, repeat: true },
  { name: "verify", server: "service", status: 200, requests: verifies, repeat: false },
  { name: "raw, JSON, 2 signatures", server: "raw", status: 200, requests: quoteRequests, repeat: true },
  { name: "unpaid quote", server: "service", status: 402, requests: quoteRequests, repeat: false },
  { name: "raw, JSON", server: "raw", status: 200, requests: companyCheckRequests, repeat: true },
  { name: "company check, quote", server: "service", status: 402, requests: companyCheckRequests, repeat: false },
  { name: "UK payment, quote", server: "service", status: 402, requests: ukPaymentRequests, repeat: false },
  { name: "kept answer", server: "service", status: 200, requests: kept, repeat: true },
  { name: "recover", server: "service", status: 200, requests: recovers, repeat: false },
  { name: "raw, JSON, 1 signed", server: "raw", status: 200, requests: planned, repeat: true },
  { name: "plan", server: "service", status: 200, requests: planned, repeat: false },
  { name: "raw, JSON, 1 signature, 1 row", server: "raw", status: 200, requests: events, repeat: true },
  { name: "Beacon event", server: "service", status: 202, requests: events, repeat: false },
]

export const ROWS: readonly Row[] = [
  ...LOADS.map(loadRow),
  purchaseRow("purchase, decision", PAYMENT_DECISION),
  purchaseRow("purchase, company", COMPANY_CHECK),
]

/** Rows with bodies, each with the raw row that shows the minimum cost on this runtime. */
export const CEILINGS = [
  ["verify", "raw, JSON, 1 signature"],
  ["unpaid quote", "raw, JSON, 2 signatures"],
  ["company check, quote", "raw, JSON"],
  ["UK payment, quote", "raw, JSON"],
  ["plan", "raw, JSON, 1 signed"],
  ["Beacon event", "raw, JSON, 1 signature, 1 row"],
] as const

/** Throws a RangeError for a name that no row has. */
export function rowsNamed(names: readonly string[]): readonly Row[] {
  const known = ROWS.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new RangeError(`no row is named "${unknown}"; the rows are: ${known.join("; ")}`)
  return ROWS.filter(({ name }) => names.includes(name))
}

/**
 * Before the first round each row runs this many times as long, or for this many requests, uncounted. The runtime compiles the code of a row
 * in several steps while it answers its first twenty thousand requests, on the core of the server.
 */
const WARM_UP = 7
const WARM_UP_REQUESTS = 21_000
/** Of a row of purchases, for the same reason. */
const WARM_UP_SALES = 320
/**
 * Purchases of a round, and of all rounds. Anvil stamps each block at least a second after the one before, and hashes every stored payment for each:
 * after some 3,000 sales its clock is past the end of the quotes.
 */
const SALES_MAX = 128
const ALL_SALES_MAX = 7 * SALES_MAX

export function roundExtent({ connections, milliseconds, signed, rounds }: LoadOptions): Extent {
  return { connections, milliseconds, signed, sales: Math.min(SALES_MAX, Math.floor(ALL_SALES_MAX / rounds)) }
}

export function warmUpExtent({ connections, milliseconds }: LoadOptions): Extent {
  return { connections, milliseconds: milliseconds * WARM_UP, signed: WARM_UP_REQUESTS, sales: WARM_UP_SALES }
}

export async function measureRows(
  rawServer: Server,
  system: MeasuredSystem,
  options: LoadOptions,
  measuredRows: readonly Row[],
): Promise<RowResult[]> {
  const raw: Driven[] = []
  const rows = measuredRows.map((row) => ({
    row,
    server: row.server === "raw" ? rawServer : system.server,
    measured: [] as Driven[],
    ratios: [] as number[],
  }))
  const warmUp = warmUpExtent(options)
  for (const { row, server } of rows) await row.prepare(system, warmUp)(server.origin)
  const extent = roundExtent(options)
  const compare = HELLO.prepare(system, extent)
  for (let round = 0; round < options.rounds; round++) {
    for (const { row, server, measured, ratios } of rows) {
      const work = row.prepare(system, extent)
      const beside = await driven(rawServer, compare)
      const own = await driven(server, work)
      raw.push(beside)
      measured.push(own)
      ratios.push(own.perSecond / beside.perSecond)
    }
  }
  return [
    summary(HELLO.name, raw, null),
    ...rows.map(({ row, measured, ratios }) => summary(row.name, measured, median(ratios))),
  ]
}

export interface Driven extends Measured {
  /** See {@link RowResult.main}. */
  readonly main: number | null
  /** See {@link RowResult.processor}. */
  readonly processor: number | null
}

export async function driven({ origin, pid }: Server, work: (origin: string) => Promise<Measured>): Promise<Driven> {
  const before = processorTime(pid)
  const measured = await work(origin)
  const after = processorTime(pid)
  if (before === null || after === null) return { ...measured, main: null, processor: null }
  const { answers } = measured
  return { ...measured, main: (after.main - before.main) / answers, processor: (after.all - before.all) / answers }
}

function summary(name: string, measured: readonly Driven[], ratio: number | null): RowResult {
  const times = measured.flatMap((one) => one.times)
  return {
    name,
    ratio,
    main: medianOf(measured.flatMap(({ main }) => main ?? [])),
    processor: medianOf(measured.flatMap(({ processor }) => processor ?? [])),
    perSecond: median(measured.map((one) => one.perSecond)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answers: times.length,
  }
}

/** Null without values. */
function medianOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values)
}
