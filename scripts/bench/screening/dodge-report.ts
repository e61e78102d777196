/** Prints what `measure-dodges.ts` measures, beside the same of another checkout. */
import { resolve } from "node:path"
import type { Party } from "../../../src/sources/records/party.ts"
import {
  alertGroups,
  alertsOf,
  dodgeCases,
  dodgeRows,
  type Engine,
  engineOf,
  interleavedTimes,
  lostNames,
  PATHOLOGICAL,
} from "./measure-dodges.ts"
import { processorMs } from "./measure-speed.ts"
import { samParties, sanctionsParties } from "./published-parties.ts"
import { registerFirms } from "./register-firms.ts"

interface Folders {
  /** Of the published lists. */
  readonly lists: string
  /** Of the register of firms. */
  readonly firms: string | undefined
  /** Of the checkout to compare with. */
  readonly against: string | undefined
}

export async function dodgeReport({ lists, firms: folder, against }: Folders): Promise<string> {
  const parties = [...sanctionsParties(lists), ...samParties(lists)]
  const checkouts = against === undefined ? ["."] : [against, "."]
  const engines = await Promise.all(checkouts.map((checkout) => engineOf(resolve(checkout))))
  const built = engines.map((engine) => processorMs(() => engine.indexOf(parties)))
  const indexed = engines.map((engine, at) => [engine, built[at]![0]] as const)
  const cases = dodgeCases(parties)
  const lines = [`found at 0.80${against === undefined ? "" : ": the other checkout, this one"}`]
  const rows = indexed.map(([engine, index]) => dodgeRows(engine, index, cases))
  for (const [at, { label, cases: count }] of rows[0]!.entries())
    lines.push(
      line(
        label,
        count,
        rows.map((each) => count - each[at]!.missed.length),
      ),
    )
  const all = rows[0]!.reduce((sum, { cases: count }) => sum + count, 0)
  lines.push(
    line(
      "all",
      all,
      rows.map((each) => each.reduce((sum, { cases: count, missed }) => sum + count - missed.length, 0)),
    ),
  )
  lines.push("alerts at 0.80")
  for (const group of alertGroups(lists, registerFirms(folder)))
    lines.push(
      group.names === null
        ? `${group.label.padEnd(36)}NOT RUN: no register of firms, see register-firms.ts`
        : line(
            group.label,
            group.names.length,
            indexed.map(([engine, index]) => alertsOf(engine, index, group).length),
          ),
    )
  const names = parties.reduce((sum, party) => sum + party.names.length, 0)
  lines.push(
    line(
      "listed names that are not found",
      names,
      indexed.map(([engine, index]) => lostNames(engine, index, parties).length),
    ),
  )
  return `${[...lines, ...speedLines(indexed, parties), `build, ms of processor: ${built.map(([, milliseconds]) => milliseconds.toFixed(0)).join(", ")}`].join("\n")}\n`
}

function speedLines(
  indexed: readonly (readonly [Engine, ReturnType<Engine["indexOf"]>])[],
  parties: readonly Party[],
): string[] {
  const some = [...dodgeCases(parties).values()].flatMap((cases) => cases.slice(0, 20).map(({ name }) => name))
  return [["us of a query", some] as const, ["us of 350 characters, all common", [PATHOLOGICAL]] as const].map(
    ([label, names]) => {
      const times = interleavedTimes(indexed, names)
      return `${label}: ${times.map(({ p50, p99 }) => `p50 ${p50.toFixed(0)} p99 ${p99.toFixed(0)}`).join(", ")}`
    },
  )
}

const line = (label: string, of: number, counts: readonly number[]): string =>
  `${label.padEnd(36)}${String(of).padStart(7)}${counts.map((count) => `${String(count).padStart(7)} ${(count / of).toFixed(4)}`).join("")}`
