/** A process that migrates the file it is given. It prints a line when it begins to make identity sets, and one when it is done. */
import { writeSync } from "node:fs"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"

const [path = ""] = process.argv.slice(2)
const known = migrations.map((migration) => {
  const { fill, name } = migration
  if (name !== "0043_identity_sets" || !fill) return migration
  return {
    ...migration,
    *fill() {
      writeSync(1, "filling\n")
      yield* fill()
      writeSync(1, "filled\n")
    },
  }
})
migrate(openDatabase(path), "2026-02-01T00:00:00.000Z", known)
writeSync(1, "done\n")
