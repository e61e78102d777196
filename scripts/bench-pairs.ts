/**
 * Compares two builds of the program in interleaved pairs: time to the first answer, resident memory after the load, and the rate of quotes.
 *
 *   bun scripts/bench-pairs.ts --compare FILE [--pairs N] [--json]
 *
 * dist/bizauth is compared with FILE, for example the build of the commit before. Each pair starts both builds once, in changing order, over
 * equal data with payments on, so that a slow phase of the machine affects both. Printed is the mean change with its 95 % interval (Student's
 * t over the logarithms of the ratios). Loopback only.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS, startChain } from "../test/fixtures/chain.ts"
import { drive } from "./bench/load.ts"
import { FLAGS } from "./bench/measured-system.ts"
import { pinSelf, residentMib, runToEnd, startServer } from "./bench/processes.ts"
import { companyCheckRequests } from "./bench/requests.ts"
import { changeOf } from "./bench/statistics.ts"
import { prepareLists } from "./demo/lists.ts"
import { untilOpened } from "./demo/until-opened.ts"

const LOAD = { status: 402, connections: 16, milliseconds: 1_500, repeat: false } as const
const REQUESTS = 30_000

const { values: given } = parseArgs({
  options: {
    compare: { type: "string" },
    pairs: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
})
const pairs = Number(given.pairs)
if (!Number.isSafeInteger(pairs) || pairs < 2 || pairs > 100) throw new RangeError(`${given.pairs} is not 2 to 100`)
if (given.compare === undefined) throw new RangeError("--compare names the other build")

interface Sample {
  readonly startMs: number
  readonly quotesPerSecond: number
  readonly residentMib: number
}

const scratch = mkdtempSync(join(tmpdir(), "bizauth-pairs-"))
const requests = companyCheckRequests(REQUESTS)
let chain: Chain | undefined

function prepared(binary: string, name: string, { url }: Chain): readonly string[] {
  const folder = mkdtempSync(join(scratch, `${name}-`))
  const data = join(folder, "data")
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  for (const list of prepareLists(folder, null, Date.now()).lists)
    runToEnd([binary, "sources", "import", list.sourceId, list.folder, "--data", data])
  const relayer = join(folder, "relayer.key")
  writeFileSync(relayer, DEV_KEYS[1], { mode: 0o600 })
  const payments = ["--payments", "test", "--rpc-url", url, "--pay-to", DEV_ACCOUNTS.payTo.address]
  return [binary, "serve", "--data", data, ...FLAGS, ...payments, "--relayer-key-file", relayer, "--eth-usd", "1000"]
}

async function sample(command: readonly string[]): Promise<Sample> {
  const spawned = performance.now()
  const server = await startServer(command, join(scratch, "serve.log"))
  try {
    await (await fetch(`${server.origin}/v1/us/federal/source-health`)).text()
    const startMs = performance.now() - spawned
    await untilOpened(server.origin)
    const { perSecond } = await drive(server.origin, { ...LOAD, requests })
    return { startMs, quotesPerSecond: perSecond, residentMib: residentMib(server.pid) ?? Number.NaN }
  } finally {
    await server.stop()
  }
}

try {
  chain = await startChain()
  pinSelf("client")
  const before = prepared(resolve(given.compare), "before", chain)
  const after = prepared(join(import.meta.dir, "..", "dist", "bizauth"), "after", chain)
  const samples: { readonly before: Sample; readonly after: Sample }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) {
      const first = await sample(before)
      samples.push({ before: first, after: await sample(after) })
    } else {
      const first = await sample(after)
      samples.push({ before: await sample(before), after: first })
    }
  }
  const rows = (["startMs", "residentMib", "quotesPerSecond"] as const).map((name) => ({
    name,
    ...changeOf(samples.map((pair) => ({ before: pair.before[name], after: pair.after[name] }))),
  }))
  const line = ({ name, before: old, after: now, change, low, high }: (typeof rows)[number]) =>
    `${name}: ${old.toFixed(1)} to ${now.toFixed(1)}, ${percent(change)} (95 %: ${percent(low)} to ${percent(high)})\n`
  process.stdout.write(given.json ? `${JSON.stringify(rows)}\n` : rows.map(line).join(""))
} finally {
  await chain?.stop()
  rmSync(scratch, { recursive: true, force: true })
}

function percent(change: number): string {
  return `${change >= 0 ? "+" : ""}${(change * 100).toFixed(1)} %`
}
