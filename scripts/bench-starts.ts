/**
 * Measures the time of the compiled program from its spawn to its first answer, and compares it with another build: one start of each, in
 * turns.
 *
 *   bun scripts/bench-starts.ts [--compare FILE] [--lists DIR] [--starts N] [--json]
 *
 * dist/bizauth is measured as it is; build it first. --compare names another build, for example the one before a change. --lists names a
 * folder with one folder for each source, named by its id, with the publisher's files (see scripts/demo/lists.ts). Each build imports the lists
 * into its own data directory.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { REQUIRED_US_SOURCES } from "../src/sources/records/party.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS, startChain } from "../test/fixtures/chain.ts"
import { runToEnd } from "./bench/processes.ts"
import { interleavedStarts } from "./bench/starts.ts"
import { median } from "./bench/statistics.ts"
import { type DemoLists, prepareLists } from "./demo/lists.ts"

const { values: given } = parseArgs({
  options: {
    compare: { type: "string" },
    lists: { type: "string" },
    starts: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
})
const starts = Number(given.starts)
if (!Number.isSafeInteger(starts) || starts < 1 || starts > 200) throw new RangeError(`${given.starts} is not 1 to 200`)
const binaries = [given.compare ?? [], join(import.meta.dir, "..", "dist", "bizauth")]
  .flat()
  .map((path) => resolve(path))
for (const path of binaries)
  if (!existsSync(path)) {
    console.error(`${path} is missing; run: bun scripts/build.ts`)
    process.exit(2)
  }

interface Row {
  readonly system: string
  readonly binary: string
  /** Milliseconds; MiB. */
  readonly median: number
  readonly fastest: number
  readonly idle: number | null
}

const scratch = mkdtempSync(join(tmpdir(), "bizauth-starts-"))
let chain: Chain | undefined
try {
  chain = await startChain()
  const own = given.lists
  const payments = paying(chain)
  const none = () => []
  const samples = (folder: string) => prepareLists(folder, null, Date.now()).lists
  const rows = [
    ...(await measured("no lists, payments test", none, payments)),
    ...(await measured("sample lists, payments off", samples, [])),
    ...(await measured("sample lists, payments test", samples, payments)),
    ...(own === undefined
      ? []
      : await measured("lists given, payments test", (folder) => givenNow(own, folder), payments)),
  ]
  process.stdout.write(given.json ? `${JSON.stringify(rows)}\n` : rows.map(line).join(""))
} finally {
  await chain?.stop()
  rmSync(scratch, { recursive: true, force: true })
}

type Lists = DemoLists["lists"]

async function measured(system: string, listsIn: (folder: string) => Lists, flags: readonly string[]): Promise<Row[]> {
  const folder = mkdtempSync(join(scratch, "scene-"))
  const lists = listsIn(folder)
  const commands = binaries.map((binary, at) => {
    const data = join(folder, `data-${at}`)
    runToEnd([binary, "init", "--data", data, "--environment", "test"])
    for (const list of lists) runToEnd([binary, "sources", "import", list.sourceId, list.folder, "--data", data])
    return [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", ...flags]
  })
  const results = await interleavedStarts(commands, { folder, starts, hasLists: lists.length > 0 })
  return results.map(({ times, idleMib }, at) => ({
    system,
    binary: binaries[at] ?? "",
    median: median(times),
    fastest: Math.min(...times),
    idle: idleMib.length === 0 ? null : median(idleMib),
  }))
}

/** Copies the files with current file times, because a list of last year would load but not be healthy. */
function givenNow(from: string, folder: string): Lists {
  const to = join(folder, "given")
  mkdirSync(to)
  for (const id of REQUIRED_US_SOURCES)
    if (existsSync(join(from, id))) {
      mkdirSync(join(to, id))
      for (const name of readdirSync(join(from, id))) cpSync(join(from, id, name), join(to, id, name))
    }
  return prepareLists(folder, to, Date.now()).lists
}

function paying({ url }: Chain): readonly string[] {
  const relayer = join(scratch, "relayer.key")
  writeFileSync(relayer, DEV_KEYS[1], { mode: 0o600 })
  const payments = ["--payments", "test", "--rpc-url", url, "--pay-to", DEV_ACCOUNTS.payTo.address]
  return [...payments, "--relayer-key-file", relayer, "--eth-usd", "1000"]
}

function line({ system, binary, median: middle, fastest, idle }: Row, at: number, rows: readonly Row[]): string {
  const before = rows[at - 1]
  const less = before?.system === system ? `, ${((1 - middle / before.median) * 100).toFixed(0)} % less` : ""
  const memory = idle === null ? "" : `, idle ${idle.toFixed(1)} MiB`
  return `${system}: ${middle.toFixed(1)} ms (fastest ${fastest.toFixed(1)})${less}${memory}  ${binary}\n`
}
