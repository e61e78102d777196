/** `bun scripts/bench-screening.ts DIRECTORY...`: the screening part of the bench alone, over folders of OFAC files. */
import { measureScreening, screeningReport } from "./bench/screening.ts"

const directories = process.argv.slice(2)
if (directories.length === 0) {
  console.error("usage: bun scripts/bench-screening.ts DIRECTORY...")
  process.exit(2)
}
process.stdout.write(screeningReport(measureScreening(directories)))
