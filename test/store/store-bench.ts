/** A store on a real file with a second connection, and ways to observe its SQL and to make it fail. */
import type { Database } from "bun:sqlite"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { LogSync, type Sync } from "../../src/store/engine/sqlite/log-sync.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { openNonces, put, withDirectory } from "./nonce-rows.ts"

export interface Bench {
  readonly store: SqliteStore
  readonly database: Database
  /** A second connection, which sees only committed rows. */
  readonly onDisk: (scope?: string) => string[]
  readonly fatal: unknown[]
  readonly path: string
}

/** A clock for a test that counts on one batch: a busy machine must not end it. */
export const STILL = () => 0

/** `sync`: in place of the system's. */
export function bench(
  use: (bench: Bench) => Promise<void>,
  monotonic?: () => number,
  sync?: Sync,
): () => Promise<void> {
  return withDirectory(async (directory) => {
    const path = join(directory, "bizauth.db")
    const database = openNonces(path)
    const other = openNonces(path)
    const fatal: unknown[] = []
    const store = new SqliteStore(database, (error) => fatal.push(error), {
      timers: { ...realMachine, ...(monotonic && { monotonic }) },
      durability: LogSync.of(database, sync),
    })
    const onDisk = (scope = "s") =>
      (
        other.query("SELECT nonce FROM used_nonce WHERE scope = ?1 ORDER BY nonce").all(scope) as { nonce: string }[]
      ).map(({ nonce }) => nonce)
    try {
      await use({ store, database, onDisk, fatal, path })
    } finally {
      other.close(false)
      await store.close()
    }
  })
}

/** Lets a test observe the store's own SQL, or make it fail; statements of the units are not included. */
export function tap(database: Database, before: (sql: string) => void): void {
  const run = database.run.bind(database)
  database.run = ((sql: string) => {
    before(sql)
    return run(sql)
  }) as typeof database.run
}

export function failWith(code: string): never {
  throw Object.assign(new Error(code), { code })
}

/** The value, the reason of an unavailable store, or the error itself. */
export async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => value,
    (error) => (error instanceof StoreUnavailable ? error.reason : error),
  )
}

export function* failing(nonce: string, error: unknown): Unit<never> {
  yield* put(nonce)
  throw error
}
