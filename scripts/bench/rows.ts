/**
 * Requests per second as ratios to a raw server. Each round measures raw, row, raw, row …, so that a slow phase of the machine affects
 * both.
 */
import { beaconEvents, plans } from "./agent-mode-requests.ts"
import { drive, get, type Load, type Measured } from "./load.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { processorSeconds, type Server } from "./processes.ts"
import { companyCheckRequests, quoteRequests, recoveries, ukPaymentRequests, verifications } from "./requests.ts"
import { median, quantile } from "./statistics.ts"

export interface RowResult {
  readonly name: string
  readonly perSecond: number
  /** Median over the rounds of this row's ratio to the raw row measured just before it; null for raw itself. */
  readonly ratio: number | null
  /** Microseconds of the server's processor time for one answer; null where they cannot be read. */
  readonly processor: number | null
  readonly p50: number
  readonly p99: number
  readonly answers: number
}

export interface LoadOptions {
  readonly connections: number
  readonly rounds: number
  /** Maximum time of each row in each round. */
  readonly milliseconds: number
  /** Number of signed requests prepared for a row of a round. If they do not last for its time, the row ends earlier. */
  readonly signed: number
}

export interface Row {
  readonly name: string
  readonly server: "raw" | "service"
  readonly status: number
  /** Created again for each round, before its clock runs. At most `count`. */
  readonly requests: (count: number, system: MeasuredSystem) => readonly Uint8Array[]
  readonly repeat: boolean
}

type Requests = Row["requests"]

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

export const ROWS: readonly Row[] = [
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

export async function measureRows(
  rawServer: Server,
  system: MeasuredSystem,
  options: LoadOptions,
  measuredRows: readonly Row[],
): Promise<RowResult[]> {
  const { connections, milliseconds } = options
  const raw: Driven[] = []
  const rows = measuredRows.map((row) => ({
    row,
    measured: [] as Driven[],
    ratios: [] as number[],
  }))
  const hello = { requests: [get("/")], repeat: true, status: 200, connections, milliseconds }
  for (const { row } of rows) {
    const requests = row.requests(WARM_UP_REQUESTS, system)
    const { origin } = row.server === "raw" ? rawServer : system.server
    await drive(origin, { ...row, requests, connections, milliseconds: milliseconds * WARM_UP })
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const { row, measured, ratios } of rows) {
      const requests = row.requests(options.signed, system)
      const beside = await driven(rawServer, hello)
      const server = row.server === "raw" ? rawServer : system.server
      const own = await driven(server, { ...row, requests, connections, milliseconds })
      raw.push(beside)
      measured.push(own)
      ratios.push(own.perSecond / beside.perSecond)
    }
  }
  return [
    summary("raw Bun.serve hello", raw, null),
    ...rows.map(({ row, measured, ratios }) => summary(row.name, measured, median(ratios))),
  ]
}

interface Driven extends Measured {
  /** See {@link RowResult.processor}. */
  readonly processor: number | null
}

async function driven({ origin, pid }: Server, load: Load): Promise<Driven> {
  const before = processorSeconds(pid)
  const measured = await drive(origin, load)
  const after = processorSeconds(pid)
  const used = before === null || after === null ? null : ((after - before) * 1_000_000) / measured.answers
  return { ...measured, processor: used }
}

function summary(name: string, measured: readonly Driven[], ratio: number | null): RowResult {
  const times = measured.flatMap((one) => one.times)
  const processor = measured.flatMap((one) => one.processor ?? [])
  return {
    name,
    ratio,
    processor: processor.length === 0 ? null : median(processor),
    perSecond: median(measured.map((one) => one.perSecond)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answers: times.length,
  }
}
