/**
 * Measures how long a writer waits while a backup is made: 500 writes a second on a database of 500 MB. Run: bun scripts/bench-backup.ts
 * [MEGABYTES].
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { formatInstant } from "../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../src/data/data-directory.ts"
import { realMachine } from "../src/machine.ts"
import { probeWrite } from "../src/store/meta.ts"

const MEGABYTES = Number(process.argv[2] ?? 500)
const WRITES_PER_SECOND = 500
const TICK_MS = 1000 / WRITES_PER_SECOND
const VALUE_BYTES = 150_000

const folder = mkdtempSync(join(tmpdir(), "backup-bench-"))
const data = join(folder, "data")
await createDataDirectory(data, "test", realMachine)
const { store, database, paths } = await openDataDirectory(data, {
  machine: realMachine,
  migrate: true,
  onFatal: (error) => {
    throw error
  },
})
const fill = database.prepare("INSERT INTO meta VALUES (?1, ?2)")
for (let row = 0; statSync(paths.database).size < MEGABYTES * 1_000_000; row += 100) {
  database.transaction(() => {
    for (let one = 0; one < 100; one++) fill.run(`filler_${row + one}`, randomBytes(VALUE_BYTES).toString("base64"))
  })()
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
}

/** Milliseconds that each write took. */
async function writesWhile(work: Promise<unknown>): Promise<number[]> {
  const waits: number[] = []
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const running: Promise<unknown>[] = []
  for (let next = performance.now(); !isOver; next += TICK_MS) {
    const wait = next - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    const begunAt = performance.now()
    running.push(
      store.run(() => probeWrite(formatInstant(realMachine.now()))).then(() => waits.push(performance.now() - begunAt)),
    )
  }
  await Promise.all([over, ...running])
  return waits
}

function summary(waits: readonly number[]): string {
  const sorted = [...waits].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `${waits.length} writes, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(0.9999999)} ms`
}

console.log(`database ${(statSync(paths.database).size / 1e6).toFixed(0)} MB`)
console.log(`without a backup: ${summary(await writesWhile(Bun.sleep(5000)))}`)
for (let run = 1; run <= 3; run++) {
  const file = join(folder, `${run}.tar.zst`)
  const begunAt = performance.now()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../src/main.ts"), "backup", file, "--data", data], {
    stdout: "ignore",
    stderr: "inherit",
  })
  const waits = await writesWhile(child.exited)
  if (child.exitCode !== 0) throw new Error(`backup ended with ${child.exitCode}`)
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
  console.log(`backup ${run}: ${seconds} s, ${(statSync(file).size / 1e6).toFixed(0)} MB; ${summary(waits)}`)
}
await store.close()
rmSync(folder, { recursive: true, force: true })
