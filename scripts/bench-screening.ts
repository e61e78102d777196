/**
 * The screening alone. `bun scripts/bench-screening.ts DIRECTORY...` times it over folders of OFAC files; with `--lists FOLDER`, a folder of
 * all published lists and labelled names, it prints quality and speed with their targets, and with `--growth` how it grows to a million names.
 */
import { parseArgs } from "node:util"
import { measureQuality } from "./bench/screening/measure-quality.ts"
import { GROWTH_HEAD, growthLine, measureGrowth, measureSpeed, speedReport } from "./bench/screening/measure-speed.ts"
import { qualityReport } from "./bench/screening/quality-report.ts"
import { measureScreening, screeningReport } from "./bench/screening.ts"

const { values, positionals } = parseArgs({
  options: { lists: { type: "string" }, growth: { type: "boolean", default: false } },
  allowPositionals: true,
})
const { lists, growth } = values
if ((lists === undefined) === (positionals.length === 0) || (growth && lists === undefined)) {
  console.error("usage: bun scripts/bench-screening.ts DIRECTORY... | --lists FOLDER [--growth]")
  process.exit(2)
}
if (lists === undefined) process.stdout.write(screeningReport(measureScreening(positionals)))
else if (growth) {
  process.stdout.write(GROWTH_HEAD)
  for (const row of measureGrowth(lists)) process.stdout.write(growthLine(row))
} else {
  process.stdout.write(`${qualityReport(measureQuality(lists))}\n`)
  process.stdout.write(speedReport(measureSpeed(lists)))
}
