/** Measures how each agent request scales with the number of identities, on one directory that is filled step by step. */
import { randomInt } from "node:crypto"
import { statSync } from "node:fs"
import { dataPaths } from "../../src/data/data-paths.ts"
import type { TestAgent } from "../../test/fixtures/agent.ts"
import { enrolAgents, measurePairs } from "./agents.ts"
import { measureAppends } from "./appends.ts"
import { measureBundles } from "./bundles.ts"
import { fill, fillerId } from "./fill.ts"
import { drive, get, type Load, type Measured } from "./load.ts"
import { IDENTITY_FLAGS } from "./measured-system.ts"
import { pinSelf, runToEnd, startServer } from "./processes.ts"
import { verifications } from "./requests.ts"
import type { LoadOptions } from "./rows.ts"
import { median } from "./statistics.ts"

const SIZES = [1_000, 10_000, 100_000, 1_000_000] as const
const REAL_AGENTS = 64
const FIRST_READS_MAX = 4_000
/** Coprime to every size, so that steps of this length visit each filler once. */
const STEP = 617_933

export interface Growth {
  readonly agents: number
  readonly megabytes: number
  /** Requests per second, by kind of request. */
  readonly rates: Readonly<Record<string, number>>
  /** Milliseconds to verify an export bundle offline. */
  readonly bundle: number
}

interface GrowthRun {
  readonly binary: string
  /** The data directory, which the run creates. */
  readonly data: string
  /** Larger sizes are omitted. */
  readonly most: number
  /** Called after each size. */
  readonly report: (grown: Growth) => void
}

/** Creates the data directory, fills it up to each size and measures there. */
export async function measureGrowth({ binary, data, most, report }: GrowthRun, options: LoadOptions): Promise<void> {
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  const path = dataPaths(data).database
  let filled = 0
  let agents: TestAgent[] = []
  for (const size of SIZES.filter((each) => each <= most)) {
    await fill(path, filled, size)
    filled = size
    const server = await startServer([binary, "serve", "--data", data, ...IDENTITY_FLAGS], `${data}.log`)
    try {
      pinSelf("client")
      if (agents.length === 0) agents = await enrolAgents(server.origin, REAL_AGENTS, options.connections)
      const rates: Record<string, number> = {}
      for (const [name, load] of Object.entries(loads(agents, size, options))) {
        rates[name] = best(await rounds(options.rounds, () => drive(server.origin, load())))
      }
      const bundle = median(await measureBundles(server.origin, agents))
      const pairs = await measurePairs(server.origin, options.connections, options.milliseconds * 2)
      rates["challenge and prove"] = pairs.perSecond
      await server.stop()
      rates["log append"] = await measureAppends(path, options.milliseconds * 2)
      report({ agents: size, megabytes: statSync(path).size / 1e6, rates, bundle })
    } finally {
      pinSelf("all")
      await server.stop()
    }
  }
}

function loads(agents: readonly TestAgent[], size: number, options: LoadOptions): Record<string, () => Load> {
  const { connections, milliseconds } = options
  const common = { status: 200, connections, milliseconds }
  // There are two documents, and every round of either requests identities that were not requested before.
  const count = Math.min(FIRST_READS_MAX, Math.floor(size / (2 * options.rounds)))
  let at = randomInt(size)
  const strangers = (document: string) =>
    Array.from({ length: count }, () => {
      at = (at + STEP) % size
      return get(`/v1/agent-identities/${fillerId(at)}${document}`)
    })
  const known = (document: string) => agents.map(({ agentId }) => get(`/v1/agent-identities/${agentId}${document}`))
  return {
    "status, first read": () => ({ ...common, requests: strangers("/status"), repeat: false }),
    "status, kept": () => ({ ...common, requests: known("/status"), repeat: true }),
    "jwks, first read": () => ({ ...common, requests: strangers("/jwks.json"), repeat: false }),
    "jwks, kept": () => ({ ...common, requests: known("/jwks.json"), repeat: true }),
    verify: () => ({ ...common, requests: verifications(agents, options.signed), repeat: false }),
  }
}

async function rounds(count: number, one: () => Promise<Measured>): Promise<number[]> {
  const rates: number[] = []
  for (let n = 0; n < count; n++) rates.push((await one()).perSecond)
  return rates
}

/** Other work on the machine only lowers a rate, so the best round is closest to the effect of the size. */
function best(rates: readonly number[]): number {
  return Math.max(...rates)
}

export function growthTable(grown: readonly Growth[]): string {
  const names = Object.keys(grown[0]?.rates ?? {})
  const line = (head: string, cells: readonly string[]) =>
    `${head.padEnd(24)}${cells.map((cell) => cell.padStart(12)).join("")}\n`
  return [
    line(
      "agents",
      grown.map(({ agents }) => agents.toLocaleString("en")),
    ),
    line(
      "database, MB",
      grown.map(({ megabytes }) => megabytes.toFixed(0)),
    ),
    line(
      "bundle verified, ms",
      grown.map(({ bundle }) => bundle.toFixed(1)),
    ),
    ...names.map((name) =>
      line(
        `${name}/s`,
        grown.map(({ rates }) => (rates[name] ?? 0).toFixed(0)),
      ),
    ),
  ].join("")
}
