/** A steady load of writes beside a backup, and a database of a given size. */
import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { realMachine } from "../../src/base/machine.ts"
import { formatInstant } from "../../src/core/time.ts"
import type { DataDirectory } from "../../src/data/data-directory.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { recordInstance } from "../../src/store/instances.ts"
import { databaseOf } from "../../test/fixtures/database-of.ts"

const WRITES_PER_SECOND = 500
const TICK_MS = 1000 / WRITES_PER_SECOND
const VALUE_BYTES = 150_000

type Opened = Pick<DataDirectory, "engine" | "paths">

/** Adds rows until the database file has this size. */
export function fillDatabase({ engine, paths }: Opened, megabytes: number): void {
  const database = databaseOf({ engine })
  const fill = database.prepare("INSERT INTO meta VALUES (?1, ?2)")
  for (let row = 0; statSync(paths.database).size < megabytes * 1_000_000; row += 100) {
    database.transaction(() => {
      for (let one = 0; one < 100; one++) fill.run(`filler_${row + one}`, randomBytes(VALUE_BYTES).toString("base64"))
    })()
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

/** Writes 500 times a second while `work` is under way. Returns the milliseconds that each write took. */
export async function writesWhile(store: Store, work: Promise<unknown>): Promise<number[]> {
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
      store
        .run(() => recordInstance(rowAt(formatInstant(realMachine.now()))))
        .then(() => waits.push(performance.now() - begunAt)),
    )
  }
  await Promise.all([over, ...running])
  return waits
}

const rowAt = (at: string) => ({
  ...{ instanceId: "bench", host: "bench", pid: process.pid, release: "bench" },
  startedAt: at,
  seenAt: at,
})

/** Count, median, 99 % quantile and maximum, in words. */
export function waitSummary(waits: readonly number[]): string {
  const sorted = [...waits].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `${waits.length} writes, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(0.9999999)} ms`
}
