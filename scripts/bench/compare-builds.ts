/** Compares two builds in one run: rows, what a purchase costs beside time, memory after the load, and starts. */

import { type Compared, compareCosts, compareResident, compareRows } from "./compare.ts"
import type { CompareReport } from "./compare-report.ts"
import { withServers } from "./measured-servers.ts"
import { saleStatements } from "./noted-purchases.ts"
import { pinSelf } from "./processes.ts"
import type { LoadOptions, Row } from "./rows.ts"
import { interleavedStarts } from "./starts.ts"

interface CompareOptions extends LoadOptions {
  /** Starts of each build. */
  readonly starts: number
}

/** Throws a RangeError if no row is of the service: a raw server is no build. */
export async function compareBuilds(
  binaries: Compared<string>,
  options: CompareOptions,
  chosen: readonly Row[],
): Promise<Omit<CompareReport, "machine" | "options">> {
  const rows = chosen.filter(({ server }) => server === "service")
  if (rows.length === 0) throw new RangeError("none of these rows is of the service")
  return withServers([binaries.base, binaries.own], async ({ folder, systems: [base, own], raw }) => {
    if (!base || !own) throw new TypeError("each binary has a system")
    const compared = await compareRows({ base, own, raw }, options, rows)
    const resident = compareResident({ base, own })
    for (const { server } of [base, own]) await server.stop()
    const costs = await compareCosts({ base, own }, rows)
    const statements = await saleStatements(rows)
    pinSelf("all")
    const commands = [base, own].map(({ binary, data, flags }) => [binary, "serve", "--data", data, ...flags])
    const [baseStarts, ownStarts] = await interleavedStarts(commands, { folder, starts: options.starts })
    if (!baseStarts || !ownStarts) throw new TypeError("each command has a result")
    return { rows: compared, resident, costs, statements, starts: { base: baseStarts, own: ownStarts } }
  })
}
