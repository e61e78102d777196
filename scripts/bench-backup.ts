/**
 * Measures how long a writer waits while a backup is made: 500 writes a second on a database of 500 MB. Run: bun scripts/bench-backup.ts
 * [MEGABYTES].
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realMachine } from "../src/base/machine.ts"
import { createDataDirectory, openDataDirectory } from "../src/data/data-directory.ts"
import { fillDatabase, waitSummary, writesWhile } from "./bench/write-load.ts"
import { PLAIN_ENVIRONMENT } from "./plain-environment.ts"

const MEGABYTES = Number(process.argv[2] ?? 500)

const folder = mkdtempSync(join(tmpdir(), "backup-bench-"))
const data = join(folder, "data")
await createDataDirectory(data, "test", realMachine)
const { engine, store, paths } = await openDataDirectory(data, {
  machine: realMachine,
  migrate: true,
  onFatal: (error) => {
    throw error
  },
})
fillDatabase({ engine, paths }, MEGABYTES)

console.log(`database ${(statSync(paths.database).size / 1e6).toFixed(0)} MB`)
console.log(`without a backup: ${waitSummary(await writesWhile(store, Bun.sleep(5000)))}`)
for (let run = 1; run <= 3; run++) {
  const file = join(folder, `${run}.tar.zst`)
  const begunAt = performance.now()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../src/main.ts"), "backup", file, "--data", data], {
    env: PLAIN_ENVIRONMENT,
    stdout: "ignore",
    stderr: "inherit",
  })
  const waits = await writesWhile(store, child.exited)
  if (child.exitCode !== 0) throw new Error(`backup ended with ${child.exitCode}`)
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
  console.log(`backup ${run}: ${seconds} s, ${(statSync(file).size / 1e6).toFixed(0)} MB; ${waitSummary(waits)}`)
}
await store.close()
rmSync(folder, { recursive: true, force: true })
