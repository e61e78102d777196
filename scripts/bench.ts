/**
 * How fast the compiled program is, in one run, against a raw Bun server on the same machine at the same time: ratios travel between
 * machines, requests per second do not. Loopback only, bounded in time and count, nothing left behind.
 *
 *   bun scripts/bench.ts [--lists DIR]... [--rounds N] [--milliseconds N] [--connections N] [--json]
 *
 * --lists names folders of published OFAC files for the screening rows. dist/bizauth is measured as it is; build it first.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startChain } from "../test/fixtures/chain.ts"
import { isPinned, pinSelf, residentMib, startServer } from "./bench/processes.ts"
import { judge, type Report, textReport } from "./bench/report.ts"
import { measureRows } from "./bench/rows.ts"
import { openScene } from "./bench/scene.ts"
import { measureScreening } from "./bench/screening.ts"
import { coldStarts, wallTimes } from "./bench/starts.ts"

const STARTS = 20
const { values: given } = parseArgs({
  options: {
    lists: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "1000" },
    connections: { type: "string", default: "32" },
    signed: { type: "string", default: "3000" },
    json: { type: "boolean", default: false },
  },
})
const number = (text: string, max: number): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1 || value > max) throw new RangeError(`${text} is not 1 to ${max}`)
  return value
}
const options = {
  rounds: number(given.rounds, 50),
  milliseconds: number(given.milliseconds, 10_000),
  connections: number(given.connections, 1000),
  signed: number(given.signed, 50_000),
}
const binary = join(import.meta.dir, "..", "dist", "bizauth")
if (!existsSync(binary)) {
  console.error("dist/bizauth is missing; run: bun scripts/build.ts")
  process.exit(2)
}
const report = await bench()
process.stdout.write(given.json ? `${JSON.stringify({ ...report, targets: judge(report) })}\n` : textReport(report))

async function bench(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "bizauth-bench-"))
  const closing: (() => Promise<void>)[] = []
  try {
    const chain = await startChain()
    closing.push(() => chain.stop())
    const scene = await openScene(binary, folder, chain)
    closing.push(() => scene.server.stop())
    const raw = await startServer(
      [process.execPath, join(import.meta.dir, "bench", "raw-server.ts")],
      join(folder, "raw.log"),
    )
    closing.push(() => raw.stop())
    pinSelf("client")
    const rows = await measureRows(raw.origin, scene, options)
    pinSelf("all")
    const loadedMib = residentMib(scene.server.pid)
    await scene.server.stop()
    const verify = [binary, "verify", scene.deliveryFile, "--issuer", scene.issuerFile]
    return {
      machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, pinned: isPinned, bun: Bun.version },
      options,
      rows,
      coldStart: await coldStarts([binary, "serve", "--data", scene.data, ...scene.flags], folder, STARTS),
      loadedMib,
      verify: wallTimes(verify, STARTS),
      version: wallTimes([binary, "version"], STARTS),
      screening: given.lists.length === 0 ? null : measureScreening(given.lists),
    }
  } finally {
    for (const close of closing.reverse()) await close()
    rmSync(folder, { recursive: true, force: true })
  }
}
