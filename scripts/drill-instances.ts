/**
 * Kills each process of two instances on a primary with a synchronous standby, with SIGKILL while purchases are under way, and compares the
 * sums after each: answers, rows, counts, leaves of the log, transfers on the chain. Needs Debian's PostgreSQL 15 (`pg_basebackup`).
 *
 *   bun scripts/drill-instances.ts [--purchases 200] [--kill NAME]… [--rounds 1] [--standby-away SECONDS]
 *
 * Exits with 1 if a sum differs, if an answer that a buyer holds is missing, or if the first sale comes later than 10 s after a promotion.
 */
import { parseArgs } from "node:util"
import { HAS_PG_BASEBACKUP } from "../test/fixtures/debian-postgres.ts"
import { drill, KILLS, type Outcome, openLedger } from "./drill/kills.ts"
import { openPair } from "./drill/pair.ts"

const FIRST_SALE_MS_MAX = 10_000

for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(130))

const { values: options } = parseArgs({
  options: {
    purchases: { type: "string", default: "200" },
    rounds: { type: "string", default: "1" },
    "standby-away": { type: "string", default: "5" },
    kill: { type: "string", multiple: true },
  },
})

function faultsOf({ sums, expected, missing, audit, measured }: Outcome): string[] {
  const differing = Object.entries(expected).filter(([name, n]) => sums[name as keyof typeof sums] !== n)
  return [
    ...differing.map(([name, n]) => `${name} is ${sums[name as keyof typeof sums]} instead of ${n}`),
    ...missing.map((text) => `missing: ${text.slice(0, 200)}`),
    ...(audit[0] === 0 ? [] : [`log audit ended with ${audit[0]}: ${audit[1]}`]),
    ...((measured["first sale after promotion"] ?? 0) > FIRST_SALE_MS_MAX ? ["the first sale was late"] : []),
  ]
}

async function main(): Promise<number> {
  if (!HAS_PG_BASEBACKUP) {
    console.log("NOT RUN: Debian's PostgreSQL 15 with pg_basebackup is not installed")
    return 1
  }
  const drillOptions = { purchases: Number(options.purchases), standbyAwayMs: 1_000 * Number(options["standby-away"]) }
  const pair = await openPair()
  let failed = 0
  try {
    const ledger = await openLedger(pair)
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const name of options.kill ?? Object.keys(KILLS)) {
        const outcome = await drill(name, pair, ledger, drillOptions)
        const faults = faultsOf(outcome)
        failed += faults.length
        console.log(name, outcome.measured, "answers", outcome.statuses, faults.length === 0 ? "sums equal" : faults)
      }
    }
  } finally {
    await pair.close()
  }
  return failed === 0 ? 0 : 1
}

process.exit(await main())
