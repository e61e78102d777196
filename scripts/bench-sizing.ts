/**
 * Measures the figures of docs/sizing.md on this machine and prints its tables; with --write it puts them into the page.
 *
 *   bun scripts/bench-sizing.ts [--rounds N] [--milliseconds N] [--write]
 *
 * dist/bizauth is measured as it is; build it first. Processor time changes little with other programs on the machine; the times of starts do.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, totalmem, type } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { runToEnd } from "./bench/processes.ts"
import { measureSizing } from "./bench/sizing.ts"
import { sizingTables } from "./bench/sizing-page.ts"

const root = join(import.meta.dir, "..")
const binary = join(root, "dist", "bizauth")
const page = join(root, "docs", "sizing.md")
const MARKED = /(<!-- measured -->\n)[\s\S]*(<!-- \/measured -->)/

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    milliseconds: { type: "string", default: "500" },
    write: { type: "boolean", default: false },
  },
})
const [rounds, milliseconds] = [Number(values.rounds), Number(values.milliseconds)]
if (![rounds, milliseconds].every((one) => Number.isSafeInteger(one) && one > 0)) {
  console.error("--rounds and --milliseconds are whole numbers above 0")
  process.exit(2)
}
if (!existsSync(binary)) {
  console.error(`${binary} is missing; run: bun scripts/build.ts`)
  process.exit(2)
}

const loadOf = () => loadavg()[0] ?? 0
const before = loadOf()
const sizing = await measureSizing(binary, { rounds, milliseconds, connections: 32, signed: 7000 })
const [version = ""] = runToEnd([binary, "version"]).split("\n")
const text = sizingTables({
  machine: {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory: totalmem() / 2 ** 30,
    system: `${type()} ${release()}, Bun ${Bun.version}`,
  },
  version,
  at: new Date().toISOString(),
  load: [before, loadOf()],
  sizing,
})
if (values.write)
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(MARKED, (_, begin, end) => `${begin}${text}\n${end}`),
  )
else console.log(text)
