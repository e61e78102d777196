/**
 * Staging folder for files between the network and the import: one folder for each source, next to the snapshots, so that a source's own
 * folder never holds a partial file. The next round removes what a killed round left; it holds the lock that excludes other rounds.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { withLock, withSharedLock } from "../import/import-lock.ts"
import type { Shared } from "../machines/shared-database.ts"

const FOLDER = ".fetch"

interface Place {
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
}

/** Runs `work` under the lock. Throws ImportBusy if another round of this source runs, on whichever data directory or machine. */
export function withStaging<T>({ root, shared = null }: Place, sourceId: string, work: () => Promise<T>): Promise<T> {
  const parent = join(root, FOLDER)
  const busy = `another round that fetches ${sourceId} is running on this data directory`
  const elsewhere = `another round that fetches ${sourceId} is running on another data directory or machine`
  const alone = async () => {
    rmSync(join(parent, sourceId), { recursive: true, force: true })
    try {
      return await work()
    } finally {
      rmSync(join(parent, sourceId), { recursive: true, force: true })
    }
  }
  return withLock(parent, `${sourceId}.lock`, busy, () =>
    withSharedLock({ shared, name: `fetch ${sourceId}` }, elsewhere, alone),
  )
}

/** Empties the staging folder and returns its path. The second download of one round must not find the files of the first. */
export function empty(root: string, sourceId: string): string {
  const staging = join(root, FOLDER, sourceId)
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  return staging
}
