import { judge } from "../bench/report.ts"
import { page, table } from "./markdown.ts"

/** The targets of `scripts/bench.ts`, without measurements. */
export function targetsPage(): string {
  const targets = judge({ rows: [], coldStart: { times: [0], idleMib: [] }, screening: null })
  const rows = targets.map(({ name, requests }) => [name, requests])
  return page("Speed targets", table(["what", "target"], rows))
}
