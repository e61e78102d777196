/** What a power failure leaves of a database: the files as they were when the last sync began that has ended. */
import { expect } from "bun:test"
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Sync } from "../../src/store/engine/sqlite/log-sync.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { Random } from "../simulation/random.ts"
import { list, openNonces, put } from "./nonce-rows.ts"
import { bench, STILL } from "./store-bench.ts"

const test = slowTests(import.meta.path)
const UNITS = 400

/** Keeps the rows that a power failure would leave. Each sync takes a few turns of the event loop. */
class Disk {
  path = ""
  rows: ReadonlySet<string> = new Set()
  syncs = 0

  constructor(private readonly random: Random) {}

  readonly sync: Sync = (_, done) => {
    const copy = join(this.path, "..", `copy-${this.syncs++}.db`)
    copyFileSync(this.path, copy)
    copyFileSync(`${this.path}-wal`, `${copy}-wal`)
    this.after(this.random.between(0, 5), () => {
      this.rows = rowsOf(copy)
      done(null)
    })
  }

  private after(turns: number, then: () => void): void {
    setImmediate(() => (turns === 0 ? then() : this.after(turns - 1, then)))
  }
}

function rowsOf(copy: string): ReadonlySet<string> {
  const database = openNonces(copy)
  const rows = database.query<{ nonce: string }, []>("SELECT nonce FROM used_nonce").all()
  database.close(true)
  for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true })
  return new Set(rows.map(({ nonce }) => nonce))
}

for (const seed of ["a", "b", "c"]) {
  test(`a power failure loses nothing that a caller or a reader knows (seed ${seed})`, async () => {
    const random = new Random(seed)
    const disk = new Disk(random)
    await bench(
      async ({ store, database, path }) => {
        disk.path = path
        // Small, so that the log begins anew many times.
        database.run("PRAGMA wal_autocheckpoint = 8")
        let known = 0
        const lost: string[] = []
        const learn = (nonces: readonly string[]) => {
          known += nonces.length
          lost.push(...nonces.filter((nonce) => !disk.rows.has(nonce)))
        }
        const work: Promise<void>[] = []
        for (let n = 0; n < UNITS; n++) {
          work.push(store.run(() => put(`n${n}`)).then((nonce) => learn([nonce])))
          if (random.chance(1 / 3)) work.push(store.read(() => list()).then(learn))
          if (random.chance(1 / 3)) work.push(store.readTogether(() => list()).then(learn))
          if (random.chance(1 / 2)) await new Promise((resolve) => setImmediate(resolve))
        }
        await Promise.all(work)
        expect(lost).toEqual([])
        expect(known).toBeGreaterThan(UNITS)
        expect(disk.syncs).toBeGreaterThan(10)
        expect(disk.rows.size).toBe(UNITS)
      },
      STILL,
      disk.sync,
    )()
  })
}
