/** Sums recomputed from the rows of attempts. The stored sums must equal them. */
import type { Beside } from "../fixtures/test-database.ts"

interface Live {
  readonly delegation_id: string | null
  readonly mandate_delegation_id: string | null
  readonly amount_millionths: string | null
  readonly created_at: string
}

interface Unsettled {
  readonly account: string
  readonly value: string
}

export interface MoneySums {
  /** By chain, asset and payer, separated by spaces. */
  readonly unsettled: Readonly<Record<string, bigint>>
  /** By delegation, in millionths. */
  readonly totals: Readonly<Record<string, bigint>>
  /** By delegation and UTC day, separated by a space. */
  readonly days: Readonly<Record<string, number>>
}

export async function sumsOverRows({ rows }: Pick<Beside, "rows">): Promise<MoneySums> {
  const unsettled: Record<string, bigint> = {}
  const open = rows<Unsettled>(
    `SELECT chain_id || ' ' || asset || ' ' || payer AS account, value FROM payment_attempt
     WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING')`,
  )
  for (const { account, value } of await open) unsettled[account] = (unsettled[account] ?? 0n) + BigInt(value)
  const totals: Record<string, bigint> = {}
  const days: Record<string, number> = {}
  const live = rows<Live>(
    `SELECT r.delegation_id, r.mandate_delegation_id, r.amount_millionths, a.created_at
     FROM decision_request r JOIN payment_attempt a ON a.request_id = r.id
     WHERE a.state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED')`,
  )
  for (const row of await live) {
    for (const delegation of new Set([row.delegation_id, row.mandate_delegation_id])) {
      if (delegation === null) continue
      totals[delegation] = (totals[delegation] ?? 0n) + BigInt(row.amount_millionths ?? "0")
      const day = `${delegation} ${row.created_at.slice(0, 10)}`
      days[day] = (days[day] ?? 0) + 1
    }
  }
  return { unsettled, totals: withoutZero(totals), days }
}

export async function keptSums({ rows }: Pick<Beside, "rows">): Promise<MoneySums> {
  const read = (sql: string) => rows<{ name: string; sum: string | number }>(sql)
  const big = async (sql: string) => Object.fromEntries((await read(sql)).map(({ name, sum }) => [name, BigInt(sum)]))
  const days = read(
    "SELECT delegation_id || ' ' || day AS name, requests AS sum FROM delegation_day WHERE requests > 0",
  )
  return {
    unsettled: await big("SELECT chain_id || ' ' || asset || ' ' || payer AS name, value AS sum FROM unsettled_value"),
    totals: withoutZero(await big("SELECT delegation_id AS name, millionths AS sum FROM delegation_total")),
    days: Object.fromEntries((await days).map(({ name, sum }) => [name, Number(sum)])),
  }
}

/** An unused delegation has a row of zero or no row. */
function withoutZero(sums: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n))
}
