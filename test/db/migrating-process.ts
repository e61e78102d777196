/** A process that migrates the file it is given and prints how many migrations it applied; `stall` stops after the first. */
import { writeSync } from "node:fs"
import { migrate } from "../../db/migrate.ts"
import { type Migration, migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"

const [path = "", mode] = process.argv.slice(2)

/** The SQL is read after the earlier migrations have run. The process then waits here until it is killed. */
const stalling: Migration = {
  ordinal: 2,
  name: "0002_stall",
  get sql(): string {
    writeSync(1, "in the middle\n")
    for (;;) Bun.sleepSync(1_000)
  },
}

const known = mode === "stall" ? [...migrations.slice(0, 1), stalling] : migrations
writeSync(1, `${migrate(openDatabase(path), "2026-01-01T00:00:00.000Z", known).length}\n`)
