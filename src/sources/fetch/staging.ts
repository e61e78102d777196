/**
 * Staging folder for files between the network and the import: one folder for each source, next to the snapshots, so that a source's own
 * folder never holds a partial file. The next round removes what a killed round left; it holds the lock that excludes other rounds.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { withLock } from "../import/import-lock.ts"

const FOLDER = ".fetch"

/** Runs `work` under the lock. Throws ImportBusy if another round of this source runs. `root` is the folder of all snapshots. */
export function withStaging<T>(root: string, sourceId: string, work: () => Promise<T>): Promise<T> {
  const parent = join(root, FOLDER)
  const busy = `another round that fetches ${sourceId} is running on this data directory`
  return withLock(parent, `${sourceId}.lock`, busy, async () => {
    rmSync(join(parent, sourceId), { recursive: true, force: true })
    try {
      return await work()
    } finally {
      rmSync(join(parent, sourceId), { recursive: true, force: true })
    }
  })
}

/** Empties the staging folder and returns its path. The second download of one round must not find the files of the first. */
export function empty(root: string, sourceId: string): string {
  const staging = join(root, FOLDER, sourceId)
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  return staging
}
