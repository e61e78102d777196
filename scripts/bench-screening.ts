/**
 * Benchmark of the screening alone. `bun scripts/bench-screening.ts DIRECTORY...` times it over folders of OFAC files. With `--lists
 * FOLDER`, a folder of all published lists and labelled names, it prints quality and speed with their targets. With `--growth` it
 * measures lists of up to a million names; with `--dodges` what a payer can change in a listed name and which ordinary names alert, beside
 * the same of another checkout (`--against`). `--firms` names a register of firms, see bench/screening/register-firms.ts.
 */
import { parseArgs } from "node:util"
import { commonNames } from "./bench/screening/common-names.ts"
import { dodgeReport } from "./bench/screening/dodge-report.ts"
import { blockedByCountry, measureQuality } from "./bench/screening/measure-quality.ts"
import {
  GROWTH_HEAD,
  GROWTH_SIZES,
  growthLine,
  measureGrown,
  measureSpeed,
  speedReport,
} from "./bench/screening/measure-speed.ts"
import { sanctionsParties } from "./bench/screening/published-parties.ts"
import { commonNamesReport, qualityReport } from "./bench/screening/quality-report.ts"
import { measureScreening, screeningReport } from "./bench/screening.ts"

const { values, positionals } = parseArgs({
  options: {
    lists: { type: "string" },
    growth: { type: "boolean", default: false },
    dodges: { type: "boolean", default: false },
    firms: { type: "string", default: process.env["BIZAUTH_FIRMS"] },
    against: { type: "string" },
    // Only for the child processes below: the number of synthetic names, or "all" for the published lists.
    size: { type: "string" },
  },
  allowPositionals: true,
})
const { lists, growth, dodges, size } = values
if ((lists === undefined) === (positionals.length === 0) || ((growth || dodges) && lists === undefined)) {
  console.error(
    "usage: bun scripts/bench-screening.ts DIRECTORY... | --lists FOLDER [--growth | --dodges [--firms FOLDER] [--against CHECKOUT]]",
  )
  process.exit(2)
}
/** Measures one size in a separate process, so that the reported memory is that of one index. */
function inOwnProcess(folder: string, names: string): void {
  const { exitCode } = Bun.spawnSync([process.execPath, import.meta.path, "--lists", folder, "--size", names], {
    stdio: ["ignore", "inherit", "inherit"],
  })
  if (exitCode !== 0) process.exit(1)
}

if (lists === undefined) process.stdout.write(screeningReport(measureScreening(positionals)))
else if (dodges) process.stdout.write(await dodgeReport({ lists, firms: values.firms, against: values.against }))
else if (size === "all") process.stdout.write(speedReport(measureSpeed(lists)))
else if (size !== undefined) process.stdout.write(growthLine(measureGrown(lists, Number(size))))
else if (growth) {
  process.stdout.write(GROWTH_HEAD)
  for (const names of GROWTH_SIZES) inOwnProcess(lists, String(names))
} else {
  process.stdout.write(`${qualityReport(measureQuality(lists))}\n`)
  const names = commonNames()
  process.stdout.write(`${commonNamesReport(names.length, blockedByCountry(sanctionsParties(lists), names))}\n`)
  inOwnProcess(lists, "all")
}
