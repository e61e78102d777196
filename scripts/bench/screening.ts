/** Measures the time to build the name index from folders of OFAC files, and to query it. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { usOfacConsolidated, usOfacSdn } from "../../src/sources/publishers/us-ofac/adapter.ts"
import type { Party } from "../../src/sources/records/party.ts"
import { NameIndex } from "../../src/sources/screening/name-index.ts"
import { screen, TOLERANCE_THRESHOLD } from "../../src/sources/screening/screen.ts"
import { median, milliseconds, quantile } from "./statistics.ts"

const BUILDS = 5
const QUERIES = 4000

export interface ScreeningTimes {
  readonly parties: number
  readonly names: number
  readonly buildFirst: number
  readonly buildMedian: number
  /** Milliseconds of each query. `cold` fills the word cache; `warm` uses it. */
  readonly cold: readonly number[]
  readonly warm: readonly number[]
}

/** A folder with `cons_prim.csv` or `CONSOLIDATED.XML` is read as the consolidated list, any other as the SDN list. */
export function measureScreening(directories: readonly string[]): ScreeningTimes {
  const parties = directories.flatMap(partiesIn)
  const builds = Array.from({ length: BUILDS }, () => milliseconds(() => new NameIndex({ snapshotIds: {}, parties })))
  const index = new NameIndex({ snapshotIds: {}, parties })
  const names = queries(parties, QUERIES)
  const round = () =>
    names.map(({ name, type }) =>
      milliseconds(() =>
        screen(index, { name, type, identifiers: [], countries: [], threshold: TOLERANCE_THRESHOLD.MEDIUM }),
      ),
    )
  return { ...index.size, buildFirst: builds[0]!, buildMedian: median(builds), cold: round(), warm: round() }
}

export function screeningReport(times: ScreeningTimes): string {
  const line = (name: "cold" | "warm") => {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(times[name], share).toFixed(3))
    return `query ms, word cache ${name}: p50 ${p50}, p95 ${p95}, p99 ${p99} (${times[name].length} queries)\n`
  }
  return `parties ${times.parties}, names ${times.names}
build ms: first ${times.buildFirst.toFixed(0)}, median ${times.buildMedian.toFixed(0)}
${line("cold")}${line("warm")}`
}

function partiesIn(directory: string): readonly Party[] {
  const files = readdirSync(directory)
    .filter((name) => /\.(?:csv|xml|zip)$/i.test(name))
    .map((name) => {
      const path = join(directory, name)
      return { name, bytes: readFileSync(path), modifiedAt: statSync(path).mtimeMs }
    })
  const consolidated = files.some(({ name }) => /^cons/i.test(name))
  const { parties, findings } = (consolidated ? usOfacConsolidated : usOfacSdn).parse(files)
  for (const { code, severity, detail } of findings) console.error(`${directory}: ${severity} ${code}: ${detail}`)
  return parties
}

/** Half are listed names without their second letter. Half mix words of two listed names, like an unlisted name. */
function queries(listed: readonly Party[], count: number): { name: string; type: "person" | "org" }[] {
  if (listed.length === 0) throw new Error("the folders hold no party")
  return Array.from({ length: count }, (_, at) => {
    const party = listed[(at * 7919) % listed.length]!
    const name = party.names[0]!.text
    const other = listed[(at * 104_729 + 1) % listed.length]!.names[0]!.text
    const requests = at % 2 === 0 ? name[0] + name.slice(2) : `${name.split(" ")[0]} ${other.split(" ").at(-1)}`
    return { name: requests, type: party.type === "person" ? "person" : "org" }
  })
}
