/**
 * The screening alone. `bun scripts/bench-screening.ts DIRECTORY...` times it over folders of OFAC files; with `--lists FOLDER`, a folder of
 * all published lists and labelled names, it prints quality and speed with their targets, and with `--growth` how it grows to a million names.
 */
import { parseArgs } from "node:util"
import { measureQuality } from "./bench/screening/measure-quality.ts"
import {
  GROWTH_HEAD,
  GROWTH_SIZES,
  growthLine,
  measureGrown,
  measureSpeed,
  speedReport,
} from "./bench/screening/measure-speed.ts"
import { qualityReport } from "./bench/screening/quality-report.ts"
import { measureScreening, screeningReport } from "./bench/screening.ts"

const { values, positionals } = parseArgs({
  options: {
    lists: { type: "string" },
    growth: { type: "boolean", default: false },
    // One size in a process of its own, as --growth starts it: memory is then that of one index.
    size: { type: "string" },
  },
  allowPositionals: true,
})
const { lists, growth, size } = values
if ((lists === undefined) === (positionals.length === 0) || (growth && lists === undefined)) {
  console.error("usage: bun scripts/bench-screening.ts DIRECTORY... | --lists FOLDER [--growth]")
  process.exit(2)
}
if (lists === undefined) process.stdout.write(screeningReport(measureScreening(positionals)))
else if (size !== undefined) process.stdout.write(growthLine(measureGrown(lists, Number(size))))
else if (growth) {
  process.stdout.write(GROWTH_HEAD)
  for (const names of GROWTH_SIZES)
    Bun.spawnSync([process.execPath, import.meta.path, "--lists", lists, "--size", String(names)], {
      stdio: ["ignore", "inherit", "inherit"],
    })
} else {
  process.stdout.write(`${qualityReport(measureQuality(lists))}\n`)
  process.stdout.write(speedReport(measureSpeed(lists)))
}
