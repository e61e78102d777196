import { judge } from "../bench/report.ts"
import { page, table } from "./markdown.ts"

/** The targets of `scripts/bench.ts` for a machine, without measurements. */
export function targetsPage(): string {
  const machine = { cpu: "", cores: 0, pinned: false, bun: "" }
  const options = { connections: 0, rounds: 0, milliseconds: 0, signed: 0 }
  const coldStart = { times: [0], busy: [], idleMib: [] }
  const measured = { identity: null, redeems: 0, loadedMib: null, verify: [], version: [], screening: null }
  const targets = judge({ machine, options, rows: [], coldStart, ...measured })
  const rows = targets.map(({ name, requests }) => [name, requests])
  return page("Speed targets", table(["what", "target"], rows))
}
