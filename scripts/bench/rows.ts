/**
 * Requests per second as ratios to a raw server. Each round measures raw, row, raw, row …, so that a slow phase of the machine affects
 * both.
 */
import { beaconEvents, plans } from "./agent-mode-requests.ts"
import { drive, get, type Measured } from "./load.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { companyCheckRequests, quoteRequests, recoveries, ukPaymentRequests, verifications } from "./requests.ts"
import { median, quantile } from "./statistics.ts"

export interface RowResult {
  readonly name: string
  readonly perSecond: number
  /** Median over the rounds of this row's ratio to the raw row measured just before it; null for raw itself. */
  readonly ratio: number | null
  readonly p50: number
  readonly p99: number
  readonly answers: number
}

export interface LoadOptions {
  readonly connections: number
  readonly rounds: number
  /** Maximum time of each row in each round. */
  readonly milliseconds: number
  /** Number of signed requests prepared for a row of a round. */
  readonly signed: number
}

interface Row {
  readonly name: string
  readonly server: "raw" | "service"
  readonly status: number
  /** Created again for each round, before its clock runs. */
  readonly requests: () => readonly Uint8Array[]
  readonly repeat: boolean
}

function rowsOf({ bought, agents, executionId }: MeasuredSystem, signed: number): readonly Row[] {
  const quotes = () => quoteRequests(signed)
  const checks = () => companyCheckRequests(signed)
  const ukPayments = () => ukPaymentRequests(signed)
  const recovers = () => recoveries(bought, signed)
  const kept = () => [get(`/v1/us/executions/${executionId}`)]
  const reads = (document: string) => () =>
    agents.map(({ agentId }) => get(`/v1/agent-identities/${agentId}${document}`))
  const verifies = () => verifications(agents, signed)
  return [
    { name: "health", server: "service", status: 200, requests: () => [get("/livez")], repeat: true },
    { name: "status", server: "service", status: 200, requests: reads("/status"), repeat: true },
    { name: "jwks", server: "service", status: 200, requests: reads("/jwks.json"), repeat: true },
    { name: "raw, JSON, 1 signature", server: "raw", status: 200, requests: verifies, repeat: true },
    { name: "verify", server: "service", status: 200, requests: verifies, repeat: false },
    { name: "raw, JSON, 2 signatures", server: "raw", status: 200, requests: quotes, repeat: true },
    { name: "unpaid quote", server: "service", status: 402, requests: quotes, repeat: false },
    { name: "raw, JSON", server: "raw", status: 200, requests: checks, repeat: true },
    { name: "company check, quote", server: "service", status: 402, requests: checks, repeat: false },
    { name: "UK payment, quote", server: "service", status: 402, requests: ukPayments, repeat: false },
    { name: "kept answer", server: "service", status: 200, requests: kept, repeat: true },
    { name: "recover", server: "service", status: 200, requests: recovers, repeat: false },
    { name: "plan", server: "service", status: 200, requests: () => plans(agents, signed), repeat: false },
    {
      name: "Beacon event",
      server: "service",
      status: 202,
      requests: () => beaconEvents(agents, signed),
      repeat: false,
    },
  ]
}

/** The first round warms up both sides and is not counted. */
export async function measureRows(
  rawOrigin: string,
  system: MeasuredSystem,
  options: LoadOptions,
): Promise<RowResult[]> {
  const { connections, milliseconds } = options
  const raw: Measured[] = []
  const rows = rowsOf(system, options.signed).map((row) => ({
    row,
    measured: [] as Measured[],
    ratios: [] as number[],
  }))
  const hello = { requests: [get("/")], repeat: true, status: 200, connections, milliseconds }
  for (let round = 0; round <= options.rounds; round++) {
    for (const { row, measured, ratios } of rows) {
      const requests = row.requests()
      const beside = await drive(rawOrigin, hello)
      const origin = row.server === "raw" ? rawOrigin : system.server.origin
      const own = await drive(origin, { ...row, requests, connections, milliseconds })
      if (round === 0) continue
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

function summary(name: string, measured: readonly Measured[], ratio: number | null): RowResult {
  const times = measured.flatMap((one) => one.times)
  return {
    name,
    ratio,
    perSecond: median(measured.map((one) => one.perSecond)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answers: times.length,
  }
}
